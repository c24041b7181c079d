"""Go's 64-bit arithmetic with powers of ten, where upstream's answers depend on it (apimachinery pkg/api/resource/math.go)."""

LARGEST = 2**63 - 1


def is_int64(number: int) -> bool:
    """True when it fits."""
    return -LARGEST - 1 <= number <= LARGEST


def wrapped(number: int, bits: int = 64) -> int:
    """Two's complement, as Go's conversions cut it."""
    half = 1 << (bits - 1)
    return (number + half) % (1 << bits) - half


def raised(number: int, power: int) -> int | None:
    """`number` x 10^`power`, or None when that is no int64."""
    if number == 0:
        return 0
    if power > 18:
        return None
    result: int = number * 10**power
    return result if is_int64(result) else None


def divided_up(number: int, power: int) -> int:
    """`number` / 10^`power`, rounded up; `number` is not negative."""
    if number and power > len(str(number)):
        return 1
    divisor: int = 10**power
    return -(-number // divisor)


def without_factors(number: int, factor: int) -> tuple[int, int]:
    """`number` without its factors of `factor`, and how many there were."""
    times = 0
    while number and number % factor == 0:
        number //= factor
        times += 1
    return number, times


def raised_unchecked(number: int, power: int) -> int:
    """`number` x 10^`power` as positiveScaleInt64 gives it (math.go): one multiplication wraps around, a loop of them ends in 0."""
    result = raised(number, power)
    if result is not None:
        return result
    return wrapped(number * 10**power) if power in (1, 2, 3, 6, 9) else 0
