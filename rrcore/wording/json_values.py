"""Values as JSON has them: it knows neither infinity nor NaN."""

import math
from typing import Any


def finite(value: Any) -> Any:
    """``value`` with None in place of what is infinite or NaN, also in lists, tuples (which become lists) and dicts.

    Examples
    --------
    >>> finite({"share": 0.5, "interval": (0.25, float("inf"))})
    {'share': 0.5, 'interval': [0.25, None]}
    """
    if isinstance(value, dict):
        return {name: finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def fields_of(value: object, names: str) -> dict[str, Any]:
    """The fields of ``value`` that ``names`` lists, with spaces between them, as ``finite`` has them.

    Examples
    --------
    >>> from fractions import Fraction
    >>> fields_of(Fraction(3, 4), "numerator denominator")
    {'numerator': 3, 'denominator': 4}
    """
    return {name: finite(getattr(value, name)) for name in names.split()}
