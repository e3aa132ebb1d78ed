"""How shares change between two waves: from records of the same people, or from two samples (theory.md section 23).

Every wave alone is estimated without bias whatever the waves have in common, and so is the difference. What the waves have in common
shows in the standard error only: of people who were asked twice it is taken from the pairs of their reports, and no assumption is made.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel import Channel, MatrixChannel, Stages, Way, transition_matrix
from rrcore.errors import InputError
from rrcore.estimate.cell_table import cell_table
from rrcore.estimate.estimate import Estimate
from rrcore.estimate.sample import Tally
from rrcore.estimate.uncertainty import cell_variance, check_people, margin, two_sided_point
from rrcore.table import Schema


@dataclass(frozen=True, eq=False)
class Change:
    """Estimated change of every share of a marginal between two waves.

    Parameters
    ----------
    schema : Schema of the marginal
    first, second : Estimate of the waves, of the people that the change is about
    standard_error : ndarray of shape ``schema.sizes``, of ``difference``; against the population that people were drawn from
    linked : whether both waves are of the same people, and their reports were put side by side
    freedom : degrees of freedom of the variances: few where few clusters were drawn
    """

    schema: Schema
    first: Estimate
    second: Estimate
    standard_error: Floats
    linked: bool
    freedom: float = math.inf

    @property
    def difference(self) -> Floats:
        """Second minus first, ndarray of shape ``schema.sizes``; sums to 0, unbiased."""
        return self.second.shares - self.first.shares

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Confidence interval of every change: (low, high), by the normal law, or Student's where few clusters were drawn."""
        half = two_sided_point(confidence, self.freedom) * self.standard_error
        return self.difference - half, self.difference + half

    @property
    def largest(self) -> tuple[int, ...]:
        """Index of the share whose change is the most standard errors away from 0; of two categories, the second one."""
        if self.difference.size == 2 and self.difference.ndim == 1:
            return (1,)
        away = np.abs(self.difference) / np.maximum(self.standard_error, 1e-12)
        return tuple(int(i) for i in np.unravel_index(int(away.argmax()), away.shape))

    def table(self, confidence: float = 0.95) -> dict[str, list[Any]]:
        """Columns, one row for each cell: categories, share in both waves, change, its standard error and interval of this ``confidence``."""
        low, high = self.interval(confidence)
        numbers = {
            "first": self.first.shares,
            "second": self.second.shares,
            "change": self.difference,
            "standard error": self.standard_error,
            "low": low,
            "high": high,
        }
        return cell_table(self.schema, numbers)


def unlinked_change(first: Estimate, second: Estimate) -> Change:
    """The change between two samples of different people, or of people who cannot be told apart: variances add up.

    Of the same people it is still unbiased, and its error is too large where they seldom change.

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> rng, table = np.random.default_rng(0), rr.load_demo("titanic").select(["Survived"])
    >>> mechanism = rr.build("kronecker", (2,), [2.0])
    >>> waves = [rr.perturb(table, mechanism, rng=rng).estimate(["Survived"]) for _ in range(2)]
    >>> change = unlinked_change(*waves)
    >>> low, high = change.interval()
    >>> bool((low < 0).all() and (high > 0).all())
    True
    """
    _check_alike(first, second)
    variance = first.standard_error(population=True) ** 2 + second.standard_error(population=True) ** 2
    freedom = min(first.spread.freedom, second.spread.freedom)
    return Change(first.schema, first, second, np.sqrt(variance), linked=False, freedom=freedom)


def linked_change(first: Estimate, second: Estimate, pairs: Tally) -> Change:
    """The change among the same people, whatever the reports of one person have in common.

    Parameters
    ----------
    first, second : Estimate of both waves, of the same people with the same weights
    pairs : Tally over the table of the reports in both waves, of shape (*report_sizes, *report_sizes), made by ``pair_tally``

    Notes
    -----
    With kappa(u, v) what a report u adds to the estimated share of v, every person adds kappa(second, v) - kappa(first, v): the variance is
    that of a weighted mean of numbers that are known for every person (theory.md section 23). A finite population is taken for a large
    one, which never makes an error too small. Where nobody's report changed, as of memoised answers, that variance is 0, and yet some may
    have changed: it is taken to be no smaller than if one person's report had, between the two that are furthest apart.
    """
    _check_alike(first, second)
    one, two = kernel(first.channel), kernel(second.channel)
    diagonal = pairs.spread.diagonal.reshape(one.shape[1], two.shape[1])
    factors = pairs.spread.factors.reshape(*diagonal.shape, -1)
    variance = (
        one**2 @ diagonal.sum(axis=1)
        + two**2 @ diagonal.sum(axis=0)
        - 2 * ((one @ diagonal) * two).sum(axis=1)
        + (two @ factors.sum(axis=0) - one @ factors.sum(axis=1)) ** 2 @ pairs.spread.signs
    )
    ranges = np.maximum(one.max(axis=1) - two.min(axis=1), two.max(axis=1) - one.min(axis=1))
    single = ranges**2 * float(pairs.spread.people.sum()) / pairs.n
    error = np.sqrt(np.maximum(variance, single)).reshape(first.shares.shape)
    return Change(first.schema, first, second, error, linked=True, freedom=pairs.spread.freedom)


