"""Convert values for JSON, which has neither infinity nor NaN."""

import math
from typing import Any


def finite(value: Any) -> Any:
    """Replace infinity and NaN in ``value`` by None.

    Lists, dicts and tuples are converted recursively. Tuples become lists.

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
    """Return the fields of ``value`` that ``names`` lists, converted by ``finite``.

    The names are separated by spaces.

    Examples
    --------
    >>> from fractions import Fraction
    >>> fields_of(Fraction(3, 4), "numerator denominator")
    {'numerator': 3, 'denominator': 4}
    """
    return {name: finite(getattr(value, name)) for name in names.split()}
