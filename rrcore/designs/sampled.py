"""Estimates of a design from a sample that is not simple: weights, strata, clusters, finite populations, replicate weights."""

import math

import numpy as np
from numpy.typing import ArrayLike

from rrcore.designs.estimate import Measured, check_groups
from rrcore.designs.exact import DesignChannel, DesignQuantity
from rrcore.designs.likelihood import least_mean, likeliest
from rrcore.designs.score import ScoreLaw, scored
from rrcore.errors import InputError
from rrcore.estimate.sample import Sample, tally

_NOTHING = 1e-12  # variances of reports that do not differ: then unequal weights alone tell what the sample's design does


def from_sample(
    channel: DesignChannel, quantity: DesignQuantity, reports: ArrayLike, sample: Sample, groups: ArrayLike | None = None
) -> Measured:
    """A quantity from each person's report: the sum over groups of weighted means of scores, its variance by linearisation.

    The groups are parts of one sample, so what they share, such as a cluster, is counted. From a finite population a part of the people is
    certain; of them the randomisation still varies, by its variance at the likeliest shares of the classes, the largest where several are.

    Parameters
    ----------
    reports : array of shape (n,), codes 0..b-1
    sample : Sample of the same n people
    groups : array of shape (n,), codes 0..G-1; may be left out where there is one group

    Raises
    ------
    InputError
        For codes that are none, or a group with fewer than 2 people.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rrcore.designs import DESIGNS
    >>> warner = DESIGNS["warner"].channel(2, [Fraction(3, 4)])
    >>> found = from_sample(warner, warner.quantities[0], [0, 1, 0, 1], Sample(np.array([3.0, 1.0, 3.0, 1.0])))
    >>> round(found.value, 6)
    0.0
    """
    codes = np.asarray(reports)
    group = np.zeros(len(codes), dtype=int) if groups is None else np.asarray(groups)
    shape = (len(channel.groups), len(channel.reports))
    if codes.shape != group.shape or not len(codes):
        raise InputError("Reports and groups do not go together: give each person a report and a group.")
    if min(codes.min(), group.min()) < 0 or codes.max() >= shape[1] or group.max() >= shape[0]:
        raise InputError(f"A report or group is not known: there are {shape[1]} reports and {shape[0]} groups, counted from 0.")
    people = np.bincount(group, minlength=shape[0])
    check_groups(people)
    counted = tally(np.column_stack([group, codes]), shape, sample)
    size = counted.released.sum(axis=1, keepdims=True)
    if not size.all():
        raise InputError("A group has nobody with a weight: each needs people.")
    part = counted.released / size
    value, centred = scored(channel, quantity, part, people / len(group))
    added = centred / size
    spread = counted.spread
    variance = float(
        (spread.diagonal * added**2).sum() + spread.signs @ (spread.factors.reshape(added.size, -1).T @ added.ravel()) ** 2
    )
    shares = likeliest(channel.matrices, counted.released * len(codes))
    if spread.fixed.any():
        by_class = np.einsum("gcy,gy->gc", channel.matrices, added)
        variance -= least_mean(channel.matrices, shares, spread.fixed.sum(axis=1) @ by_class**2)
    error = math.sqrt(max(variance, 0.0)) if math.isfinite(value) else math.nan
    simple = float(((part * centred**2).sum(axis=-1) / (people - 1)).sum())
    effect = variance / simple if simple > _NOTHING else len(codes) / spread.kish
    law = ScoreLaw(channel, quantity, shares, people.astype(np.float64), max(effect, _NOTHING))
    return Measured(float(value), error, freedom=spread.freedom, law=law)
