"""A sample weighted anew: to known margins of columns that were not randomised, for people who did not answer, and many times over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate.adjustment import adjust
from rrcore.estimate.sample.replicates import Replicates
from rrcore.estimate.sample.sample import Sample
from rrcore.limits import MAX_REPLICATE_NUMBERS
from rrcore.wording import percent


@dataclass(frozen=True, eq=False)
class Margin:
    """What is known of the population about one column, or about the combinations of several.

    Parameters
    ----------
    name : str, for messages
    codes : ndarray of shape (n,), integer codes 0..a-1 of the records of the sample
    categories : a texts
    totals : ndarray of shape (a,), >= 0: people of the population, or their shares

    Raises
    ------
    InputError
        Where lengths differ, a total is negative or not finite, or a record has no value.
    """

    name: str
    codes: Integers
    categories: tuple[str, ...]
    totals: Floats

    def __post_init__(self) -> None:
        totals = np.asarray(self.totals, dtype=np.float64)
        if totals.shape != (len(self.categories),) or not np.isfinite(totals).all() or (totals < 0).any() or not totals.any():
            raise InputError(
                f"The margin of '{self.name}' needs one number of 0 or more for each of its {len(self.categories)} categories: "
                f"{', '.join(self.categories[:5])}."
            )
        gone = int((np.asarray(self.codes) < 0).sum())
        if gone:
            raise InputError(
                f"{gone:,} records have no value of '{self.name}', or one that its margin does not have: complete them, or weigh by another "
                "column."
            )
        object.__setattr__(self, "codes", np.asarray(self.codes, dtype=np.int64))
        object.__setattr__(self, "totals", totals)

    @property
    def shares(self) -> Floats:
        """The totals, summing to 1."""
        return np.asarray(self.totals / self.totals.sum())


def rake(sample: Sample, margins: Sequence[Margin]) -> Sample:
    """The sample with weights that reach every margin: raking, or post-stratification by a single margin (Deming and Stephan 1940).

    The weights are multiplied by iterative proportional fitting, and those of replicates each anew. Variances take off what the margins
    explain, by regression (Deville and Sarndal 1992).

    Parameters
    ----------
    sample : Sample of n records
    margins : one or more

    Raises
    ------
    InputError
        Where a category of a margin has people and nobody in the sample, or the other way round, or the weights do not settle.

    Examples
    --------
    >>> men = Margin("sex", np.array([0, 0, 0, 1]), ("f", "m"), np.array([0.5, 0.5]))
    >>> rake(Sample(np.ones(4)), [men]).shares.round(3).tolist()
    [0.167, 0.167, 0.167, 0.5]
    """
    if not margins:
        raise InputError("No margin is given: name at least one column with the population's totals.")
    for margin in margins:
        _check(margin, sample)
    codes = np.stack([margin.codes for margin in margins], axis=1).astype(np.int32)
    sizes, groups = [len(margin.categories) for margin in margins], [[i] for i in range(len(margins))]

    def fitted(weights: Floats) -> Floats:
        found = adjust(codes, sizes, groups, [margin.shares for margin in margins], start=weights)
        if not found.converged:
            raise InputError(
                f"The weights do not settle: after {found.rounds} rounds a margin is still off by {percent(found.mismatch)}. Merge small "
                "categories, or leave one margin out."
            )
        return np.asarray(found.weights * weights.sum())

    dummies = np.concatenate([np.eye(size)[codes[:, i]] for i, size in enumerate(sizes)], axis=1)
    return replace(_reweighted(sample, fitted), calibrated=dummies)


def reweigh_for_nonresponse(sample: Sample, answered: Booleans, classes: Integers) -> Sample:
    """The sample with weights of people who answered raised, class by class, so that they stand for those who did not; theirs become 0.

    Right where, within a class, answering has nothing to do with what would have been answered. Variances take the raised weights as
    they are, which makes them a little too large rather than too small; of a finite population those who answered alone are certain.

    Parameters
    ----------
    sample : Sample of n records, of people who answered and of those who did not
    answered : ndarray of shape (n,), bool
    classes : ndarray of shape (n,), integer codes 0..C-1

    Raises
    ------
    InputError
        Where somebody has no class, or nobody of a class answered.

    Examples
    --------
    >>> reweigh_for_nonresponse(Sample(np.ones(4)), np.array([True, False, True, True]), np.array([0, 0, 1, 1])).weights.tolist()
    [2.0, 0.0, 1.0, 1.0]
    """
    if len(answered) != sample.n or len(classes) != sample.n or np.asarray(answered).dtype != np.bool_:
        raise InputError(
            f"There are {sample.n:,} records, {len(classes):,} classes and {len(answered):,} marks of who answered: give a class and yes or "
            "no (True or False) for each record."
        )
    if (classes < 0).any():
        raise InputError(
            f"{int((classes < 0).sum()):,} records have no class: complete the column of classes, or choose another."
        )

    def raised(weights: Floats) -> Floats:
        everybody = np.bincount(classes, weights=weights)
        heard = np.bincount(classes, weights=weights * answered, minlength=everybody.size)
        silent = np.flatnonzero((everybody > 0) & (heard <= 0))
        if silent.size:
            raise InputError(
                f"Nobody of class {silent[0] + 1} answered, so nobody can stand for its people: merge it with a similar class."
            )
        factor = np.divide(everybody, heard, out=np.zeros_like(heard), where=heard > 0)
        return np.asarray(np.where(answered, weights * factor[classes], 0.0))

    found = _reweighted(sample, raised)
    if sample.populations is None or sample.replicates is not None:
        return found
    after, crossed = found.squared_shares, np.sqrt(sample.squared_shares * found.squared_shares)
    heard, whole = (np.bincount(sample.stratum_codes, each, minlength=sample.drawn.size) for each in (crossed, after))
    part = np.divide(heard, whole, out=np.ones_like(whole), where=whole > 0)
    return replace(found, answered=part if sample.answered is None else part * sample.answered)


def _reweighted(sample: Sample, change: Callable[[Floats], Floats]) -> Sample:
    """The sample with its weights, and those of every replicate, changed alike."""
    again = sample.replicates
    if again is not None:
        again = Replicates(np.stack([change(column) for column in again.weights.T], axis=1), again.scales)
    weights, squares = change(sample.weights), sample.squares
    if squares is not None:
        factor = np.divide(weights, sample.weights, out=np.zeros_like(weights), where=sample.weights > 0)
        squares = squares * factor**2
    return replace(sample, weights=weights, squares=squares, replicates=again)


def _check(margin: Margin, sample: Sample) -> None:
    if len(margin.codes) != sample.n:
        raise InputError(f"The margin of '{margin.name}' has {len(margin.codes):,} records and the sample {sample.n:,}.")
    there = np.bincount(margin.codes, weights=sample.weights, minlength=margin.totals.size)
    for wrong, problem in (
        (
            (there <= 0) & (margin.totals > 0),
            "has people in the population and nobody in the sample: merge it with a similar one",
        ),
        (
            (there > 0) & (margin.totals <= 0),
            "has nobody in the population and people in the sample: correct its total, or the column",
        ),
    ):
        if wrong.any():
            raise InputError(f"The category '{margin.categories[int(np.flatnonzero(wrong)[0])]}' of '{margin.name}' {problem}.")


def jackknife(sample: Sample) -> Sample:
    """The sample with one replicate for every cluster, which leaves it out and weighs the others of its stratum more (Wolter 2007, ch. 4).

    Where there are no clusters, everybody is left out in turn: meant for clusters, of which there are few. A finite population counts by
    the scales. Raises InputError where a stratum has one cluster only, or replicates are too many.

    Examples
    --------
    >>> sample = jackknife(Sample(np.ones(4), clusters=np.array([0, 0, 1, 1])))
    >>> sample.replicates.weights.T.tolist(), sample.replicates.scales.tolist()
    ([[0.0, 0.0, 2.0, 2.0], [2.0, 2.0, 0.0, 0.0]], [0.5, 0.5])
    """
    units, strata, drawn = sample.units, sample.unit_strata, sample.drawn
    _fits(sample, strata.size)
    if (drawn[strata] < 2).any():
        h = int(strata[np.flatnonzero(drawn[strata] < 2)[0]])
        raise InputError(f"The jackknife leaves out one cluster at a time, and {sample.stratum(h)} has no other: merge it first.")
    m = drawn[strata]
    factor = np.where(sample.stratum_codes[:, None] == strata[None, :], (m / (m - 1))[None, :], 1.0)
    factor[np.arange(sample.n), units] = 0.0
    scales = (1 - sample.fractions[strata]) * (m - 1) / m
    return replace(sample, replicates=Replicates(sample.weights[:, None] * factor, scales))


def bootstrap(sample: Sample, replicates: int, *, rng: np.random.Generator) -> Sample:
    """The sample with ``replicates`` bootstrap weights: of m clusters of a stratum m - 1 are drawn with replacement (Rao and Wu 1988).

    Raises InputError for fewer than two replicates, a stratum of one cluster, or a finite population, for which the jackknife is right.
    """
    if replicates < 2:
        raise InputError(f"The number of replicates is {replicates}: give at least 2.")
    _fits(sample, replicates)
    if sample.fractions.any():
        raise InputError("The bootstrap takes the population to be large: leave the population sizes out, or use the jackknife.")
    if (sample.drawn[sample.unit_strata] < 2).any():
        raise InputError("The bootstrap needs at least two clusters in every stratum: merge the strata that have one.")
    taken = np.zeros((sample.unit_strata.size, replicates))
    for h in np.unique(sample.unit_strata):
        own = np.flatnonzero(sample.unit_strata == h)
        m = own.size
        taken[own] = rng.multinomial(m - 1, np.full(m, 1 / m), size=replicates).T * (m / (m - 1))
    return replace(sample, replicates=Replicates.of("bootstrap", sample.weights[:, None] * taken[sample.units]))


def _fits(sample: Sample, replicates: int) -> None:
    if sample.times is not None and sample.clusters is None:
        raise InputError("Everybody is drawn anew, and these rows stand for several people each: name clusters, or give records.")
    if sample.n * replicates > MAX_REPLICATE_NUMBERS:
        raise InputError(
            f"{replicates:,} replicates of {sample.n:,} records are too many: use strata and clusters as they are, without replicate weights."
        )
