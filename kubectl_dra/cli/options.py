"""Every option that commands share, once: kubectl's own with kubectl's meaning, and those that reading and writing need.

A command takes groups of them (`dialect.command`); they are accepted before the command too, left out of its help, and listed by
`kubectl dra options`. What they say reaches the command as a `Run`.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from kubectl_dra.cli.pflag import Flag, Flags, bool_flag
from kubectl_dra.environment import Environment
from kubectl_dra.errors import UsageError

if TYPE_CHECKING:
    from kubectl_dra.kubeconfig import Overrides


class SharedOption(NamedTuple):
    """One option: its field in `Run`, spellings, what stands for its value in texts, its help and what it takes."""

    name: str
    flag: str
    metavar: str
    help: str
    takes: type[str] | type[bool] | type[int] | type[list[str]] = str
    short: str = ""
    default: object = ""

    @property
    def pflag(self) -> Flag:
        """The same, as the grammar knows it."""
        return bool_flag(self.flag, self.short) if self.takes is bool else Flag(self.flag, self.short)


class Group(NamedTuple):
    """Options that come together."""

    title: str
    options: tuple[SharedOption, ...]


CONNECTION = Group(
    "Connection (as kubectl has them)",
    (
        SharedOption("kubeconfig", "kubeconfig", "FILE", "Path to the kubeconfig file."),
        SharedOption("context", "context", "NAME", "The kubeconfig context to use."),
        SharedOption("cluster", "cluster", "NAME", "The kubeconfig cluster to use."),
        SharedOption("user", "user", "NAME", "The kubeconfig user to use."),
        SharedOption("namespace", "namespace", "NAME", "Only this namespace (reading commands cover all of them otherwise).", short="n"),
        SharedOption("server", "server", "URL", "Address of the API server.", short="s"),
        SharedOption("token", "token", "TOKEN", "Bearer token for the API server."),
        SharedOption("as_", "as", "NAME", "User to impersonate."),
        SharedOption("as_groups", "as-group", "NAME", "Group to impersonate; may be repeated.", list[str], default=None),
        SharedOption("as_uid", "as-uid", "UID", "UID to impersonate."),
        SharedOption(
            "as_user_extra", "as-user-extra", "KEY=VALUE", "Extra of the user to impersonate; may be repeated.", list[str], default=None
        ),
        SharedOption("certificate_authority", "certificate-authority", "FILE", "Certificate of the authority that signed the server's."),
        SharedOption("client_certificate", "client-certificate", "FILE", "Client certificate for TLS."),
        SharedOption("client_key", "client-key", "FILE", "Key of the client certificate."),
        SharedOption("tls_server_name", "tls-server-name", "NAME", "Name that the server's certificate must have."),
        SharedOption(
            "insecure_skip_tls_verify", "insecure-skip-tls-verify", "", "Do not check the server's certificate.", bool, default=None
        ),
        SharedOption("disable_compression", "disable-compression", "", "Ask for answers without compression.", bool, default=False),
        SharedOption("proxy_url", "proxy-url", "URL", "Proxy for requests to the API server."),
        SharedOption(
            "request_timeout",
            "request-timeout",
            "DURATION",
            "Limit for one request: 1s, 2m, 3h. 0 is none, but 30s without a byte.",
            default="0",
        ),
    ),
)
"""Which cluster, as whom; `-n`, too, because a context has a namespace. Every command takes them, as kubectl's do."""

SCOPE = Group(
    "Scope",
    (
        SharedOption(
            "all_namespaces", "all-namespaces", "", "All namespaces, which is the default; overrides -n.", bool, short="A", default=False
        ),
    ),
)
"""For commands that read all namespaces unless `-n` narrows them."""

SELECTOR = Group(
    "Selector",
    (SharedOption("selector", "selector", "LABELS", "Only pods with these labels, as kubectl's -l (a=b,c!=d,e in (f,g)).", short="l"),),
)
"""For commands that can narrow by the labels of pods."""

SOURCE = Group(
    "Source",
    (
        SharedOption(
            "from_",
            "from",
            "FILE",
            "Read a snapshot, kubectl's output, a folder of such files, or - (stdin) instead of a cluster.",
            default=None,
        ),
        SharedOption("demo", "demo", "", "Read the bundled example cluster.", bool, default=False),
        SharedOption(
            "pod_templates",
            "pod-template",
            "KIND.GROUP=PATH",
            "A custom kind that makes pods, and the JSON path to its pod template; may be repeated.",
            list[str],
            default=None,
        ),
        SharedOption("strict", "strict", "", "Exit 3 if any kind could not be read in full.", bool, default=False),
    ),
)
"""For commands that read a cluster or what stands for one."""

OUTPUT = Group(
    "Output",
    (
        SharedOption(
            "output",
            "output",
            "FORMAT",
            "One of table, wide, json, yaml, name, markdown, csv, jsonpath=TEMPLATE, jsonpath-file=FILE.",
            short="o",
        ),
        SharedOption("no_headers", "no-headers", "", "Tables without their first line.", bool, default=False),
    ),
)
"""For commands that answer with a document."""

TALK = Group(
    "Other", (SharedOption("verbosity", "v", "N", "Verbosity as kubectl's: 6 shows requests and tracebacks.", int, short="v", default=0),)
)
"""Every command has these."""

GROUPS = (CONNECTION, SCOPE, SELECTOR, SOURCE, OUTPUT, TALK)
"""All groups, in the order in which they are listed."""

HELP = bool_flag("help", "h")


def shared_flags() -> Flags:
    """The flags that may stand before a command."""
    return Flags([HELP, *(option.pflag for group in GROUPS for option in group.options)])


@dataclass(frozen=True, slots=True)
class Run:
    """One call of a command: its surroundings and the shared options. An option that the command does not take has its default."""

    environment: Environment
    kubeconfig: str = ""
    context: str = ""
    cluster: str = ""
    user: str = ""
    namespace: str = ""
    server: str = ""
    token: str = field(default="", repr=False)
    as_: str = ""
    as_groups: tuple[str, ...] = ()
    as_uid: str = ""
    as_user_extra: tuple[str, ...] = ()
    certificate_authority: str = ""
    client_certificate: str = ""
    client_key: str = ""
    tls_server_name: str = ""
    insecure_skip_tls_verify: bool = False
    disable_compression: bool = False
    proxy_url: str = ""
    request_timeout: str = "0"
    all_namespaces: bool = False
    selector: str = ""
    from_: str | None = None
    demo: bool = False
    pod_templates: tuple[str, ...] = ()
    strict: bool = False
    output: str = ""
    no_headers: bool = False
    verbosity: int = 0

    @property
    def only_namespace(self) -> str | None:
        """The namespace that narrows a reading; None is all of them."""
        return None if self.all_namespaces else self.namespace or None

    def overrides(self) -> "Overrides":
        """What the connection options say over the kubeconfig."""
        from kubectl_dra.kubeconfig import Overrides

        return Overrides(**{option.name: getattr(self, option.name) for option in CONNECTION.options})

    def refuse_connection(self, because: str) -> None:
        """Raise UsageError if an option names a cluster where `because` (`--demo`, `--from`) stands for one."""
        for option in CONNECTION.options:
            if option.name not in ("namespace", "request_timeout") and getattr(self, option.name):
                raise UsageError(f"--{option.flag} and {because} do not go together", hint=f"{because} reads no cluster.")
