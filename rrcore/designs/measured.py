"""An estimate and its standard error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """An estimate and its standard error.

    Examples
    --------
    >>> [round(end, 3) for end in Measured(0.3, 0.01).interval()]
    [0.28, 0.32]
    """

    value: float
    error: float

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """``value`` plus and minus the normal quantile times ``error``; ends beyond what is possible are left as they are."""
        from scipy.stats import norm

        reach = float(norm.ppf(0.5 + level / 2)) * self.error
        return self.value - reach, self.value + reach
