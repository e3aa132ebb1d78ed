"""Numbers as people read them: the same digits and words on pages, in figures, notebooks and on the command line."""

import datetime as dt
import math
from fractions import Fraction

from rrcore.errors import InputError

MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
]  # fmt: skip


def minus(text: str) -> str:
    """A number that was written with a hyphen, with the sign that figures have: "-1.5" -> "−1.5". Files keep the hyphen."""
    return text.replace("-", "\N{MINUS SIGN}")


def count_text(number: int) -> str:
    """2201 -> "2,201"."""
    return f"{number:,}"


def counted(number: int, one: str, many: str) -> str:
    """1 -> "1 attribute", 4 -> "4 attributes"."""
    return f"{number:,} {one if number == 1 else many}"


_NARROW = 1e-6  # points, half the width of an interval that is none
_LEAST = 0.001  # percent; less is said to be so
_LEAST_FACTOR = 0.001  # likewise
_NOISE = 1e-13  # what arithmetic leaves of a share of 0: sums of a few hundred numbers up to 1 are no more exact


def percent(share: float) -> str:
    """A probability or share as percent: one decimal, or three significant digits below 1 %; "unknown" if it is not finite.

    What rounding leaves of 0 is 0.

    Examples
    --------
    >>> percent(0.123), percent(0.000123), percent(1e-9)
    ('12.3 %', '0.0123 %', '< 0.001 %')
    """
    if not math.isfinite(share):
        return "unknown"
    value = 100 * share if abs(share) >= _NOISE else 0.0
    if 0 < value < _LEAST:
        return f"< {_LEAST} %"
    if _LEAST <= abs(value) < 1:
        return minus(f"{value:.3g} %")
    return minus(f"{round(value, 1) + 0.0:.1f} %") if not 99.95 <= value < 100 else "> 99.9 %"


def decimals(low: float, high: float) -> int | None:
    """Decimals, in percent, that an interval of shares supports; None where its ends are the same, or are not finite.

    The last one stands for less than a third of half its width, as the Particle Data Group rounds ("Review of Particle Physics", 5.3).

    Examples
    --------
    >>> decimals(0.1, 0.3), decimals(0.38, 0.4), decimals(0.38, 0.382)
    (0, 1, 2)
    """
    half = 50 * (high - low)
    if not (math.isfinite(half) and half >= _NARROW):
        return None
    return max(0, math.ceil(-math.log10(half / 3.55)))


def share_text(value: float, low: float, high: float) -> str:
    """An estimated share as percent, with the digits that its interval supports.

    Examples
    --------
    >>> share_text(0.3891, 0.28, 0.5), share_text(0.3891, 0.377, 0.401)
    ('39 %', '38.9 %')
    """
    digits = decimals(low, high)
    return (
        percent(value)
        if digits is None or not math.isfinite(value)
        else minus(f"{round(100 * value, digits) + 0.0:.{digits}f} %")
    )


