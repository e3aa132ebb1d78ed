"""A channel about which something more is known: what it shares with the one that it is made of."""

from __future__ import annotations

from dataclasses import dataclass

from rrcore.arrays import Floats
from rrcore.channel.base import Channel


@dataclass(frozen=True, eq=False)
class WrappedChannel(Channel):
    """``whole`` with the same categories, reports and erased interactions; what is known besides changes how reports are inverted.

    Parameters
    ----------
    whole : Channel
    """

    whole: Channel

    @property
    def sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of categories."""
        return self.whole.sizes

    @property
    def report_sizes(self) -> tuple[int, ...]:
        return self.whole.report_sizes

    @property
    def even(self) -> Floats:
        return self.whole.even

    @property
    def independent(self) -> bool:
        return self.whole.independent

    @property
    def alone(self) -> Channel:
        return self.whole.alone

    @property
    def relative_factors(self) -> Floats:
        return self.whole.relative_factors

    def _lost(self, threshold: float) -> list[tuple[int, ...]]:
        return self.whole._lost(threshold)

    def estimable(self, axis: int) -> tuple[tuple[int, ...], ...]:
        return self.whole.estimable(axis)
