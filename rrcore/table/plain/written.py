"""Plain values as JSON text."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(value: Any, *, indent: int | None = None, ascii: bool = False) -> str:
    """``value`` as JSON that every reader takes: it has no infinity, so null stands for a number that is not known or has no bound.

    Examples
    --------
    >>> json_text({"low": float("-inf"), "answers": 1})
    '{"low": null, "answers": 1}'
    """
    try:
        return json.dumps(value, ensure_ascii=ascii, indent=indent, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=ascii, indent=indent, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
