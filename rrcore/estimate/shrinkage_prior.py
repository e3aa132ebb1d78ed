"""Associations of a set of attributes beyond those of smaller sets.

The module also determines how much of each observed interaction to keep.

See theory.md section 25. Dependence lies mostly along the directions in which the shares themselves vary, that is, frequent
categories and sums of similar ones. The noise does not follow these directions, and its size along each of them is known exactly.
Each direction is therefore shrunk by its own factor.

The prior on the strength of dependence comes from public tables and is fixed before any answer is seen. Interactions that are
smooth along ordered attributes are kept more than rough ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
import scipy

from rrcore.arrays import Floats, outer
from rrcore.channel import on_each_axis
from rrcore.table.schema import Attribute

STRENGTHS: Floats = np.concatenate([[0.0], np.geomspace(1e-7, 1.0, 60)])
"""Grid of strengths theta of dependence. 0 is none."""

_NONE = 0.4  # how likely it is that there is none
_USUAL_LOGARITHMS: Mapping[int, tuple[float, float]] = {2: (-4.2, 1.7), 3: (-7.3, 1.8), 4: (-11.2, 1.5)}
"""Number of attributes -> mean and standard deviation of ln theta in Titanic, hair and eye, Berkeley, and the categories of UCI Adult."""

USUAL: Mapping[str, tuple[float, float, float]] = {
    "weak": (1.12e-3, 3.47e-5, 2.92e-6),
    "usual": (9.52e-3, 1.01e-4, 1.37e-5),
    "strong": (9.15e-2, 3.35e-4, 2.93e-5),
}
"""Name of a strength of dependence -> theta of pairs, triples and quadruples: the 10, 50 and 90% points in these tables.

