"""Expected errors of shrinkage before any data are released.

See theory.md section 25.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel import Channel, top_interaction
from rrcore.channel.interactions import onto_axes
from rrcore.errors import InputError
from rrcore.estimate.estimators import independent_shares, rake
from rrcore.estimate.shrinkage_prior import USUAL, usual_strength
from rrcore.estimate.uncertainty import cell_variance
from rrcore.wording import points


def expected_shrunk_error(
    channel: Channel, n: float, *, shares: Floats | None = None, dependence: str = "usual", population: bool = False
) -> float:
    """Return the expected root-mean-square error of shares under shrinkage.

    No answer has to be collected.

    The shrinkage of every interaction is assumed to be optimal, as if its strength were known. The squared error is s v / (s + v)
    for noise s and an interaction of squared length v. For a single attribute, v is the squared distance to a category drawn at
    random, to which projection onto probabilities limits the error. For an erased interaction, the squared error is v.

    Parameters
    ----------
    channel : Channel of the mechanism on this marginal. It may erase interactions
    n : number of respondents
    shares : ndarray of shape ``channel.sizes``, the true shares. By default, the shares of every attribute are equal, and
        ``dependence`` sets the strength of associations
    dependence : "weak", "usual" or "strong", as in public tables
    population : as in ``cell_variance``

    Examples
    --------
    >>> from rrcore.budget import build
    >>> channel = build("independent", (4, 5, 2), [1.0] * 3).channel((0, 1))
    >>> [round(expected_shrunk_error(channel, 1_000, dependence=each), 4) for each in ("weak", "usual", "strong")]
    [0.0158, 0.022, 0.0447]
    >>> round(expected_error(channel, 1_000), 4)
    0.0726
    """
    if dependence not in USUAL:
        raise InputError(f"The dependence '{str(dependence)[:40]}' is unknown. Choose one of {', '.join(USUAL)}.")
    whole = np.full(channel.sizes, 1 / math.prod(channel.sizes)) if shares is None else shares
    every = range(channel.w)
    squares = [float((onto_axes(whole, (i,)) ** 2).sum()) for i in every]
    risks, lost = dict[tuple[int, ...], float](), dict[tuple[int, ...], float]()
    for width in range(1, channel.w + 1):
        for axes in combinations(every, width):
            own, room = channel.marginal(axes), math.prod(1 - squares[i] for i in axes)
            signal = usual_strength(width, dependence) * room if shares is None and width > 1 else _signal(onto_axes(whole, axes))
            noise = math.inf if own.top_lost else (own.uniform_top + population * room) / n
            lost[axes] = 1.0 if math.isinf(noise) else noise / (noise + signal) if noise else 0.0
            risks[axes] = signal * lost[axes]
    return math.sqrt(sum(risk * _spread(axes, channel.sizes, squares, lost) for axes, risk in risks.items()) / whole.size)


def _spread(axes: tuple[int, ...], sizes: tuple[int, ...], squares: list[float], lost: dict[tuple[int, ...], float]) -> float:
    """What an error of the piece over ``axes`` is multiplied by in the whole table: even, or by shares where wider pieces are lost."""
    others = (i for i in range(len(sizes)) if i not in axes)
    return math.prod(1 / sizes[i] + lost[tuple(sorted((*axes, i)))] ** 2 * (squares[i] - 1 / sizes[i]) for i in others)


def top_beyond(shares: Floats) -> Floats:
    """Return the top interaction of ``shares`` beyond the maximum-entropy table.

    That table has the same marginals of one attribute less.
    """
    axes = range(shares.ndim)
    centre = independent_shares([onto_axes(shares, (i,)) for i in axes], [(i,) for i in axes])
    if shares.ndim > 2:
        inner = [tuple(i for i in axes if i != out) for out in axes]
        centre = rake(centre, {kept: onto_axes(shares, kept) for kept in inner})
    return top_interaction(shares - centre, shares.ndim)


def _signal(shares: Floats) -> float:
    if shares.ndim > 1:
        return float((top_beyond(shares) ** 2).sum())
    return 1 - 2 / shares.size + float((shares**2).sum())


@dataclass(frozen=True)
class ExpectedErrors:
    """Typical errors of a share if all combinations of answers are equally common.

    Parameters
    ----------
    unbiased : error of the unbiased estimate, NaN if there is none
    weak, usual, strong : errors of shrinkage for weak, usual and strong dependence, as found in public tables
    """

    unbiased: float
    weak: float
    usual: float
    strong: float

    @classmethod
    def of(cls, channel: Channel, n: int, *, population: bool = False) -> ExpectedErrors:
        """Return the errors for ``n`` people whose answers pass through ``channel``.

        Examples
        --------
        >>> from rrcore.budget import build
        >>> channel = build("independent", (4, 5, 2), [1.0] * 3).channel((0, 1))
        >>> print(ExpectedErrors.of(channel, 1_000).text)
        1.6 to 4.5 points with shrinkage (weak to strong dependence), 7.3 points unbiased
        """
        shrunk = [expected_shrunk_error(channel, n, dependence=each, population=population) for each in USUAL]
        return cls(math.nan if channel.lost() else expected_error(channel, n, population=population), *shrunk)

    @property
    def text(self) -> str:
        """The errors as text."""
        low, high = points(self.weak), points(self.strong)
        span = low if low == high else f"{low.removesuffix(' points')} to {high}"
        how = "" if low == high else " (weak to strong dependence)"
        unbiased = "" if math.isnan(self.unbiased) else f", {points(self.unbiased)} unbiased"
        return f"{span} with shrinkage{how}{unbiased}"


def expected_error(channel: Channel, n: int, *, shares: Floats | None = None, population: bool = False) -> float:
    """Return the root-mean-square standard error of shares of a marginal.

    No answer has to be collected.

    Parameters
    ----------
    channel : Channel of the mechanism on this marginal. It must not erase anything
    n : number of respondents
    shares : ndarray of shape ``channel.sizes``, default uniform
        A declared guess of the true shares. For uniform shares, every cell has the same variance, the sum over T of d_T (1/mu_T^2 -
        1) / (M^2 n) with d_T = prod (a_i - 1) over T. No table is then built.
    """
    if shares is not None:
        return float(np.sqrt(cell_variance(channel.push(shares), shares, channel, n, population=population).mean()))
    cells = float(np.prod(channel.sizes, dtype=np.float64))
    return float(np.sqrt((max(channel.uniform_variance, 0.0) + population * (1 - 1 / cells) / cells) / n))
