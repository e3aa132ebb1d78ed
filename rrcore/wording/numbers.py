"""Numbers as text, with the same digits and words everywhere."""

import datetime as dt
import math
from fractions import Fraction

from rrcore.errors import InputError

MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
]  # fmt: skip


def minus(text: str) -> str:
    """Replace the hyphen of a number by a minus sign: "-1.5" -> "−1.5".

    Files keep the hyphen.
    """
    return text.replace("-", "\N{MINUS SIGN}")


def count_text(number: int) -> str:
    """Return a count with separators: 2201 -> "2,201"."""
    return f"{number:,}"


def counted(number: int, one: str, many: str) -> str:
    """Return a count with its noun: 1 -> "1 attribute", 4 -> "4 attributes"."""
    return f"{number:,} {one if number == 1 else many}"


_NARROW = 1e-6  # percentage points. A narrower interval is a single number.
_LEAST = 0.001  # percent. Anything less is printed as "< 0.001%".
_LEAST_FACTOR = 0.001
_NOISE = 1e-13  # rounding error of a share of 0 that is a sum of a few hundred numbers


def percent(share: float) -> str:
    """Return a probability or share as percent.

    The text has one decimal, or three significant digits below 1%. It is "unknown" if the number is not finite. A rounding
    error of 0 counts as 0.

    Examples
    --------
    >>> percent(0.123), percent(0.000123), percent(1e-9)
    ('12.3%', '0.0123%', '< 0.001%')
    """
    if not math.isfinite(share):
        return "unknown"
    value = 100 * share if abs(share) >= _NOISE else 0.0
    if 0 < value < _LEAST:
        return f"< {_LEAST}%"
    if _LEAST <= abs(value) < 1:
        return minus(f"{value:.3g}%")
    return minus(f"{round(value, 1) + 0.0:.1f}%") if not 99.95 <= value < 100 else "> 99.9%"


def decimals(low: float, high: float) -> int | None:
    """Return the number of decimals, in percent, for an interval of shares.

    None if its ends are equal or not finite.

    A unit of the last decimal is less than a third of half the width. This follows the Particle Data Group ("Review of Particle
    Physics", 5.3).

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
    """Return an estimated share as percent, with the digits that its interval supports.

    Examples
    --------
    >>> share_text(0.3891, 0.28, 0.5), share_text(0.3891, 0.377, 0.401)
    ('39%', '38.9%')
    """
    digits = decimals(low, high)
    return (
        percent(value) if digits is None or not math.isfinite(value) else minus(f"{round(100 * value, digits) + 0.0:.{digits}f}%")
    )


def interval_text(low: float, high: float) -> str:
    """Return the ends of an interval of shares: "1.2% to 3.4%".

    The interval determines the number of digits.
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return "unknown"
    return f"{share_text(low, low, high)} to {share_text(high, low, high)}"


def range_text(low: float, high: float) -> str:
    """Return an interval without units, to print next to its share: "14.1 to 16.4"."""
    return interval_text(low, high).replace("%", "")


def estimate_text(share: float, low: float, high: float) -> str:
    """Return a share and its 95% interval: "38.9% (37.7 to 40.1)".

    The interval determines the number of digits.
    """
    return f"{share_text(share, low, high)} ({range_text(low, high)})"


def margin_text(margin: float) -> str:
    """Return the margin of error of a share: 0.0123 -> "±1.2 points".

    All margins that cover the whole range have the same text.
    """
    if not math.isfinite(margin):
        return "cannot be estimated"
    return f"±{points(margin)}" if margin < 1 else "±100 points or more"


def points(error: float, unit: str = "points") -> str:
    """Return an error of a share in percentage points: 0.0123 -> "1.2 points".

    Errors below 1 have two significant digits. Sentences use the ``unit`` "percentage points".
    """
    value = 100 * error
    if not math.isfinite(value):
        return "not identifiable"
    if value >= 1000:
        return f"{value:,.0f} {unit}"
    if value >= 0.1:
        return f"{value:.1f} {unit}" if value >= 1 else f"{value:.2f} {unit}"
    return f"{amount_text(value, 2)} {unit}"


def amount_text(value: float, digits: int = 3) -> str:
    """Return a number with some significant digits: 0.0123456 -> "0.0123".

    The text never has a power of ten: 25361.4 -> "25,361".
    """
    if not math.isfinite(value):
        return "unknown"
    decimals = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    return minus(f"{value + 0.0:,.{min(max(decimals, 0), 12)}f}")