def kernel(channel: Channel) -> Floats:
    """kappa(u, v): what one released record of cell u adds to the estimated share of v, ndarray of shape (true cells, released cells)."""
    cells = int(np.prod(channel.sizes))
    units = np.eye(cells).reshape(*channel.sizes, cells)
    return np.stack([channel.invert_back(units[..., v]).ravel() for v in range(cells)])


def change_error(stages: Stages, table: Floats, people: int, *, linked: bool = True) -> Floats:
    """Standard error of the change of every share before anything is collected, ndarray of shape (a,).

    Parameters
    ----------
    stages : Stages, how chance is drawn over the two waves
    table : ndarray of shape (a, a), shares of people by their true answers in the first and in the second wave; a guess
    people : int, how many are asked in each wave
    linked : whether they are the same people, told apart by an identifier; else they are two samples

    Notes
    -----
    n Var = sum kappa^2 lambda of both waves - 2 sum over x of T(x, x) K(x, v) - (change of v)^2, where K(x, v) is the mean square of what
    the permanent stage alone adds for x, and the identity for fresh answers (theory.md section 23).

    Examples
    --------
    Of 1,000 people none changes; a die, fresh in both waves and memoised:

    >>> import numpy as np
    >>> from rrcore.channel import Stages
    >>> die, still = np.array([[5 / 6, 1 / 6], [1 / 6, 5 / 6]]), np.diag([0.8, 0.2])
    >>> [float(change_error(way(die), still, 1000)[1].round(4)) for way in (Stages.fresh, Stages.memoised)]
    [0.025, 0.0]
    """
    check_people(people)
    channel = MatrixChannel(stages.single)
    added = kernel(channel)
    first, second = table.sum(axis=1), table.sum(axis=0)
    squares = [added**2 @ channel.push(shares) for shares in (first, second)]
    if not linked:
        return np.sqrt(np.maximum(squares[0] - first**2 + squares[1] - second**2, 0.0) / people)
    shared = stages.permanent @ (stages.instant @ added.T) ** 2
    together = table.diagonal() @ shared
    return np.sqrt(np.maximum(squares[0] + squares[1] - 2 * together - (second - first) ** 2, 0.0) / people)


@dataclass(frozen=True)
class Foreseen:
    """What can be expected of one attribute in two waves, by one way of drawing chance; all for the category that is read worst.

    Parameters
    ----------
    way : Way
    share : margin of its share in one wave, at 95 %
    change : margin of its change between two waves of the same people, at 95 %
    seen : least and largest probability that two reports of somebody whose answer changed differ
    unseen : the same for somebody whose answer did not change
    """

    way: Way
    share: float
    change: float
    seen: tuple[float, float]
    unseen: tuple[float, float]


def foreseen_change(channel: Channel, way: Way, people: int, *, changing: float, redrawn: float = 0.25) -> Foreseen:
    """What to expect before anything is collected, for equally frequent answers of which a share ``changing`` changes to any other.

    Parameters
    ----------
    channel : Channel of a single attribute, of one wave; of two stages the permanent one
    people : int, who answer in both waves
    changing : share of them, 0 to 1, whose answer changes between the waves
    redrawn : as in ``Stages.two_stage``

    Examples
    --------
    >>> import rrcore as rr
    >>> channel = rr.build("kronecker", (2,), [1.5]).marginal_channel((0,))
    >>> found = [foreseen_change(channel, way, 2000, changing=0.05) for way in ("fresh", "memoised", "two-stage")]
    >>> [round(100 * each.share, 1) for each in found], [round(100 * each.change, 1) for each in found]
    ([3.5, 3.5, 4.6], [3.9, 1.3, 4.5])
    """
    check_people(people)
    if not 0 <= changing <= 1:
        raise InputError(f"The share whose answer changes is {changing:g}: give a number from 0 to 1, for example 0.05.")
    stages = Stages.of(way, transition_matrix(channel), redrawn)
    a = len(stages.permanent)
    table = np.full((a, a), changing / max(a * (a - 1), 1))
    np.fill_diagonal(table, (1 - changing) / a)
    single = MatrixChannel(stages.single)
    equal = np.full(a, 1 / a)
    share = cell_variance(single.push(equal), equal, single, people, population=True)
    return Foreseen(
        way,
        float(margin(np.sqrt(share)).max()),
        float(margin(change_error(stages, table, people)).max()),
        stages.seen(),
        stages.unseen(),
    )


def _check_alike(first: Estimate, second: Estimate) -> None:
    if first.schema.attributes != second.schema.attributes:
        raise InputError("The two waves ask for different attributes or categories: choose attributes that both of them ask.")
