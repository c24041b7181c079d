"""The table of functions and signatures. How it is read: see declarations.py."""


def _compared(symbol: str, name: str) -> str:
    """An order operator, over equal types and over numbers of two types."""
    pairs = (
        ("bool", "bool", "bool"),
        ("int", "int", "int64"),
        ("int", "double", "int64_double"),
        ("int", "uint", "int64_uint64"),
        ("uint", "uint", "uint64"),
        ("uint", "double", "uint64_double"),
        ("uint", "int", "uint64_int64"),
        ("double", "double", "double"),
        ("double", "int", "double_int64"),
        ("double", "uint", "double_uint64"),
        ("string", "string", "string"),
        ("bytes", "bytes", "bytes"),
        ("timestamp", "timestamp", "timestamp"),
        ("duration", "duration", "duration"),
    )
    return symbol + "\n" + "\n".join(f"  {name}_{kind}: ({left}, {right}) -> bool" for left, right, kind in pairs) + "\n"


def _timed(function: str, name: str, *, of_duration: bool = False) -> str:
    """A part of a timestamp, in UTC or in a zone; some are parts of a duration too."""
    lines = [
        function,
        f"  timestamp_to_{name}: timestamp.() -> int",
        f"  timestamp_to_{name}_with_tz: timestamp.(string) -> int",
    ]
    if of_duration:
        lines.append(f"  duration_to_{name}: duration.() -> int")
    return "\n".join(lines) + "\n"


_STANDARD = """
_?_:_
  conditional: (bool, A, A) -> A
_&&_
  logical_and: (bool, bool) -> bool
_||_
  logical_or: (bool, bool) -> bool
!_
  logical_not: (bool) -> bool
@not_strictly_false
  not_strictly_false: (bool) -> bool
_==_
  equals: (A, A) -> bool
_!=_
  not_equals: (A, A) -> bool
_+_
  add_bytes: (bytes, bytes) -> bytes
  add_double: (double, double) -> double
  add_duration_duration: (duration, duration) -> duration
  add_duration_timestamp: (duration, timestamp) -> timestamp
  add_timestamp_duration: (timestamp, duration) -> timestamp
  add_int64: (int, int) -> int
  add_list: (list<A>, list<A>) -> list<A>
  add_string: (string, string) -> string
  add_uint64: (uint, uint) -> uint
_/_
  divide_double: (double, double) -> double
  divide_int64: (int, int) -> int
  divide_uint64: (uint, uint) -> uint
_%_
  modulo_int64: (int, int) -> int
  modulo_uint64: (uint, uint) -> uint
_*_
  multiply_double: (double, double) -> double
  multiply_int64: (int, int) -> int
  multiply_uint64: (uint, uint) -> uint
-_
  negate_double: (double) -> double
  negate_int64: (int) -> int
_-_
  subtract_double: (double, double) -> double
  subtract_duration_duration: (duration, duration) -> duration
  subtract_int64: (int, int) -> int
  subtract_timestamp_duration: (timestamp, duration) -> timestamp
  subtract_timestamp_timestamp: (timestamp, timestamp) -> duration
  subtract_uint64: (uint, uint) -> uint
_[_]
  index_list: (list<A>, int) -> A
  index_map: (map<A, B>, A) -> B
  optional_list_index_int: (optional<list<V>>, int) -> optional<V>
  optional_map_index_value: (optional<map<K, V>>, K) -> optional<V>
@in
  in_list: (A, list<A>) -> bool
  in_map: (A, map<A, B>) -> bool
size
  size_bytes: (bytes) -> int
  bytes_size: bytes.() -> int
  size_list: (list<A>) -> int
  list_size: list<A>.() -> int
  size_map: (map<A, B>) -> int
  map_size: map<A, B>.() -> int
  size_string: (string) -> int
  string_size: string.() -> int
type
  type: (A) -> type<A>
bool
  bool_to_bool: (bool) -> bool
  string_to_bool: (string) -> bool
bytes
  bytes_to_bytes: (bytes) -> bytes
  string_to_bytes: (string) -> bytes
double
  double_to_double: (double) -> double
  int64_to_double: (int) -> double
  string_to_double: (string) -> double
  uint64_to_double: (uint) -> double
duration
  duration_to_duration: (duration) -> duration
  string_to_duration: (string) -> duration
dyn
  to_dyn: (A) -> dyn
int
  int64_to_int64: (int) -> int
  double_to_int64: (double) -> int
  duration_to_int64: (duration) -> int
  string_to_int64: (string) -> int
  timestamp_to_int64: (timestamp) -> int
  uint64_to_int64: (uint) -> int
string
  string_to_string: (string) -> string
  bool_to_string: (bool) -> string
  bytes_to_string: (bytes) -> string
  double_to_string: (double) -> string
  duration_to_string: (duration) -> string
  int64_to_string: (int) -> string
  timestamp_to_string: (timestamp) -> string
  uint64_to_string: (uint) -> string
  ip_to_string: (IP) -> string
  cidr_to_string: (CIDR) -> string
timestamp
  timestamp_to_timestamp: (timestamp) -> timestamp
  int64_to_timestamp: (int) -> timestamp
  string_to_timestamp: (string) -> timestamp
uint
  uint64_to_uint64: (uint) -> uint
  double_to_uint64: (double) -> uint
  int64_to_uint64: (int) -> uint
  string_to_uint64: (string) -> uint
contains
  contains_string: string.(string) -> bool
endsWith
  ends_with_string: string.(string) -> bool
startsWith
  starts_with_string: string.(string) -> bool
matches
  matches: (string, string) -> bool
  matches_string: string.(string) -> bool
"""

