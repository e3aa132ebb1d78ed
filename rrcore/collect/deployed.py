"""A mechanism file as the estimators see it: probabilities instead of integers, and a channel for every marginal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from rrcore.channel import Channel, MatrixChannel, side_by_side
from rrcore.channel.liesets import LieSets
from rrcore.collect.certificate import certify, nats
from rrcore.collect.document import MechanismFile
from rrcore.collect.weights import LieWeights, MatrixWeights
from rrcore.mechanisms import Mechanism
from rrcore.mechanisms.blocks import Blocks
from rrcore.mechanisms.listed import Listed

__all__ = ["Deployed"]


@dataclass(frozen=True, eq=False)
class Deployed:
    """How answers were randomised, for reading them.

    Parameters
    ----------
    file : MechanismFile
    """

    file: MechanismFile

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories a_i, one an attribute."""
        return self.file.schema.sizes

    @cached_property
    def _parts(self) -> tuple[tuple[tuple[int, ...], Listed | MatrixChannel], ...]:
        return tuple(
            (places, _listed(weights) if isinstance(weights, LieWeights) else _matrix(weights))
            for places, weights in self.file.groups
        )

    @cached_property
    def symmetric(self) -> Mechanism | None:
        """The same as a mechanism of lie sets; None where an attribute has a matrix of its own."""
        parts = tuple(part for _, part in self._parts if isinstance(part, Listed))
        if len(parts) < len(self._parts):
            return None
        return Blocks(self.sizes, parts, tuple(places for places, _ in self._parts))

    def marginal_channel(self, axes: Sequence[int]) -> Channel:
        """The channel on the marginal over ``axes`` (positions of attributes, in the order wanted)."""
        channels: list[LieSets | MatrixChannel] = []
        found: list[list[int]] = []
        for places, part in self._parts:
            asked = [position for position, i in enumerate(axes) if i in places]
            if asked:
                inner = [places.index(axes[position]) for position in asked]
                channels.append(part if isinstance(part, MatrixChannel) else part.marginal_channel(inner))
                found.append(asked)
        return side_by_side(channels, found)


def _listed(weights: LieWeights) -> Listed:
    promise = certify([(range(len(weights.sizes)), weights)])
    return Listed(
        weights.sizes,
        _share(weights.uniform, weights.whole),
        weights.lying,
        np.array([_share(weight, weights.whole) for _, weight in weights.lies]),
        np.array([np.inf if ratio is None else float(nats(ratio)) for ratio in promise.leakage]),
        np.inf if promise.total is None else float(nats(promise.total)),
    )


def _matrix(weights: MatrixWeights) -> MatrixChannel:
    return MatrixChannel(np.array([[_share(entry, weights.whole) for entry in row] for row in weights.rows]))


def _share(part: int, whole: int) -> float:
    return float(Fraction(part, whole))
