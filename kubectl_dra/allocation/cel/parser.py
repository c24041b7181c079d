"""Tokens to a syntax tree, with upstream's limits on depth (cel-go: parser/parser.go, parser/gen/CEL.g4)."""

from collections import Counter
from collections.abc import Sized

from kubectl_dra.allocation.cel.errors import CompileError
from kubectl_dra.allocation.cel.lexer import Token, tokens
from kubectl_dra.allocation.cel.literals import LiteralError, bytes_value, float_value, int_value, string_value, uint_value
from kubectl_dra.allocation.cel.macros import MacroError, expand
from kubectl_dra.allocation.cel.source import Problem, render
from kubectl_dra.allocation.cel.syntax import (
    Call,
    Entry,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Node,
    Select,
    StructExpr,
    measured,
)

_RELATIONS = {"<": "_<_", "<=": "_<=_", ">=": "_>=_", ">": "_>_", "==": "_==_", "!=": "_!=_", "in": "@in"}
_PRODUCTS = {"*": "_*_", "/": "_/_", "%": "_%_"}
_SUMS = {"+": "_+_", "-": "_-_"}
_RESERVED = frozenset(
    {
        *("as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in"),
        *("let", "loop", "package", "namespace", "null", "return", "true", "var", "void", "while"),
    }
)
_TERNARY, _OR, _AND, _RELATION, _SUM, _PRODUCT, _FACTOR = range(7)
_RULES = (
    ("expr", "||", "&&", "relation", "calc"),
    ("||", "&&", "relation", "calc"),
    ("&&", "relation", "calc"),
    ("relation", "calc"),
    ("calc",),
    ("calc",),
    ("calc",),
)
"""The grammar's rules that are entered at each level."""
_LIMIT = 250
_LONGEST = 100_000
_OPERANDS = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"


def parse(text: str) -> Node:
    """The tree of `text`. Raises CompileError when it is no expression or nested too deeply."""
    if len(text) > _LONGEST:
        raise CompileError(
            f"compilation failed: ERROR: :-1:0: expression code point size exceeds limit: size: {len(text)}, limit {_LONGEST}"
        )
    parser = _Parser(text)
    node = parser.whole()
    if parser.problems:
        raise CompileError(f"compilation failed: {render(text, parser.problems)}")
    return node


