"""Templates of expressions by the type they give. The first of each is a leaf.

`«kind»` stands for an expression of the kind (`«a|b»`: of one of these), `«kind x:int»` for one that may use the variable x, an int.
`«$pool»` stands for a text of the pool in quotes, `«=pool»` for one as it is.
"""

DOMAIN = "gpu.example.com"
_A, _C = f'device.attributes["{DOMAIN}"]', f'device.capacity["{DOMAIN}"]'
_KINDS = ("bool", "int", "string", "dyn", "double", "uint", "quantity", "semver", "list", "map", "bytes", "duration", "timestamp", "null")
_ORDERED = ("int", "uint", "double", "string", "bool", "bytes", "duration", "timestamp", "dyn")
_TIME_PARTS = ("FullYear", "Month", "Date", "DayOfMonth", "DayOfWeek", "DayOfYear", "Hours", "Minutes", "Seconds", "Milliseconds")

POOLS: dict[str, tuple[str, ...]] = {
    "ints": ("0", "1", "2", "3", "-1", "7", "64", "9223372036854775807", "-9223372036854775808", "0x1F"),
    "uints": ("0u", "1u", "2u", "18446744073709551615u", "0x10u"),
    "doubles": ("0.0", "1.0", "2.5", "-1.5", "1e6", "1e20", "9007199254740993.0", "1e-7", ".5", "3e300", "-0.0"),
    "strings": (
        "",
        "a",
        "a100",
        "1.2.3",
        "v1.2",
        "40Gi",
        "1",
        "true",
        "é€",
        "abc abc",
        "1h",
        "2020-01-01T00:00:00Z",
        "10.0.0.1",
        "A\\tB",
        "b%c",
    ),
    "bytes": ("b''", "b'a'", "b'\\xff'", "b'abc'"),
    "quantities": (
        *("0", "1", "40Gi", "16Gi", "1500m", "1k", "1000", "-3", "10E", "1e3", "0.5Gi", "100000000000000000000", "9P", "1GB", "1u", "1n"),
        "123.456",
    ),
    "versions": (
        "1.2.3",
        "1.0.0",
        "2.0.0-rc.1",
        "1.2.3+b",
        "1.2.3-alpha.1.x",
        "01.2.3",
        "1.2",
        "v1.2.3",
        "1.2.3-",
        "18446744073709551615.0.0",
    ),
    "durations": ("1h", "90s", "-1.5s", "1ms", "0", "100000h", "2540400h", "1h2m3.5s", "x", "1.5h30m", "10us"),
    "times": (
        *("2020-01-01T00:00:00Z", "2021-06-15T12:34:56.789Z", "1999-12-31T23:59:59+02:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
        *("2020-13-01T00:00:00Z", "2020-02-30T00:00:00Z", "2020-01-01T1:00:00Z"),
    ),
    "zones": ("UTC", "", "+02:00", "-05:30", "02:00", "x:y", "+1:2"),
    "patterns": (
        *("a.*", "^a[0-9]+$", "(a|b)c?", "[^x]{2,3}", "(?i)A", "\\\\d+", "\\\\bab", "(a+)+$", "[[:alpha:]]+", "a{2}", "(", "a**", "x*"),
        *("\\\\pL", "$", "(?P<n>a)b", "a|", "[a-"),
    ),
    "ips": (
        *("10.0.0.1", "::1", "fe80::1", "192.168.1.1", "256.1.1.1", "0.0.0.0", "1.2.3", "::ffff:1.2.3.4", "2001:db8::1", "01.2.3.4"),  # noqa: S104
        *("224.0.0.1", "127.0.0.1", "ff02::1"),
    ),
    "cidrs": ("10.0.0.0/8", "10.1.2.3/16", "::/0", "fe80::/10", "1.2.3.4/33", "1.2.3.4", "192.168.0.0/24", "2001:db8::/32"),
    "urls": (
        *(
            "http://a/b",
            "https://u:p@h.example:8080/p%20q?x=1&y=2&x=3",
            "/path",
            "x",
            "mailto:a@b",
            "http://[::1]:80/",
            "http://a b/",
            "*",
            "",
        ),
        *("http://h/é", "http://h:x/", "https://h/a?b;c=1&d#f", "HTTP://H/%zz"),
    ),
    "clauses": ("%s", "%d", "%f", "%.2f", "%e", "%b", "%x", "%X", "%o", "%s-%d", "%%", "%q", "%", "%.s", "a%sb%s"),
    "fields": ("model", "numa", "ok", "ver", "ids", "names", "vers", "flags", "nope", "free"),
    "formats": ("dns1123Label", "labelValue", "uuid", "date", "datetime", "byte", "qualifiedName", "uri"),
    "types": ("int", "string", "list", "map", "bool", "double", "type", "net.IP"),
    "ip_tests": ("isLoopback", "isUnspecified", "isGlobalUnicast", "isLinkLocalUnicast", "isLinkLocalMulticast"),
    "url_parts": ("getHost", "getHostname", "getPort", "getScheme", "getEscapedPath"),
}


def _macros(*names: str, body: str) -> list[str]:
    """Each macro over the spans there are, with the variable's type."""
    spans = (("list", "int"), ("strings", "string"), ("map", "string"), ("dyn", "dyn"), ("domains", "string"))
    return [f"«{span}».{name}(x, «{body} x:{kind}»)" for name in names for span, kind in spans]


def _pairs(name: str, body: str, *, filtered: bool = False) -> list[str]:
    """A macro with two variables."""
    spans = (("list", "k:int v:int"), ("map", "k:string v:int"), ("dyn", "k:dyn v:dyn"))
    condition = "«bool {0}», " if filtered else ""
    return [f"«{span}».{name}(k, v, {condition.format(kinds)}«{body} {kinds}»)" for span, kinds in spans]


TEMPLATES: dict[str, list[str]] = {
    "bool": [
        *("true", "false", "device.allowMultipleAllocations", f"{_A}.ok"),
        *(
            "«bool» && «bool»",
            "«bool» || «bool»",
            "!(«bool»)",
            "(«bool» ? «bool» : «bool»)",
            "«same»",
            "«order»",
            "«member»",
            "«quantified»",
        ),
        *("«number» <= «number»", "«number» > «number»", "«loose» == «loose»", "«bound bool»", "dyn(«bool»)", "bool(«string»)"),
        *("«string».startsWith(«string»)", "«string».endsWith(«string»)", "«string».contains(«string»)", "«string».matches(«string»)"),
        *(
            "«string|dyn».matches(«$patterns»)",
            "«optional».hasValue()",
            "«quantity».isGreaterThan(«quantity»)",
            "«semver».isLessThan(«semver»)",
        ),
        *(
            "«dyn».isLessThan(«dyn»)",
            "«quantity».isInteger()",
            "isQuantity(«$quantities»)",
            "isSemver(«$versions»)",
            "isSemver(«$versions», true)",
        ),
        *("isIP(«$ips»)", "isCIDR(«$cidrs»)", "isURL(«$urls»)", "ip.isCanonical(«$ips»)", "ip(«$ips»).«=ip_tests»()", "«network»"),
        *("sets.contains(«list», «list»)", "sets.intersects(«strings», «strings»)", "sets.equivalent(«list», «list»)", "«list».isSorted()"),
        *(
            "«dyn».includes(«dyn»)",
            "«list».includes(«int»)",
            f"has({_A}.«=fields»)",
            "has(device.driver)",
            "has(«map».a)",
            "has(«dyn».a.b)",
        ),
        *("type(«dyn») == type(«dyn»)", "type(«any») == «=types»", "format.«=formats»().validate(«string»).hasValue()"),
    ],
    "same": [f"«{kind}» {operator} «{kind}»" for operator in ("==", "!=") for kind in _KINDS],
    "order": [f"«{kind}» {operator} «{kind}»" for operator in ("<", ">=") for kind in _ORDERED],
    "member": [
        *("«int» in «list»", "«string» in «strings»", "«string» in «map»", "«dyn» in «dyn»", "«dyn» in «list»", "«string» in «domains»"),
    ],
    "quantified": [
        *_macros("all", "exists", "exists_one", body="bool"),
        *(*_pairs("all", "bool"), *_pairs("exists", "bool"), *_pairs("existsOne", "bool")),
    ],
    "network": [
        *("cidr(«$cidrs»).containsIP(«$ips»)", "cidr(«$cidrs»).containsIP(ip(«$ips»))"),
        *("cidr(«$cidrs»).containsCIDR(«$cidrs»)", "cidr(«$cidrs»).containsCIDR(cidr(«$cidrs»))"),
    ],
    "number": ["«int»", "«uint»", "«double»", "«dyn»"],
    "loose": ["«int»", "«dyn»", "«string»", "«semver»", "«quantity»"],
    "any": [f"«{kind}»" for kind in _KINDS],
    "int": [
        *(
            "«=ints»",
            f"{_A}.numa",
            "(«int» + «int»)",
            "(«int» - «int»)",
            "(«int» * «int»)",
            "(«int» / «int»)",
            "(«int» % «int»)",
            "-(«int»)",
        ),
        *(
            "size(«string»)",
            "«list».size()",
            "size(«dyn»)",
            "size(«map»)",
            "(«bool» ? «int» : «int»)",
            "int(«string|double|dyn|uint|timestamp»)",
        ),
        *("«quantity».compareTo(«quantity»)", "«semver».compareTo(«semver»)", "«dyn».compareTo(«dyn»)", "«quantity».asInteger()"),
        *("sign(«quantity»)", "«semver».major()", "«dyn».patch()", "«string».indexOf(«string»)", "«string».lastIndexOf(«string»)"),
        *(
            "«string».indexOf(«string», «int»)",
            "«string».lastIndexOf(«string», «int»)",
            "«list».indexOf(«int»)",
            "«dyn».lastIndexOf(«dyn»)",
        ),
        *("«list».sum()", "«list».max()", "«list».min()", "«list»[«int»]", "«map»[«string»]", "«map».a", "«optional».orValue(«int»)"),
        *("«optional».value()", "«bound int»", "«part»", "cidr(«$cidrs»).prefixLength()", "ip(«$ips»).family()"),
    ],
    "part": [
        *(f"«timestamp».get{part}()" for part in _TIME_PARTS),
        *(f"«timestamp».get{part}(«$zones»)" for part in _TIME_PARTS),
        *("«duration».getHours()", "«duration».getMinutes()", "«duration».getSeconds()", "«duration».getMilliseconds()"),
    ],
    "uint": [
        *("«=uints»", "(«uint» + «uint»)", "(«uint» - «uint»)", "(«uint» * «uint»)", "(«uint» / «uint»)", "(«uint» % «uint»)"),
        "uint(«int|double|string»)",
    ],
    "double": [
        *("«=doubles»", "(«double» + «double»)", "(«double» * «double»)", "(«double» / «double»)", "-(«double»)", "double(«int|string»)"),
        "«quantity».asApproximateFloat()",
    ],
    "string": [
        *("«$strings»", "device.driver", f"{_A}.model", "(«string» + «string»)", "string(«int|double|dyn|bytes|duration|timestamp»)"),
        *("(«bool» ? «string» : «string»)", "«string».lowerAscii()", "«string».upperAscii()", "«string».trim()", "«string».charAt(«int»)"),
        *("«string».substring(«int»)", "«string».substring(«int», «int»)", "«string».replace(«string», «string»)"),
        *("«string».replace(«string», «string», «int»)", "«strings».join(«string»)", "«strings».join()", "strings.quote(«string»)"),
        *("«string».find(«$patterns»)", "«$clauses».format([«any»])", "«$clauses».format([«any», «any»])", "«$clauses».format([])"),
        *(
            "«strings».max()",
            "«bound string»",
            "url(«$urls»).«=url_parts»()",
            "string(cidr(«$cidrs»).masked())",
            "string(cidr(«$cidrs»).ip())",
        ),
    ],
    "bytes": ["«=bytes»", "bytes(«string»)", "(«bytes» + «bytes»)"],
    "list": [
        *(
            "[1, 2, 3]",
            "[]",
            "[1]",
            "[3, 1, 2]",
            f"{_A}.ids",
            "[«int»]",
            "[«int», «int»]",
            "(«list» + «list»)",
            *_macros("map", body="int"),
        ),
        *(*_macros("filter", body="bool"), *_pairs("transformList", "int"), *_pairs("transformList", "int", filtered=True)),
        *("«list».slice(«int», «int»)", "«list».sort()", "«list».reverse()", "«list».distinct()", "[«list», «list»].flatten()"),
        *(
            "«dyn».flatten(«int»)",
            "lists.range(3)",
            "lists.range(«=ints»  % 5)",
            "[?«optional», «int»]",
            "«list».sortBy(x, «number x:int»)",
        ),
        *("[«optional»].unwrapOpt()", "optional.unwrap([«optional»])", "«bound list»", "(«bool» ? «list» : «list»)"),
    ],
    "strings": [
        *('["a"]', "[]", '["a", "b", "a100"]', f"{_A}.names", "[«string»]", "[«string», «string»]", "«string».split(«string»)"),
        *("«string».split(«string», «int»)", "«string».findAll(«$patterns»)", "«string».findAll(«$patterns», «int»)", "«strings».sort()"),
    ],
    "map": [
        *(
            '{"a": 1}',
            "{}",
            '{"a": 1, "b": 2}',
            "{«string»: «int»}",
            *_pairs("transformMap", "int"),
            *_pairs("transformMap", "int", filtered=True),
        ),
        *(
            "«list».transformMapEntry(k, v, {v: v})",
            "«list».transformMapEntry(k, v, {string(v): k})",
            '{?"a": «optional», "b": «int»}',
            "«bound map»",
        ),
    ],
    "optional": [
        *(
            f"{_A}.?«=fields»",
            "optional.none()",
            "optional.of(«int»)",
            "optional.ofNonZeroValue(«int»)",
            "«list»[?«int»]",
            "«map»[?«string»]",
        ),
        *(
            "«map».?a",
            "«dyn».?a",
            "«dyn».?a.b",
            "«optional».or(«optional»)",
            "«list».first()",
            "«list».last()",
            "(«bool» ? «optional» : «optional»)",
        ),
        *("«optional».optMap(x, «int x:int»)", "«optional».optFlatMap(x, «optional x:int»)"),
    ],
    "quantity": [
        *("quantity(«$quantities»)", f"{_C}.memory", f'{_C}.?nope.orValue(quantity("0"))', "«quantity».add(«quantity|int»)"),
        *("«quantity».sub(«quantity|int»)", "«bound quantity»"),
    ],
    "semver": ["semver(«$versions»)", "semver(«$versions», true)", f"{_A}.ver"],
    "duration": [
        *(
            'duration("1h")',
            "duration(«$durations»)",
            "(«duration» + «duration»)",
            "(«duration» - «duration»)",
            "(«timestamp» - «timestamp»)",
        ),
        "duration(«string»)",
    ],
    "timestamp": [
        *('timestamp("2020-01-01T00:00:00Z")', "timestamp(«$times»)", "(«timestamp» + «duration»)", "(«timestamp» - «duration»)"),
        *("(«duration» + «timestamp»)", "timestamp(«int»)", "timestamp(«string»)"),
    ],
    "null": ["null"],
    "domains": ["device.attributes", "device.capacity", _A, 'device.attributes["nope"]'],
    "dyn": [
        *(f"{_A}.«=fields»", f"{_A}[«$fields»]", "device.attributes[device.driver].«=fields»", "dyn(«any»)", "dyn(«optional|domains»)"),
        *("«dyn»[«dyn»]", "«domains»[«string»]", "(«dyn» + «dyn»)", "(«dyn» - «dyn»)", "-(«dyn»)", "(«dyn» ? «dyn» : «dyn»)"),
        *("(«bool» ? «dyn» : «map»).a", "«dyn».orValue(«dyn»)", "«dyn».sort()", "«dyn».max()", "«dyn|map».a", "«dyn».model", "«bound dyn»"),
        *_macros("map", body="dyn"),
    ],
    **{
        f"bound {kind}": [f"cel.bind(y, «{value}», «{kind} y:{value}»)" for value in _KINDS]
        for kind in ("bool", "int", "string", "list", "map", "quantity", "dyn")
    },
}
