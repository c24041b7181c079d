"""kubectl's flag grammar, as the pflag library has it: words in, flags with values and plain words out.

Click reads `-n=foo` as namespace `=foo`, has no `--wait=false`, and lets `--dry-run` take the next word. This grammar does not:

- `--name value`, `--name=value`, `-n value`, `-n=value`, `-nvalue`; an empty value is a value (`--name=`);
- a bool flag stands alone or takes `=true` / `=false`, and never takes the next word; short ones combine (`-Av6`);
- a flag with a bare value (`--dry-run` means `client`) takes another value only after `=`;
- `_` in a long name counts as `-`; names are never abbreviated;
- `--` ends the flags; `-` alone is a word; flags and words mix in any order.

The errors have pflag's wording (pflag: flag.go, errors.go).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kubectl_dra.errors import UsageError

TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})
"""What Go's strconv.ParseBool takes."""


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag. `bare` is its value when it stands without one; None says that it needs a value."""

    name: str
    short: str = ""
    bare: str | None = None
    bool_: bool = False

    @property
    def title(self) -> str:
        """As errors name it: `-n, --namespace`."""
        return f"-{self.short}, --{self.name}" if self.short else f"--{self.name}"


def bool_flag(name: str, short: str = "") -> Flag:
    """A flag that is true when it stands alone."""
    return Flag(name, short, bare="true", bool_=True)


@dataclass(slots=True)
class Parsed:
    """What a command line says: every flag that was given with its values in order, the words, and what was left unread.

    `ended` is True when `--` ended the flags.
    """

    values: dict[str, list[str]] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    ended: bool = False

    def is_true(self, name: str) -> bool:
        """The last word on a bool flag; False when it was not given."""
        return bool(self.values.get(name)) and self.values[name][-1] in TRUE


class Flags:
    """The flags that a command knows."""

    def __init__(self, flags: Iterable[Flag]) -> None:
        """Take the flags; a name given twice means the first."""
        self.by_name: dict[str, Flag] = {}
        self.by_short: dict[str, Flag] = {}
        for flag in flags:
            self.by_name.setdefault(flag.name, flag)
            if flag.short:
                self.by_short.setdefault(flag.short, flag)

    def parse(self, arguments: Sequence[str], *, mixed: bool = True) -> Parsed:
        """Read `arguments`. Without `mixed`, reading stops at the first word, and `rest` begins with it.

        Raises UsageError for unknown flags, missing values and bools that are none.
        """
        parsed, queue = Parsed(), list(arguments)
        while queue:
            word = queue.pop(0)
            if word == "--":
                parsed.words += queue if mixed else []
                parsed.rest = [] if mixed else queue
                parsed.ended = True
                break
            if len(word) < 2 or word[0] != "-":
                if not mixed:
                    parsed.rest = [word, *queue]
                    break
                parsed.words.append(word)
            elif word.startswith("--"):
                self._long(word, queue, parsed)
            else:
                self._short(word, queue, parsed)
        return parsed

    def _long(self, word: str, queue: list[str], parsed: Parsed) -> None:
        name, equals, value = word[2:].partition("=")
        if not name or name[0] == "-":
            raise UsageError(f"bad flag syntax: {word}")
        flag = self.by_name.get(name.replace("_", "-"))
        if flag is None:
            raise UsageError(f"unknown flag: --{name}")
        if equals:
            _set(parsed, flag, value)
        elif flag.bare is not None:
            _set(parsed, flag, flag.bare)
        elif queue:
            _set(parsed, flag, queue.pop(0))
        else:
            raise UsageError(f"flag needs an argument: --{flag.name}")

    def _short(self, word: str, queue: list[str], parsed: Parsed) -> None:
        letters = word[1:]
        while letters:
            flag = self.by_short.get(letters[0])
            if flag is None:
                raise UsageError(f"unknown shorthand flag: {letters[0]!r} in -{letters}")
            after = letters[1:]
            letters = ""
            if len(after) > 1 and after[0] == "=":
                _set(parsed, flag, after[1:])
            elif flag.bare is not None:
                _set(parsed, flag, flag.bare)
                letters = after
            elif after:
                _set(parsed, flag, after)
            elif queue:
                _set(parsed, flag, queue.pop(0))
            else:
                raise UsageError(f"flag needs an argument: {flag.short!r} in -{flag.short}")


def _set(parsed: Parsed, flag: Flag, value: str) -> None:
    if flag.bool_ and value not in TRUE and value not in FALSE:
        raise UsageError(f'invalid argument "{value}" for "{flag.title}" flag: must be true or false')
    parsed.values.setdefault(flag.name, []).append(value)
