"""What a set of attributes has in common beyond what smaller sets of them say, and how much of what was observed of it is kept.

Theory section 25. Dependence lies mostly along the directions in which the shares themselves vary: frequent categories, and sums of alike
ones. Noise does not, and it is known exactly along each of them, so that every direction is kept to a part of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel import on_each_axis
from rrcore.channel.factors import outer
from rrcore.estimate.smooth import kept_by_wave
from rrcore.estimate.usual import STRENGTHS

POWERS = (1.0, 2.0)
"""The squared length to expect along a direction goes with one of these powers of the variance of the shares along it."""

_LEAST_VARIANCE, _LEAST_NOISE = 1e-9, 1e-3  # of shares along a direction; of noise along it, in means over all
_DECADES, _FINE = (-10, 10), 64  # signal over noise where the strength is 1: powers of ten, and steps for each
_RATIOS = np.linspace(_DECADES[0], _DECADES[1], (_DECADES[1] - _DECADES[0]) * _FINE + 1)
_TOTALS = 1 + np.multiply.outer(STRENGTHS, 10**_RATIOS)  # of signal and noise, in noises, by strength and ratio
_LOGARITHMS, _NOISE_PARTS = np.log(_TOTALS), 1 / _TOTALS


def contrasts(shares: Floats) -> tuple[Floats, Floats]:
    """The directions in which the shares of one attribute vary from sample to sample, and their variance along each for one person.

    Parameters
    ----------
    shares : ndarray of shape (a,)

    Returns
    -------
    variances : ndarray of shape (a - 1,), ascending: the eigenvalues of diag(shares) - shares shares' among vectors that sum to 0
    directions : ndarray of shape (a - 1, a), of length 1, at right angles to each other

    Examples
    --------
    >>> import numpy as np
    >>> variances, directions = contrasts(np.array([0.5, 0.5]))
    >>> variances.round(9).tolist(), np.abs(directions).round(3).tolist()
    ([0.5], [[0.707, 0.707]])
    """
    size = len(shares)
    level = np.eye(size)[1:] - np.tri(size - 1, size, 0) / np.arange(1, size)[:, None]  # Helmert's, each against those before it
    level /= np.linalg.norm(level, axis=1, keepdims=True)
    variances, turned = np.linalg.eigh(level @ (np.diag(shares) - np.outer(shares, shares)) @ level.T)
    return np.maximum(variances, _LEAST_VARIANCE), np.asarray(turned.T @ level)


@dataclass(frozen=True, eq=False)
class Beyond:
    """What was observed of one set of attributes beyond its centre.

    Parameters
    ----------
    centre : ndarray of the sizes of the attributes, the table of largest entropy with the marginals of one order below
    piece : ndarray of that shape, the top interaction of inverted less centre
    noise : variance of the squared length of ``piece``, about these people
    room : g, how large the squared length can be where the strength of dependence is 1
    directions : nu, in how many directions the noise moves
    along : by axis, directions at right angles that sum to 0, ndarray of shape (size - 1, size)
    shapes : ndarray of shape (models, size - 1 of every axis), the part of the signal along each product of these; sums are 1
    noises : ndarray of the shape of one of them, the noise along each; they sum to ``noise``
    ordered : axes whose order may say something
    """

    centre: Floats
    piece: Floats
    noise: float
    room: float
    directions: float
    along: Sequence[Floats]
    shapes: Floats
    noises: Floats
    ordered: tuple[int, ...] = ()

    @classmethod
    def erased(cls, centre: Floats, room: float) -> Beyond:
        """Where nothing can be seen of it, or nobody answered all of them."""
        nothing = np.zeros(1)
        return cls(centre, np.zeros_like(centre), math.inf, room, 1.0, (), nothing[None], nothing)

    @property
    def seen(self) -> bool:
        """Whether there is something to see, and noise in it."""
        return 0 < self.noise < math.inf

    @property
    def square(self) -> float:
        """The squared length of ``piece``."""
        return float((self.piece**2).sum())

    @cached_property
    def _waves(self) -> Floats:
        """What ``piece`` is along each direction."""
        return on_each_axis(self.piece, self.along)

    @cached_property
    def _ratios(self) -> Floats:
        """lg of signal over noise along every direction where the strength is 1, for every model."""
        return np.log10(np.maximum(self.room * self.shapes / self.noises, 10.0 ** _DECADES[0])).reshape(len(self.shapes), -1)

    @cached_property
    def log_likelihood(self) -> Floats:
        """ln of the density of what is seen, for every model and every one of ``STRENGTHS``: ndarray of that shape.

        Along direction j it is normal with variance theta g shape_j + noise_j; they move together as if there were fewer of them.
        """
        if not self.seen:
            return np.zeros(
                (len(self.shapes), len(STRENGTHS))
            )  # an erased one says nothing, and one without noise is kept anyway
        count = self.noises.size
        together = min(1.0, self.directions * float((self.noises**2).sum()) / self.noise**2)
        squares = (self._waves**2 / self.noises).ravel()
        found = np.empty((len(self.shapes), len(STRENGTHS)))
        for row, ratios in zip(found, self._ratios, strict=True):
            number, length = _sorted_in(ratios, np.ones(count)), _sorted_in(ratios, squares)
            row[:] = _LOGARITHMS @ number + _NOISE_PARTS @ length
        return np.asarray(-together / 2 * (found + float(np.log(count * self.noises).sum())))

    def kept(self, law: Floats, part: float | None = None) -> Floats:
        """What is kept of ``piece`` where models and strengths have the probabilities ``law``; ``part`` of it, if given, where no order says
        more."""
        if not self.seen:
            return self.piece * float(self.noise == 0)
        back = [each.T for each in self.along]
        rough = on_each_axis(self.parts(law) * self._waves, back) if part is None else part * self.piece
        if not self.ordered:
            return rough
        logs = np.log(law) + self.log_likelihood
        likely = float(logs.max() + np.log(np.exp(logs - logs.max()).sum()))
        of = {"noise": self.noise, "room": self.room, "directions": self.directions}
        return kept_by_wave(self.piece, self.ordered, (likely, rough), law=law.sum(axis=0), **of)

    def parts(self, law: Floats) -> Floats:
        """Which part is kept along every direction where no order says more, 0 to 1."""
        if not self.seen:
            return np.full(self.noises.shape, float(self.noise == 0))
        curves = self._seen_law(law) @ (1 - _NOISE_PARTS)
        found = sum(np.interp(ratios, _RATIOS, curve) for ratios, curve in zip(self._ratios, curves, strict=True))
        return np.asarray(found).reshape(self.noises.shape)

    def part(self, law: Floats) -> float:
        """Which part of the noise is kept, as a length, 0 to 1."""
        if not self.seen:
            return float(self.noise == 0)
        return math.sqrt(float((self.parts(law) ** 2 * self.noises).sum()) / self.noise)

    def left(self, law: Floats) -> float:
        """The squared length to expect of what is true beyond the centre and not kept, where models and strengths have ``law``."""
        if not self.seen:
            return 0.0 if self.noise == 0 else self.room * float((self._seen_law(law) @ STRENGTHS).sum())
        unseen = (self.shapes * (1 - self.parts(law)) ** 2).reshape(len(self.shapes), -1).sum(axis=1)
        return self.room * float(self._seen_law(law) @ STRENGTHS @ unseen)

    def _seen_law(self, law: Floats) -> Floats:
        """What ``law`` becomes once ``piece`` was seen."""
        logs = np.log(law) + self.log_likelihood
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())


def shapes_of(variances: Sequence[Floats]) -> Floats:
    """The part of the signal along every product of directions for each of ``POWERS``, from the variances along those of every axis."""
    found = [outer([each**power for each in variances]) for power in POWERS]
    return np.stack([each / each.sum() for each in found])


def shared_out(noise: float, found: Floats) -> Floats:
    """``noise`` by direction, as in ``found``, which may be negative by chance where there is little."""
    least = max(_LEAST_NOISE * float(found.mean()), float(np.finfo(np.float64).tiny))
    found = np.maximum(found, least)
    return np.asarray(noise * found / found.sum())


def _sorted_in(ratios: Floats, amounts: Floats) -> Floats:
    """``amounts`` summed by ratio, each shared out between the two places of ``_RATIOS`` that it is between."""
    place = np.clip((ratios - _DECADES[0]) * _FINE, 0, len(_RATIOS) - 1)
    low = np.minimum(place.astype(np.int64), len(_RATIOS) - 2)
    upper = (place - low) * amounts
    return np.asarray(np.bincount(low, amounts - upper, len(_RATIOS)) + np.bincount(low + 1, upper, len(_RATIOS)))