_OPTIONALS = """
optional.of
  optional_of: (V) -> optional<V>
optional.ofNonZeroValue
  optional_ofNonZeroValue: (V) -> optional<V>
optional.none
  optional_none: () -> optional<V>
value
  optional_value: optional<V>.() -> V
hasValue
  optional_hasValue: optional<V>.() -> bool
or
  optional_or_optional: optional<V>.(optional<V>) -> optional<V>
orValue
  optional_orValue_value: optional<V>.(V) -> V
_?._
  select_optional_field: (dyn, string) -> optional<V>
_[?_]
  list_optindex_optional_int: (list<V>, int) -> optional<V>
  optional_list_optindex_optional_int: (optional<list<V>>, int) -> optional<V>
  map_optindex_optional_value: (map<K, V>, K) -> optional<V>
  optional_map_optindex_optional_value: (optional<map<K, V>>, K) -> optional<V>
last
  list_last: list<V>.() -> optional<V>
first
  list_first: list<V>.() -> optional<V>
optional.unwrap
  optional_unwrap: (list<optional<V>>) -> list<V>
unwrapOpt
  optional_unwrapOpt: list<optional<V>>.() -> list<V>
"""

_COLLECTIONS = """
slice
  list_slice: list<T>.(int, int) -> list<T>
flatten
  list_flatten: list<list<T>>.() -> list<T>
  list_flatten_int: list<dyn>.(int) -> list<dyn>
sort
  list_$$_sort: list<@comparable>.() -> list<@comparable>
@sortByAssociatedKeys
  list_$$_sortByAssociatedKeys: list<T>.(list<@comparable>) -> list<T>
lists.range
  lists_range: (int) -> list<int>
reverse
  list_reverse: list<T>.() -> list<T>
distinct
  list_distinct: list<T>.() -> list<T>
sets.contains
  list_sets_contains_list: (list<T>, list<T>) -> bool
sets.equivalent
  list_sets_equivalent_list: (list<T>, list<T>) -> bool
sets.intersects
  list_sets_intersects_list: (list<T>, list<T>) -> bool
cel.@mapInsert
  @mapInsert_map_key_value: (map<K, V>, K, V) -> map<K, V>
  @mapInsert_map_map: (map<K, V>, map<K, V>) -> map<K, V>
isSorted
  list_$_is_sorted_bool: list<@comparable>.() -> bool
sum
  list_$_sum_$: list<@summable>.() -> @summable
max
  list_$_max_$: list<@comparable>.() -> @comparable
min
  list_$_min_$: list<@comparable>.() -> @comparable
includes
  list_includes_dyn_dyn: dyn.(dyn) -> bool
"""

_STRINGS = """
charAt
  string_char_at_int: string.(int) -> string
indexOf
  string_index_of_string: string.(string) -> int
  string_index_of_string_int: string.(string, int) -> int
  list_a_index_of_int: list<A>.(A) -> int
lastIndexOf
  string_last_index_of_string: string.(string) -> int
  string_last_index_of_string_int: string.(string, int) -> int
  list_a_last_index_of_int: list<A>.(A) -> int
lowerAscii
  string_lower_ascii: string.() -> string
replace
  string_replace_string_string: string.(string, string) -> string
  string_replace_string_string_int: string.(string, string, int) -> string
split
  string_split_string: string.(string) -> list<string>
  string_split_string_int: string.(string, int) -> list<string>
substring
  string_substring_int: string.(int) -> string
  string_substring_int_int: string.(int, int) -> string
trim
  string_trim: string.() -> string
upperAscii
  string_upper_ascii: string.() -> string
format
  string_format: string.(list<dyn>) -> string
strings.quote
  strings_quote: (string) -> string
join
  list_join: list<string>.() -> string
  list_join_string: list<string>.(string) -> string
find
  string_find_string: string.(string) -> string
findAll
  string_find_all_string: string.(string) -> list<string>
  string_find_all_string_int: string.(string, int) -> list<string>
"""