def amount_range_text(value: float, low: float, high: float) -> str:
    """Return an estimate and its 95% interval.

    The interval determines the number of digits by the rule of ``decimals``.

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
    """Return a factor above 0 and its 95% interval as ``amount_range_text`` does.

    None of the three numbers is printed as 0.

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
    """Return a date such as "4 December 2026".

    The year is omitted if it is the year of ``today``.
    """
    year = "" if today is not None and day.year == today.year else f" {day.year}"
    return f"{day.day} {MONTHS[day.month - 1]}{year}"


def epsilon_text(eps: float) -> str:
    """Return an ε with two decimals, or two significant digits below 0.1."""
    return f"{eps:.2f}" if eps >= 0.1 else f"{eps:.2g}"


def total_text(eps: float) -> str:
    """Return an ε rounded up to two decimals.

    A printed limit is therefore never too small. Rounding errors below 1e-6 are ignored.
    """
    return f"{math.ceil(round(eps, 6) * 100 - 1e-9) / 100:.2f}"


def eps_text(eps: float) -> str:
    """Return an ε with one decimal, or two significant digits below 1.

    Whole numbers have no decimal.

    Examples
    --------
    >>> eps_text(0.8), eps_text(2.551), eps_text(2.96), eps_text(4.0), eps_text(0.0812)
    ('0.8', '2.6', '3.0', '4', '0.081')
    """
    if eps >= 1 or eps <= 0:
        return f"{eps:,.0f}" if abs(eps - round(eps)) < 1e-9 else f"{eps:,.1f}"
    return f"{eps:.2g}"


def written_total_text(nats: str) -> str:
    """Return the ε of a certificate with two decimals: "1.609437913" -> "1.61".

    The text "unbounded" is unchanged.
    """
    return nats if nats == "unbounded" else total_text(float(nats))


def odds_text(eps: float) -> str:
    """Return the factor e^ε by which odds can shift: 7.82 -> "2,490".

    The factor is rounded up to three significant digits.
    """
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
    """Return a whole number for an axis.

    Powers of ten from a million on are printed as powers to save space.

    Examples
    --------
    >>> [tick_text(number) for number in (5, 1000, 10_000, 1e7)]
    ['5', '1,000', '10,000', '10⁷']
    """
    power = round(math.log10(number))
    return f"10{str(power).translate(_RAISED)}" if power > 5 and number == 10**power else f"{number:,.0f}"


def exact_odds_text(ratio: Fraction) -> str:
    """Return ``odds_text`` of an exact factor, at least 1."""
    return odds_text(math.log(ratio.numerator) - math.log(ratio.denominator))  # no float holds every fraction


def factor_text(amount: float) -> str:
    """Return the factor e^ε by which odds can shift, rounded up: 7.82 -> "2,490×".

    The text is "no bound" if the factor is infinite.
    """
    return f"{odds_text(amount)}×" if amount < math.inf else "no bound"


def saving_text(share: float) -> str:
    """Return the saved part of a privacy budget: 0.57 -> "57% less", -0.2 -> "20% more"."""
    whole = round(100 * abs(share))
    if whole == 0:
        return "the same"
    return f"{whole}% {'less' if share > 0 else 'more'}"


def strength_range_text(low: float, high: float, digits: int = 3) -> str:
    """Return an interval of Cramér's V.

    An interval that rounds to 0 is printed as below the last digit.

    Examples
    --------
    >>> strength_range_text(0.1234, 0.2), strength_range_text(0.0, 0.0004), strength_range_text(0.0, 0.004, 2)
    ('0.123 to 0.200', 'below 0.001', 'below 0.01')
    """
    text = f"{low:.{digits}f} to {high:.{digits}f}"
    return text if float(f"{high:.{digits}f}") else f"below {10**-digits:.{digits}f}"


def p_text(value: float) -> str:
    """Return a p-value with four decimals, or "below 0.0001"."""
    return "below 0.0001" if value < 1e-4 else f"{value:.4f}"


def times_text(ratio: float) -> str:
    """Return a ratio of errors above 1, to print before "less accurate": 20.2 -> "20 times", 1.24 -> "24%"."""
    if ratio >= 9.95:
        return f"{ratio:,.0f} times"
    return f"{ratio:.1f} times" if ratio >= 1.95 else f"{max(100 * (ratio - 1), 0.1):.{0 if ratio >= 1.01 else 1}f}%"


def read_numbers(text: str) -> list[float]:
    """Return the numbers of a list: "500, 2000" -> [500.0, 2000.0].

    Raises
    ------
    InputError
        If an entry is not a number.
    """
    found = []
    for part in text.split(","):
        try:
            found.append(float(part))
        except ValueError as error:
            raise InputError(
                f"'{part.strip()[:40]}' is not a number. Enter numbers separated by commas, for example 1, 2, 4."
            ) from error
    return found