``python -m tools.usual_dependence`` prints the strengths of each table.
"""


def usual_strength(width: int, dependence: str = "usual") -> float:
    """Return theta for ``width`` attributes with weak, usual or strong dependence.

    Wider sets are treated like quadruples.
    """
    return USUAL[dependence][min(width, 4) - 2]


def usual_law(width: int) -> Floats:
    """Return the probabilities of ``STRENGTHS`` for ``width`` attributes.

    Wider sets are treated like quadruples.

    Examples
    --------
    >>> float(usual_law(2)[0]), float(usual_law(2).sum().round(9))  # no dependence at all, and together
    (0.4, 1.0)
    """
    mean, spread = _USUAL_LOGARITHMS[min(width, 4)]
    law = np.exp(-(((np.log(STRENGTHS[1:]) - mean) / spread) ** 2) / 2)
    return np.concatenate([[_NONE], (1 - _NONE) * law / law.sum()])


FEWEST = 5
"""Fewest categories of an ordered attribute whose order is used."""

_ROUGH = 0.85  # how likely it is, before anything was seen, that the order says nothing
_POWERS = (2.0, 4.0)  # otherwise squared waves fall off with one of these powers of their number


def ordered_axes(attributes: Sequence[Attribute]) -> tuple[int, ...]:
    """Return the axes whose order is used."""
    return tuple(i for i, each in enumerate(attributes) if each.kind == "ordinal" and each.size >= FEWEST)


def kept_by_wave(
    piece: Floats, axes: Sequence[int], rough: tuple[float, Floats], *, noise: float, room: float, directions: float, law: Floats
) -> Floats:
    """Return the part of ``piece`` to keep if its waves may be shrunk separately.

    The waves run along the ordered ``axes``.

    Along an order, an interaction is a sum of cosine waves. If it is smooth, the waves of low frequency contain most of it. The
    smooth and the rough model are weighted by the likelihood of the waves under each.

    Parameters
    ----------
    piece : ndarray whose mean along every axis is 0
    axes : ordered axes, at least one
    rough : log-likelihood of the rough model, and the part of ``piece`` to keep under it
    noise : variance of the squared length of ``piece``
    room, law : the expected squared length is ``room`` times one of ``STRENGTHS``. ``law`` is an ndarray with the probabilities of
        these
    directions : number of directions in which the noise varies

    Examples
    --------
    >>> import numpy as np
    >>> law = np.full(len(STRENGTHS), 1 / len(STRENGTHS))
    >>> def kept(piece):
    ...     means = STRENGTHS + 0.05
    ...     rough = float(np.log((law * means**-3.5 * np.exp(-3.5 * (piece**2).sum() / means)).sum()))
    ...     found = kept_by_wave(piece, [0], (rough, piece), noise=0.05, room=1.0, directions=7.0, law=law)
    ...     return round(float((found * piece).sum() / (piece**2).sum()), 2)
    >>> kept(np.linspace(-0.3, 0.3, 8)), kept(np.tile([0.2, -0.2], 4))
    (0.93, 1.0)
    """
    waves = scipy.fft.dctn(piece, axes=axes, norm="ortho")
    inner = tuple(slice(1, None) if i in axes else slice(None) for i in range(piece.ndim))
    energy = (waves[inner] ** 2).sum(axis=tuple(i for i in range(piece.ndim) if i not in axes), keepdims=True)
    share = 1 / energy.size  # of the directions, for one wave
    found, logs = [rough[1]], [math.log(_ROUGH) + rough[0]]
    for power in _POWERS:
        falling = reduce(np.multiply.outer, (np.arange(1.0, size) ** -power for size in np.array(piece.shape)[list(axes)]))
        signal = np.multiply.outer(STRENGTHS * room, falling.reshape(energy.shape) / falling.mean())
        means = signal + noise
        likely = -directions * share / 2 * (np.log(means) + energy / share / means).sum(axis=tuple(range(1, means.ndim)))
        chances = law * np.exp(likely - likely.max())
        parts = np.tensordot(chances / chances.sum(), signal / means, axes=1)
        kept = np.zeros_like(waves)
        kept[inner] = parts * waves[inner]
        found.append(scipy.fft.idctn(kept, axes=axes, norm="ortho"))
        logs.append(math.log((1 - _ROUGH) / len(_POWERS)) + float(scipy.special.logsumexp(likely, b=law)))
    return np.asarray(np.tensordot(np.exp(np.array(logs) - scipy.special.logsumexp(logs)), np.array(found), axes=1))


POWERS = (1.0, 2.0)
"""The squared length to expect along a direction goes with one of these powers of the variance of the shares along it."""

_LEAST_VARIANCE, _LEAST_NOISE = 1e-9, 1e-3  # of shares along a direction; of noise along it, in means over all
_DECADES, _FINE = (-10, 10), 64  # signal over noise where the strength is 1: powers of ten, and steps for each
_RATIOS = np.linspace(_DECADES[0], _DECADES[1], (_DECADES[1] - _DECADES[0]) * _FINE + 1)
_TOTALS = 1 + np.multiply.outer(STRENGTHS, 10**_RATIOS)  # of signal and noise, in noises, by strength and ratio
_LOGARITHMS, _NOISE_PARTS = np.log(_TOTALS), 1 / _TOTALS


def contrasts(shares: Floats) -> tuple[Floats, Floats]:
    """Return the directions in which shares vary between samples.

    The sampling variance for one person is given along each direction.

    Parameters
    ----------
    shares : ndarray of shape (a,)

    Returns
    -------
    variances : ndarray of shape (a - 1,), ascending: the eigenvalues of diag(shares) - shares shares' among vectors that sum to 0
    directions : ndarray of shape (a - 1, a), orthonormal vectors

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
    """The observed interaction of one set of attributes beyond its center.

    Parameters
    ----------
    centre : ndarray of the sizes of the attributes, the maximum-entropy table with the given marginals of one order below
    piece : ndarray of that shape, the top interaction of the inverted table minus that of the center
    noise : variance of the squared length of ``piece``, with respect to the respondents
    room : g, the squared length that is possible if the strength of dependence is 1
    directions : nu, the number of directions in which the noise varies
    along : for each axis, orthonormal directions that sum to 0, ndarray of shape (size - 1, size)
    shapes : ndarray of shape (models, size - 1 of every axis), the part of the signal along each product of directions, with sum 1
    noises : ndarray with the shape of one model, the noise along each product of directions, with sum ``noise``
    ordered : axes whose order may be informative
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
        """Whether the interaction is erased, or nobody answered all attributes."""
        nothing = np.zeros(1)
        return cls(centre, np.zeros_like(centre), math.inf, room, 1.0, (), nothing[None], nothing)

    @property
    def seen(self) -> bool:
        """True if the interaction and its noise are both present."""
        return 0 < self.noise < math.inf

    @property
    def square(self) -> float:
        """Squared length of ``piece``."""
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
        """Return the log-likelihood for every model and every one of ``STRENGTHS``.

        Along direction j, the observation is normal with variance theta g shape_j + noise_j. The directions vary together, as if
        there were fewer of them.
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
        """Return the part of ``piece`` to keep under the probabilities ``law``.

        The probabilities refer to models and strengths. ``part`` can give this part if no order adds information.
        """
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
        """Return the fraction to keep along every direction, from 0 to 1.

        It applies if no order adds information.
        """
        if not self.seen:
            return np.full(self.noises.shape, float(self.noise == 0))
        curves = self._seen_law(law) @ (1 - _NOISE_PARTS)
        found = sum(np.interp(ratios, _RATIOS, curve) for ratios, curve in zip(self._ratios, curves, strict=True))
        return np.asarray(found).reshape(self.noises.shape)

    def _seen_law(self, law: Floats) -> Floats:
        """What ``law`` becomes once ``piece`` was seen."""
        logs = np.log(law) + self.log_likelihood
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())


def shapes_of(variances: Sequence[Floats]) -> Floats:
    """Return the part of the signal along every product of directions.

    The result has one entry for each of ``POWERS`` and is computed from the variances along the directions of every axis.
    """
    found = [outer([each**power for each in variances]) for power in POWERS]
    return np.stack([each / each.sum() for each in found])


def shared_out(noise: float, found: Floats) -> Floats:
    """Distribute ``noise`` over directions in proportion to ``found``.

    By chance, ``found`` can be negative where there is little noise.
    """
    least = max(_LEAST_NOISE * float(found.mean()), float(np.finfo(np.float64).tiny))
    found = np.maximum(found, least)
    return np.asarray(noise * found / found.sum())


def _sorted_in(ratios: Floats, amounts: Floats) -> Floats:
    """``amounts`` summed by ratio, each shared out between the two places of ``_RATIOS`` that it is between."""
    place = np.clip((ratios - _DECADES[0]) * _FINE, 0, len(_RATIOS) - 1)
    low = np.minimum(place.astype(np.int64), len(_RATIOS) - 2)
    upper = (place - low) * amounts
    return np.asarray(np.bincount(low, amounts - upper, len(_RATIOS)) + np.bincount(low + 1, upper, len(_RATIOS)))