_KUBERNETES = """
quantity
  string_to_quantity: (string) -> Quantity
isQuantity
  is_quantity_string: (string) -> bool
sign
  quantity_sign: (Quantity) -> int
isGreaterThan
  quantity_is_greater_than: Quantity.(Quantity) -> bool
  semver_is_greater_than: Semver.(Semver) -> bool
isLessThan
  quantity_is_less_than: Quantity.(Quantity) -> bool
  semver_is_less_than: Semver.(Semver) -> bool
compareTo
  quantity_compare_to: Quantity.(Quantity) -> int
  semver_compare_to: Semver.(Semver) -> int
asApproximateFloat
  quantity_get_float: Quantity.() -> double
asInteger
  quantity_get_int: Quantity.() -> int
isInteger
  quantity_is_integer: Quantity.() -> bool
add
  quantity_add: Quantity.(Quantity) -> Quantity
  quantity_add_int: Quantity.(int) -> Quantity
sub
  quantity_sub: Quantity.(Quantity) -> Quantity
  quantity_sub_int: Quantity.(int) -> Quantity
semver
  string_to_semver: (string) -> Semver
  string_bool_to_semver: (string, bool) -> Semver
isSemver
  is_semver_string: (string) -> bool
  is_semver_string_bool: (string, bool) -> bool
major
  semver_major: Semver.() -> int
minor
  semver_minor: Semver.() -> int
patch
  semver_patch: Semver.() -> int
url
  string_to_url: (string) -> URL
isURL
  is_url_string: (string) -> bool
getScheme
  url_get_scheme: URL.() -> string
getHost
  url_get_host: URL.() -> string
getHostname
  url_get_hostname: URL.() -> string
getPort
  url_get_port: URL.() -> string
getEscapedPath
  url_get_escaped_path: URL.() -> string
getQuery
  url_get_query: URL.() -> map<string, list<string>>
ip
  string_to_ip: (string) -> IP
  cidr_ip: CIDR.() -> IP
family
  ip_family: IP.() -> int
ip.isCanonical
  ip_is_canonical: (string) -> bool
isUnspecified
  ip_is_unspecified: IP.() -> bool
isLoopback
  ip_is_loopback: IP.() -> bool
isLinkLocalMulticast
  ip_is_link_local_multicast: IP.() -> bool
isLinkLocalUnicast
  ip_is_link_local_unicast: IP.() -> bool
isGlobalUnicast
  ip_is_global_unicast: IP.() -> bool
isIP
  is_ip: (string) -> bool
cidr
  string_to_cidr: (string) -> CIDR
containsIP
  cidr_contains_ip_string: CIDR.(string) -> bool
  cidr_contains_ip_ip: CIDR.(IP) -> bool
containsCIDR
  cidr_contains_cidr_string: CIDR.(string) -> bool
  cidr_contains_cidr: CIDR.(CIDR) -> bool
prefixLength
  cidr_prefix_length: CIDR.() -> int
masked
  cidr_masked: CIDR.() -> CIDR
isCIDR
  is_cidr: (string) -> bool
validate
  format-validate: Format.(string) -> optional<list<string>>
format.named
  format-named: (string) -> optional<Format>
"""

FORMATS = (
    "dns1123Label",
    "dns1123Subdomain",
    "dns1035Label",
    "qualifiedName",
    "dns1123LabelPrefix",
    "dns1123SubdomainPrefix",
    "dns1035LabelPrefix",
    "labelValue",
    "uri",
    "uuid",
    "byte",
    "date",
    "datetime",
)
"""The named formats (apiserver: pkg/cel/library/format.go)."""

_FORMATS = "".join(f"format.{name}\n  format.{name}: () -> Format\n" for name in FORMATS)

_AUTHORIZER = """
path
  authorizer_path: kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.PathCheck
group
  authorizer_group: kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.GroupCheck
serviceAccount
  authorizer_serviceaccount: kubernetes.authorization.Authorizer.(string, string) -> kubernetes.authorization.Authorizer
resource
  groupcheck_resource: kubernetes.authorization.GroupCheck.(string) -> kubernetes.authorization.ResourceCheck
subresource
  resourcecheck_subresource: kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck
namespace
  resourcecheck_namespace: kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck
name
  resourcecheck_name: kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck
check
  pathcheck_check: kubernetes.authorization.PathCheck.(string) -> kubernetes.authorization.Decision
  resourcecheck_check: kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.Decision
errored
  decision_errored: kubernetes.authorization.Decision.() -> bool
error
  decision_error: kubernetes.authorization.Decision.() -> string
allowed
  decision_allowed: kubernetes.authorization.Decision.() -> bool
reason
  decision_reason: kubernetes.authorization.Decision.() -> string
fieldSelector
  authorizer_fieldselector: kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck
labelSelector
  authorizer_labelselector: kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck
"""

LIBRARY = "".join(
    (
        _STANDARD,
        _compared("_<_", "less"),
        _compared("_<=_", "less_equals"),
        _compared("_>_", "greater"),
        _compared("_>=_", "greater_equals"),
        _timed("getFullYear", "year"),
        _timed("getMonth", "month"),
        _timed("getDayOfYear", "day_of_year"),
        _timed("getDayOfMonth", "day_of_month"),
        _timed("getDate", "day_of_month_1_based"),
        _timed("getDayOfWeek", "day_of_week"),
        _timed("getHours", "hours", of_duration=True),
        _timed("getMinutes", "minutes", of_duration=True),
        _timed("getSeconds", "seconds", of_duration=True),
        _timed("getMilliseconds", "milliseconds", of_duration=True),
        _OPTIONALS,
        _COLLECTIONS,
        _STRINGS,
        _KUBERNETES,
        _FORMATS,
        _AUTHORIZER,
    )
)
