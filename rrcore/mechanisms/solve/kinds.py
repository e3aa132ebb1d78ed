"""Attributes that may be swapped share one axis, which counts how many of them lie: fewer lie sets, and a symmetric answer.

Arrays over lie sets have shape (n_1 + 1, ..., n_C + 1) for C kinds of n_c attributes each; so have arrays over interactions T,
where the axes count the members of T. Where no two attributes may be swapped this is the usual shape (2,) * k.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import comb

from rrcore.arrays import Floats
from rrcore.channel.liesets import on_each_axis
from rrcore.mechanisms.tabulated import members


class Kinds:
    """The kinds of attributes of a weighted workload.

    Two attributes are of one kind if they have equally many categories and swapping them changes no weight.

    Parameters
    ----------
    sizes : k ints
    weights : mapping from sets of positions to floats
    """

    def __init__(self, sizes: Sequence[int], weights: Mapping[frozenset[int], float]) -> None:
        self.sizes = tuple(sizes)
        roles = [
            sorted((len(T), w, sorted(sizes[j] for j in T)) for T, w in weights.items() if i in T) for i in range(len(sizes))
        ]
        self.groups: list[list[int]] = []
        for i in sorted(
            range(len(sizes)), key=lambda i: (sizes[i], roles[i])
        ):  # so that the order of the columns does not matter
            group = next((g for g in self.groups if sizes[g[0]] == sizes[i] and _may_swap(g[0], i, weights)), None)
            if group is None:
                self.groups.append([i])
            else:
                group.append(i)
        self.shape = tuple(len(group) + 1 for group in self.groups)
        self.uniform = self.independent([1 - 1 / a for a in sizes])
        """U, the probability that a uniform output has these lies."""
        self.order = np.indices(self.shape).sum(axis=0)
        """|T|, the number of members of an interaction."""
        self.number = outer([comb(len(group), np.arange(len(group) + 1)) for group in self.groups])
        """How many sets of attributes have these counts."""
        self.kernels = [_mean_products(len(group), sizes[group[0]]) for group in self.groups]
        """Per kind: row t, column m holds the mean of v_T over lie sets of m attributes, T having t members."""

    def where(self, axes: frozenset[int]) -> tuple[int, ...]:
        """The position of T = ``axes`` in an array over interactions."""
        return tuple(len(axes.intersection(group)) for group in self.groups)

    def independent(self, lies: ArrayLike) -> Floats:
        """The distribution of independent lies with probabilities ``lies`` (shape (k,), equal within a kind)."""
        each = np.asarray(lies, dtype=np.float64)
        return outer([_counted_lies(len(group), float(each[group[0]])) for group in self.groups])

    def products(self, values: ArrayLike) -> Floats:
        """The product of ``values`` (shape (k,), equal within a kind) over T, for every T."""
        each = np.asarray(values, dtype=np.float64)
        return outer([each[group[0]] ** np.arange(len(group) + 1) for group in self.groups])

    def factors(self, q: Floats) -> Floats:
        """mu_T of a distribution over lies, for every T."""
        return on_each_axis(q, self.kernels)

    def transposed(self, coefficients: Floats) -> Floats:
        """The h over lies with E_q[h] = sum over T of ``coefficients[T]`` mu_T for every q."""
        return on_each_axis(coefficients, [kernel.T for kernel in self.kernels])

    def row(self, where: Sequence[int]) -> Floats:
        """v_T over lies, for the T at ``where``."""
        return outer([kernel[t] for kernel, t in zip(self.kernels, where, strict=True)])

    def spread(self, q: Floats) -> Floats:
        """The distribution over all 2^k lie sets, shape (2,) * k: sets of the same counts are equally likely."""
        k = len(self.sizes)
        lying = members(np.arange(2**k), k)
        counts = tuple(lying[group].sum(axis=0) for group in self.groups)
        table = (q / self.number)[counts].reshape((2,) * k)
        return np.asarray(table / table.sum())


def _may_swap(i: int, j: int, weights: Mapping[frozenset[int], float]) -> bool:
    swap = {i: j, j: i}
    return all(
        weights.get(frozenset(swap.get(axis, axis) for axis in T)) == weight
        for T, weight in weights.items()
        if (i in T) != (j in T)
    )


def _counted_lies(n: int, lie: float) -> Floats:
    """How likely m of n attributes lie; shape (n + 1,)."""
    m = np.arange(n + 1)
    return np.asarray(comb(n, m) * lie**m * (1 - lie) ** (n - m))


def _mean_products(n: int, size: int) -> Floats:
    """Mean of prod over i in T of v_i when m of n attributes lie, all choices equally likely; row t = |T|, column m."""
    t, m, both = np.ogrid[: n + 1, : n + 1, : n + 1]
    ways = comb(t, both) * comb(n - t, m - both)  # `both` members of T among the m that lie
    return np.asarray((ways * (-1.0 / (size - 1)) ** both).sum(axis=2) / comb(n, m[:, :, 0]))


def outer(vectors: Sequence[Floats]) -> Floats:
    """The product of one entry of each vector, for every choice."""
    return np.asarray(reduce(np.multiply.outer, vectors, np.ones(())))
