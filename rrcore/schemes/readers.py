"""How a scheme reads the joint distribution of some attributes out of a release.

Every reader is made once for a release and then asked for one marginal after another: what all marginals share is computed once.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats, cell_numbers, check_cells
from rrcore.errors import InputError
from rrcore.estimate import (
    Adjustment,
    MaximumLikelihood,
    Release,
    adjust,
    clip_and_rescale,
    estimated_blend,
    independent_shares,
    maximum_likelihood,
    published_choice,
    published_naive_inversion,
    published_reduced_inversion,
    published_truncation,
)
from rrcore.limits import MAX_EM_CELLS
from rrcore.mechanisms import Mechanism

Reader = Callable[[tuple[int, ...]], Floats]
"""Positions of w attributes -> estimated shares of their joint distribution, in that order of axes."""


def inverted(release: Release[Mechanism]) -> Reader:
    """RR-Ind-Joint's castell, or the spectral inversion of a mechanism that is not Kronecker: unbiased."""

    def read(axes: tuple[int, ...]) -> Floats:
        return release.estimate(_names(release, axes)).shares

    return read


def by_naive_matrix(release: Release[Mechanism]) -> Reader:
    """Inversion through the inverse of the whole matrix; Kronecker only, small tables only."""
    return _by_matrix(release, published_naive_inversion)


def by_reduced_matrix(release: Release[Mechanism]) -> Reader:
    """Inversion through the Kronecker product of small inverses; Kronecker only, small tables only."""
    return _by_matrix(release, published_reduced_inversion)


def _by_matrix(release: Release[Mechanism], invert: Callable[[Floats, Floats], Floats]) -> Reader:
    def read(axes: tuple[int, ...]) -> Floats:
        return invert(release.counts(_names(release, axes)) / release.n, release.mechanism.retentions[list(axes)])

    return read


def multiplied(release: Release[Mechanism]) -> Reader:
    """The product of the inverted marginals: of single attributes, or of what lies in one cluster where the mechanism has clusters."""
    single = inverted(release)

    def read(axes: tuple[int, ...]) -> Floats:
        check_cells([release.dataset.schema.sizes[i] for i in axes])
        groups = [tuple(i for i in axes if i in block) for block in release.mechanism.clusters]
        asked = [group for group in groups if group]
        return independent_shares([single(group) for group in asked], [[axes.index(i) for i in group] for group in asked])

    return read


def hybrid(release: Release[Mechanism]) -> Reader:
    """Inversion where its exact variance is below the error of independence, the product of marginals elsewhere."""
    joint, product = inverted(release), multiplied(release)

    def read(axes: tuple[int, ...]) -> Floats:
        channel, n = release.mechanism.marginal_channel(axes), release.n
        return (joint if estimated_blend(release.counts(_names(release, axes)) / n, channel, n).pays else product)(axes)

    return read


def blended(release: Release[Mechanism]) -> Reader:
    """The mean of inversion and the product of marginals, weighted by what each is expected to be off by."""
    joint, product = inverted(release), multiplied(release)

    def read(axes: tuple[int, ...]) -> Floats:
        channel, n = release.mechanism.marginal_channel(axes), release.n
        weight = estimated_blend(release.counts(_names(release, axes)) / n, channel, n).weight
        return weight * joint(axes) + (1 - weight) * product(axes)

    return read


def shrunk(release: Release[Mechanism]) -> Reader:
    """The whole table at once: each joint distribution drawn toward what smaller ones say (theory.md section 25)."""
    return release.shrinkage.shares


def published_hybrid(release: Release[Mechanism]) -> Reader:
    """Inversion or the product of marginals, by the bounds printed in Castell, appendix C."""
    joint, product = inverted(release), multiplied(release)
    sizes, levels, n = release.dataset.schema.sizes, release.mechanism.levels, release.n

    def read(axes: tuple[int, ...]) -> Floats:
        invert = published_choice([sizes[i] for i in axes], levels[list(axes)].tolist(), n)
        return (joint if invert else product)(axes)

    return read


def truncated(release: Release[Mechanism]) -> Reader:
    """Inversion, cut off at 0 and at the inverted marginals of one attribute less."""

    def read(axes: tuple[int, ...]) -> Floats:
        return published_truncation(release.counts(_names(release, axes)) / release.n, release.mechanism.marginal_channel(axes))

    return read


@dataclass(frozen=True)
class Likeliest:
    """Reader by EM on the marginal."""

    release: Release[Mechanism]

    def fit(self, axes: tuple[int, ...]) -> MaximumLikelihood:
        """What EM arrives at."""
        counts = self.release.counts(_names(self.release, axes))
        if counts.size > MAX_EM_CELLS:
            raise InputError(
                f"EM is run here on at most {MAX_EM_CELLS:,} cells and there are {counts.size:,}: choose fewer attributes."
            )
        return maximum_likelihood(counts / self.release.n, self.release.mechanism.marginal_channel(axes))

    def __call__(self, axes: tuple[int, ...]) -> Floats:
        return self.fit(axes).shares

    def story(self, axes: tuple[int, ...]) -> str:
        """How it went, in one sentence."""
        found = self.fit(axes)
        first, last = found.log_likelihoods[0], found.log_likelihoods[-1]
        why = "no share moved any more" if found.converged else "the limit on iterations was reached"
        return (
            f"EM stopped after {found.iterations} iterations because {why} (largest change {found.change:.1g}); the log-likelihood rose from "
            f"{first:.4f} to {last:.4f} nats per person."
        )


def likeliest(release: Release[Mechanism]) -> Likeliest:
    """EM on the marginal."""
    return Likeliest(release)


@dataclass(frozen=True)
class Adjusted:
    """Reader of RR-Adjustment: weighted released records. ``adjustment`` says how the weights were found."""

    release: Release[Mechanism]
    adjustment: Adjustment

    def __call__(self, axes: tuple[int, ...]) -> Floats:
        sizes = [self.release.dataset.schema.sizes[i] for i in axes]
        check_cells(sizes)
        numbers = cell_numbers(self.release.dataset.codes[:, list(axes)], sizes)
        shares = np.bincount(numbers, weights=self.adjustment.weights, minlength=math.prod(sizes))
        return np.asarray(shares, dtype=np.float64).reshape(sizes)

    def story(self, axes: tuple[int, ...]) -> str:
        """How the weights were found, in one sentence; the same for all ``axes``."""
        return self.adjustment.reason


def adjusted(release: Release[Mechanism]) -> Adjusted:
    """RR-Adjustment after RR-Independent, or after RR-Clusters where the mechanism has clusters."""
    groups, single = release.mechanism.clusters, inverted(release)
    targets = [clip_and_rescale(single(group)) for group in groups]
    return Adjusted(release, adjust(release.dataset.codes, release.dataset.schema.sizes, groups, targets))


def _names(release: Release[Mechanism], axes: Sequence[int]) -> list[str]:
    return [release.dataset.schema.names[i] for i in axes]
