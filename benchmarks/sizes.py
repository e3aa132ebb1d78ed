"""How large a benchmark is: as it is meant, or just large enough to see that it runs.

With RR_BENCHMARKS=smallest in the environment every benchmark takes seconds, and its times and ratios mean nothing. Tests run them so.
"""

from __future__ import annotations

import os
from typing import TypeVar

Size = TypeVar("Size")


def size(meant: Size, smallest: Size) -> Size:
    """``meant``, or ``smallest`` where the environment says RR_BENCHMARKS=smallest."""
    return smallest if os.environ.get("RR_BENCHMARKS") == "smallest" else meant