def interval_text(low: float, high: float) -> str:
    """The ends of an interval of shares, with the digits that it supports: "1.2 % to 3.4 %"."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return "unknown"
    return f"{share_text(low, low, high)} to {share_text(high, low, high)}"


def range_text(low: float, high: float) -> str:
    """An interval beside a share that has its unit: "14.1 to 16.4"."""
    return interval_text(low, high).replace(" %", "")


def points(error: float) -> str:
    """An error of a share in percentage points: 0.0123 -> "1.2 points", three significant digits below 1."""
    value = 100 * error
    if not math.isfinite(value):
        return "not identifiable"
    if value >= 1000:
        return f"{value:,.0f} points"
    if value >= 0.1:
        return f"{value:.1f} points" if value >= 1 else f"{value:.2f} points"
    return f"{amount_text(value, 2)} points"


def amount_text(value: float, digits: int = 3) -> str:
    """A number with some significant digits, never with a power of ten: 25361.4 -> "25,361", 0.0123456 -> "0.0123"."""
    if not math.isfinite(value):
        return "unknown"
    decimals = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    return minus(f"{value + 0.0:,.{min(max(decimals, 0), 12)}f}")


def amount_range_text(value: float, low: float, high: float) -> str:
    """An estimated amount and its 95 % interval, with the digits that this supports, by the rule of ``decimals``.

    Examples
    --------
    >>> amount_range_text(2.4402, 1.4951, 3.9834), amount_range_text(25361.4, 24012.0, 26711.0)
    ('2.4 (1.5 to 4.0)', '25,361 (24,012 to 26,711)')
    """
    half = (high - low) / 2
    if not (math.isfinite(half) and half > 0):
        return amount_text(value) + (" (unknown range)" if half else "")
    digits = min(max(0, math.ceil(-math.log10(half / 3.55))), 12)
    middle, *ends = (
        minus(f"{round(each, digits) + 0.0:,.{digits}f}") if math.isfinite(each) else "unknown" for each in (value, low, high)
    )
    return f"{middle} ({' to '.join(ends)})"


def factor_range_text(value: float, low: float, high: float) -> str:
    """A factor above 0 and its 95 % interval, written as ``amount_range_text`` does, but none as 0: times 0 would leave nothing.

    Examples
    --------
    >>> factor_range_text(2.4402, 1.4951, 3.9834), factor_range_text(0.2466, 0.0052, 11.2)
    ('2.4 (1.5 to 4.0)', '0.2 (0.005 to 11)')
    """
    text = amount_range_text(value, low, high)
    if not (math.isfinite(value) and math.isfinite(high) and low < high):
        return text
    written = text.removesuffix(")").replace(" (", " to ").split(" to ")
    middle, *ends = (
        one
        if each <= 0 or float(one.replace(",", ""))
        else amount_text(each, 1)
        if each >= _LEAST_FACTOR
        else f"below {_LEAST_FACTOR}"
        for each, one in zip((value, low, high), written, strict=True)
    )
    return f"{middle} ({' to '.join(ends)})"


def date_text(day: dt.date, today: dt.date | None = None) -> str:
    """A day as people write it: "4 December 2026"; without the year where it is that of ``today``."""
    year = "" if today is not None and day.year == today.year else f" {day.year}"
    return f"{day.day} {MONTHS[day.month - 1]}{year}"


def level_text(eps: float) -> str:
    """A level in nats with two decimals, more only where they would all be 0."""
    return f"{eps:.2f}" if eps >= 0.1 else f"{eps:.2g}"


def total_text(eps: float) -> str:
    """A budget in nats, rounded up to two decimals (by more than 1e-11): a promise is not made smaller by printing it."""
    return f"{math.ceil(eps * 100 - 1e-9) / 100:.2f}"


def written_total_text(nats: str) -> str:
    """A total as a certificate writes it, with nine decimals, as people read it: "1.609437913" -> "1.61"; "unbounded" stays."""
    return nats if nats == "unbounded" else total_text(float(nats))


def odds_text(eps: float) -> str:
    """The factor e^eps by which odds can move, rounded up to three significant digits: 7.82 -> "2,490"."""
    power = math.floor(eps / math.log(10))
    lead = math.ceil(100 * math.exp(eps - power * math.log(10)) - 1e-7) / 100
    if power >= 9:
        return f"{lead:.2f} × 10^{power}"
    factor = lead * 10**power
    if factor >= 1e6:
        return f"{factor / 1e6:.3g} million"
    if factor >= 100:
        return f"{factor:,.0f}"
    return f"{factor:.1f}" if factor >= 10 else f"{factor:.2f}"


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def tick_text(number: float) -> str:
    """A whole number at an axis, powers of ten from a million on as such, since they are wide.

    Examples
    --------
    >>> [tick_text(number) for number in (5, 1000, 10_000, 1e7)]
    ['5', '1,000', '10,000', '10⁷']
    """
    power = round(math.log10(number))
    return f"10{str(power).translate(_RAISED)}" if power > 5 and number == 10**power else f"{number:,.0f}"


def exact_odds_text(ratio: Fraction) -> str:
    """``odds_text`` of ln ``ratio``: of an exact factor, at least 1, by which odds can move."""
    return odds_text(math.log(ratio.numerator) - math.log(ratio.denominator))  # no float holds every fraction


def saving_text(share: float) -> str:
    """Part of a budget saved: 0.57 -> "57 % less", -0.2 -> "20 % more"."""
    whole = round(100 * abs(share))
    if whole == 0:
        return "the same"
    return f"{whole} % {'less' if share > 0 else 'more'}"


def strength_range_text(low: float, high: float, digits: int = 3) -> str:
    """An interval of how strongly attributes go together, from 0 to 1; one that rounds to nothing but 0 is said to be below the last digit.

    Examples
    --------
    >>> strength_range_text(0.1234, 0.2), strength_range_text(0.0, 0.0004), strength_range_text(0.0, 0.004, 2)
    ('0.123 to 0.200', 'below 0.001', 'below 0.01')
    """
    text = f"{low:.{digits}f} to {high:.{digits}f}"
    return text if float(f"{high:.{digits}f}") else f"below {10**-digits:.{digits}f}"


def p_text(value: float) -> str:
    """A p-value; what is too small to matter is not told in digits."""
    return "below 0.0001" if value < 1e-4 else f"{value:.4f}"


def times_text(ratio: float) -> str:
    """An error, as a ratio above 1, before "less accurately": 20.2 -> "20 times", 1.24 -> "24 %"."""
    if ratio >= 9.95:
        return f"{ratio:,.0f} times"
    return f"{ratio:.1f} times" if ratio >= 1.95 else f"{max(100 * (ratio - 1), 0.1):.{0 if ratio >= 1.01 else 1}f} %"


def read_numbers(text: str) -> list[float]:
    """ "500, 2000" -> [500.0, 2000.0]. Raises InputError for an entry that is not a number."""
    found = []
    for part in text.split(","):
        try:
            found.append(float(part))
        except ValueError as error:
            raise InputError(
                f"'{part.strip()[:40]}' is not a number: give numbers separated by commas, for example 1, 2, 4."
            ) from error
    return found