class _Parser:
    """One run. Grammar mistakes raise at once; mistakes in literals, names and macros are gathered."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.position = 0
        self.problems: list[Problem] = []
        self.rules: Counter[str] = Counter()

    @property
    def ahead(self) -> Token:
        return self.tokens[self.position]

    def take(self) -> Token:
        token = self.tokens[self.position]
        self.position += 1
        return token

    def taken(self, kind: str) -> bool:
        if self.ahead.kind != kind:
            return False
        self.position += 1
        return True

    def expect(self, kind: str) -> Token:
        if self.ahead.kind != kind:
            raise self.mismatch(kind)
        return self.take()

    def mismatch(self, wanted: str) -> CompileError:
        problem = Problem(self.ahead.offset, f"Syntax error: mismatched input '{self.ahead.text}' expecting {wanted}")
        return CompileError(f"compilation failed: {render(self.text, [*self.problems, problem])}")

    def note(self, offset: int, message: str) -> None:
        self.problems.append(Problem(offset, message))

    def enter(self, *names: str) -> None:
        """Into the grammar's rules of these names; each may stand inside itself 250 times."""
        for name in names:
            self.rules[name] += 1
            if self.rules[name] > _LIMIT:
                raise CompileError(f"compilation failed: ERROR: <input>:-1:0: expression recursion limit exceeded: {_LIMIT}")

    def leave(self, *names: str) -> None:
        for name in names:
            self.rules[name] -= 1

    def nested(self, node: Node) -> Node:
        """A node that upstream's second pass counts as a level."""
        node.nesting += 1
        if node.nesting > _LIMIT:
            raise CompileError("compilation failed: ERROR: <input>:-1:0: max recursion depth exceeded")
        return node

    def spanned(self, node: Node, start: int) -> Node:
        node.span = (start, self.tokens[self.position - 1].end)
        return node

    def whole(self) -> Node:
        node = self.expression()
        if self.ahead.kind != "end":
            raise self.mismatch("<EOF>")
        return node

    def expression(self, level: int = 0) -> Node:
        """Anything that binds as tightly as `level` or tighter (see _RULES). Few frames a level: deep nesting must fit Python's stack."""
        start = self.ahead.offset
        self.enter(*_RULES[level])
        node = self.operand()
        if level < _FACTOR and (self.ahead.kind in _PRODUCTS or self.ahead.kind in _SUMS):
            node = self.calculation(node, start, level)
        self.leave("calc")
        if level <= _RELATION:
            if self.ahead.kind in _RELATIONS:
                node = self.relation(node, start)
            self.leave("relation")
        if level <= _AND:
            if self.ahead.kind == "&&":
                node = self.logical(node, "&&", _RELATION)
            self.leave("&&")
        if level <= _OR:
            if self.ahead.kind == "||":
                node = self.logical(node, "||", _AND)
            self.leave("||")
        if level == _TERNARY:
            if self.ahead.kind == "?":
                node = self.conditional(node, start)
            self.leave("expr")
        return node

    def conditional(self, condition: Node, start: int) -> Node:
        at = self.take().offset
        yes = self.expression(_OR)
        self.expect(":")
        no = self.expression()
        return self.nested(self.spanned(measured(Call(at, "_?_:_", [condition, yes, no])), start))

    def logical(self, node: Node, symbol: str, level: int) -> Node:
        """`a || b || c` or `a && b && c`, as a balanced tree."""
        terms = [node]
        at: list[int] = []
        while self.ahead.kind == symbol:
            at.append(self.take().offset)
            terms.append(self.expression(level))
        return _balanced(f"_{symbol}_", terms, at, 0, len(at) - 1)

    def relation(self, node: Node, start: int) -> Node:
        while self.ahead.kind in _RELATIONS:
            operator = self.take()
            self.enter("relation")
            right = self.expression(_SUM)
            self.leave("relation")
            node = measured(Call(operator.offset, _RELATIONS[operator.kind], [node, right]))
            node = self.nested(self.spanned(node, start))
        return node

    def calculation(self, node: Node, start: int, level: int) -> Node:
        while (self.ahead.kind in _PRODUCTS and level <= _PRODUCT) or (self.ahead.kind in _SUMS and level <= _SUM):
            operator = self.take()
            product = operator.kind in _PRODUCTS
            right = self.expression(_FACTOR if product else _PRODUCT)
            function = _PRODUCTS[operator.kind] if product else _SUMS[operator.kind]
            node = self.nested(self.spanned(measured(Call(operator.offset, function, [node, right])), start))
        return node

    def operand(self) -> Node:
        """Signs, and what they stand before: a primary with everything that follows it by `.` and `[`."""
        self.enter("unary", "member", "primary")
        first = self.ahead
        signs = 0
        if first.kind in ("!", "-") and not self.signed_number():
            while self.taken(first.kind):
                signs += 1
        start = self.ahead.offset
        if self.taken("("):
            node = self.expression()
            self.expect(")")
        else:
            node = self.spanned(self.primary(), start)
        self.leave("primary")
        if self.ahead.kind in (".", "["):
            node = self.members(node, start)
        self.leave("unary", "member")
        if signs % 2 == 0:
            return node
        function = "!_" if first.kind == "!" else "-_"
        return self.spanned(measured(Call(first.offset, function, [node])), first.offset)

    def signed_number(self) -> bool:
        return self.ahead.kind == "-" and self.tokens[self.position + 1].kind in ("int", "float")

    def members(self, node: Node, start: int) -> Node:
        while self.ahead.kind in (".", "["):
            operator = self.take()
            node = self.index(node, operator) if operator.kind == "[" else self.selection(node, operator)
            node = self.nested(self.spanned(node, start))
        return node

    def index(self, node: Node, operator: Token) -> Node:
        function = "_[?_]" if self.taken("?") else "_[_]"
        position = self.expression()
        self.expect("]")
        return measured(Call(operator.offset, function, [node, position]))

    def selection(self, node: Node, operator: Token) -> Node:
        optional = self.taken("?")
        word = self.ahead
        if word.kind not in ("name", "quoted"):
            raise self.mismatch("IDENTIFIER")
        self.take()
        if optional:
            field = Literal(word.offset, _name(word), span=(word.offset, word.end))
            return measured(Call(operator.offset, "_?._", [node, field]))
        if word.kind == "name" and self.ahead.kind == "(":
            return self.call(word.text, node)
        return measured(Select(operator.offset, node, _name(word)))

    def call(self, function: str, target: Node | None) -> Node:
        at = self.expect("(").offset
        arguments = [] if self.ahead.kind == ")" else self.arguments()
        self.expect(")")
        try:
            node = expand(function, at, target, arguments)
        except MacroError as error:
            self.note(error.offset, str(error))
            node = Literal(error.offset, None)
        return measured(Call(at, function, arguments, target)) if node is None else node

    def arguments(self) -> list[Node]:
        self.enter("exprList")
        found = [self.expression()]
        while self.taken(","):
            found.append(self.expression())
        self.leave("exprList")
        return found

    def primary(self) -> Node:
        token = self.ahead
        if token.kind == "[":
            return self.list_literal()
        if token.kind == "{":
            return self.map_literal()
        if token.kind == "name" or (token.kind == "." and self.tokens[self.position + 1].kind == "name"):
            return self.named()
        return self.literal()

    def named(self) -> Node:
        dot = "." if self.taken(".") else ""
        if self.struct_ahead():
            return self.struct(dot)
        word = self.take()
        if word.text in _RESERVED:
            self.note(word.offset, f"reserved identifier: {word.text}")
        if self.ahead.kind == "(":
            return self.call(dot + word.text, None)
        return Ident(word.offset, dot + word.text)

    def struct_ahead(self) -> bool:
        at = self.position + 1
        while self.tokens[at].kind == "." and self.tokens[at + 1].kind == "name":
            at += 2
        return self.tokens[at].kind == "{"

    def struct(self, dot: str) -> Node:
        names = [self.take().text]
        while self.taken("."):
            names.append(self.take().text)
        at = self.expect("{").offset
        fields: list[tuple[int, str, Node, bool]] = []
        while self.more(fields, "}"):
            optional = self.taken("?")
            word = self.ahead
            if word.kind not in ("name", "quoted"):
                raise self.mismatch("IDENTIFIER")
            self.take()
            colon = self.expect(":").offset
            fields.append((colon, _name(word), self.expression(), optional))
        self.expect("}")
        return measured(StructExpr(at, dot + ".".join(names), fields))

    def more(self, found: Sized, closing: str) -> bool:
        """True when another element follows the `found` ones; a comma may stand before the closing bracket, also of nothing."""
        if self.ahead.kind == closing:
            return False
        if self.ahead.kind == "," and self.tokens[self.position + 1].kind == closing:
            self.take()
            return False
        if len(found):
            self.expect(",")
        return True

    def list_literal(self) -> Node:
        at = self.expect("[").offset
        elements: list[Node] = []
        optionals: set[int] = set()
        while self.more(elements, "]"):
            if self.taken("?"):
                optionals.add(len(elements))
            elements.append(self.expression())
        self.expect("]")
        return measured(ListExpr(at, elements, frozenset(optionals)))

    def map_literal(self) -> Node:
        at = self.expect("{").offset
        entries: list[Entry] = []
        while self.more(entries, "}"):
            optional = self.taken("?")
            key = self.expression()
            self.expect(":")
            entries.append(Entry(key, self.expression(), optional))
        self.expect("}")
        return measured(MapExpr(at, entries))

    def literal(self) -> Node:
        start = self.ahead.offset
        negative = self.signed_number()
        if negative:
            self.take()
        token = self.ahead
        try:
            node = Literal(start, _literal_value(token, negative=negative))
        except LiteralError as error:
            self.note(start, str(error))
            node = Literal(start, None)
        except KeyError:
            raise self.mismatch(_OPERANDS) from None
        self.take()
        return node


def _name(word: Token) -> str:
    return word.text[1:-1] if word.kind == "quoted" else word.text


def _literal_value(token: Token, *, negative: bool) -> object:
    """The value; KeyError when the token is no literal."""
    match token.kind:
        case "int":
            return int_value(token.text, negative=negative)
        case "float":
            return float_value(token.text, negative=negative)
        case "uint":
            return uint_value(token.text)
        case "string":
            return string_value(token.text)
        case "bytes":
            return bytes_value(token.text)
        case _:
            return {"true": True, "false": False, "null": None}[token.kind]


def _balanced(function: str, terms: list[Node], at: list[int], low: int, high: int) -> Node:
    middle = (low + high + 1) // 2
    left = terms[middle] if middle == low else _balanced(function, terms, at, low, middle - 1)
    right = terms[middle + 1] if middle == high else _balanced(function, terms, at, middle + 1, high)
    node = measured(Call(at[middle], function, [left, right]))
    node.span = (left.span[0], right.span[1])
    return node
