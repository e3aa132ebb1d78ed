"""What every mechanism offers: peers share one signature, so that a page or a benchmark can loop over them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real

import numpy as np

from rrcore.arrays import Booleans, Codes, Floats, Integers
from rrcore.channel.levels import level_from_lie
from rrcore.channel.liesets import LieSets
from rrcore.errors import InputError
from rrcore.limits import MAX_COLUMNS, MAX_OPTIMAL_ATTRIBUTES
from rrcore.wording import MOST_ROWS, Quantity, counted, html_table, level_text, total_text
from rrcore.wording.short import Short, some

PROVED = 1e-6
"""Below this gap, in nats, between a total and its lower bound the mechanism counts as the optimum."""

_NOTABLE_GAP = 1e-3  # nats, gap from which on it is said beside the total

SOME_NEVER = "Under this mechanism some lies never happen, so a released record could rule answers out: choose another one."

_NEGLIGIBLE = 1e-13
"""A lie set whose outputs are likelier than the least likely ones by less than this, relatively, needs no probability of its own."""

_CHUNK = 1 << 15  # records randomised at a time, so that the work stays in the processor's cache


@dataclass(frozen=True, eq=False)
class Mechanism(Short, ABC):
    """A symmetric randomized response over k attributes: a way to draw lie sets (theory.md section 1).

    Parameters
    ----------
    sizes : tuple of k ints, numbers of categories a_i >= 2
    bound : float, keyword-only
        Certified lower bound, in nats, on the total of every mechanism with these levels (and floors and caps); None where none is
        known.
    tried : tuple of str, keyword-only
        The routes by which it was looked for, one sentence each with the total found or why there was none; empty where there is
        only one.

    Examples
    --------
    >>> import rrcore as rr
    >>> mechanism = rr.build("pair-safe", (2, 2, 3), [1, 1, 1])
    >>> isinstance(mechanism, rr.Mechanism), mechanism.levels.round(6).tolist()
    (True, [1.0, 1.0, 1.0])
    >>> mechanism.total_level < 3 <= 3 * mechanism.leakage.max()  # cheaper for the record, dearer for one answer
    np.True_
    """

    sizes: tuple[int, ...]
    bound: float | None = field(default=None, kw_only=True)
    tried: tuple[str, ...] = field(default=(), kw_only=True)

    def _summary(self) -> str:
        levels = some([level_text(abs(eps)) for eps in self.levels.tolist()])
        return f"{counted(self.k, 'attribute', 'attributes')}, levels {levels} nats, whole record {total_text(self.total_level)} nats"

    @property
    def k(self) -> int:
        """Number of attributes."""
        return len(self.sizes)

    @property
    @abstractmethod
    def lies(self) -> Floats:
        """1 - p_i, the probability that attribute i is reported falsely, shape (k,)."""

    @cached_property
    def uniform_lies(self) -> Floats:
        """1 - 1/a_i, the probability that attribute i is reported falsely in a uniform record, shape (k,)."""
        return np.asarray(1 - 1 / np.asarray(self.sizes, dtype=np.float64))

    @property
    def levels(self) -> Floats:
        """Achieved levels eps_i in nats, shape (k,).

        Of an attribute that no joint distribution wanted is of, a lie can be the likelier answer (theory.md section 13): its level is then
        below 0, and its answer gives away as much as one of the level without the sign.
        """
        return level_from_lie(self.lies, self.sizes)

    @property
    def method(self) -> str:
        """How it was found, in a few plain words; empty where its title says it all."""
        return ""

    @property
    def lower_bound(self) -> float | None:
        """``bound``, but never above its own total, which rounding could put it above."""
        return None if self.bound is None else min(self.bound, self.total_level)

    @property
    def gap(self) -> float | None:
        """How far the total may be above the least possible one, in nats; None where no lower bound is known."""
        return None if self.lower_bound is None else max(0.0, self.total_level - self.lower_bound)

    @property
    def is_optimal(self) -> bool:
        """Whether it is proved that no mechanism with these levels has a smaller total (to within ``PROVED``)."""
        return self.gap is not None and self.gap <= PROVED

    @property
    def gap_text(self) -> str:
        """How far the total may be above the least possible one, to be said beside it; empty below a thousandth of a nat."""
        return (
            f"at most {total_text(self.gap)} nats above the least possible"
            if self.gap is not None and self.gap > _NOTABLE_GAP
            else ""
        )

    @property
    @abstractmethod
    def total_level(self) -> float:
        """Record-level budget eps_total in nats, computed from the mechanism itself."""

    @property
    @abstractmethod
    def leakage(self) -> Floats:
        """L_i in nats, shape (k,): attribute i's protection against someone who knows the others (section 5)."""

    @abstractmethod
    def marginal_channel(self, axes: Sequence[int]) -> LieSets:
        """The channel on the marginal over ``axes`` (positions of attributes, in the order wanted)."""

    @property
    @abstractmethod
    def _pair_factors(self) -> Floats:
        """What ``pair_factors`` returns; cached where it takes time."""

    def pair_factors(self) -> Floats:
        """mu_ij for every pair, shape (k, k); the diagonal holds r_i^2, so that ratios to Kronecker are 1 there."""
        return self._pair_factors

    @abstractmethod
    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        """Which attributes each of n respondents lies about, shape (k, n)."""

    @property
    def clusters(self) -> tuple[tuple[int, ...], ...]:
        """Groups of attributes taken to be independent of each other when marginals are multiplied: each attribute on its own."""
        return tuple((i,) for i in range(self.k))

    def apart(self) -> list[tuple[tuple[int, ...], Mechanism]]:
        """Positions of attributes and their mechanism, for every group that is randomised independently of the others."""
        return [(tuple(range(self.k)), self)]

    def listing(self) -> tuple[float, Booleans, Floats]:
        """The mechanism as a list: the probability of a uniform record, lie sets (shape (m, k)) and their probabilities (shape (m,)).

        Uniform records take what all outputs have in common; the lie sets with likelier outputs get the rest.

        Raises
        ------
        InputError
            Where there are too many lie sets to list, or some lies never happen.
        """
        if self.k > MAX_OPTIMAL_ATTRIBUTES:
            raise InputError(
                f"This mechanism couples {self.k} attributes of too many kinds (numbers of categories and levels) to be listed: give "
                f"attributes with equally many categories the same level, take at most {MAX_OPTIMAL_ATTRIBUTES} attributes, or choose "
                "Kronecker, RR-Joint or the closed form."
            )
        channel = self.marginal_channel(range(self.k))
        outputs = np.exp(channel.log_weights)
        least = float(outputs.min())
        if least <= 0:
            raise InputError(SOME_NEVER)
        extra = np.where(outputs > least * (1 + _NEGLIGIBLE), channel.probabilities * (1 - least / outputs), 0.0)
        listed = np.argwhere(extra > 0)
        return least * math.prod(self.sizes), listed.astype(np.bool_), extra[extra > 0]

    def by_counts(self) -> tuple[Integers, Floats] | None:
        """The mechanism by counts of lies; None where it does not treat attributes of few kinds alike.

        Returns
        -------
        kind : ndarray of shape (k,), int, the kind 0..T-1 of each attribute; attributes of one kind have equally many categories
        log_gains : ndarray of shape (n_1 + 1, ..., n_T + 1), n_t attributes of kind t
            ln of how much more probable an output is than under a uniform record, by the number of lies of each kind.
        """
        return None

    def factor(self, axes: Sequence[int]) -> float:
        """mu_T for T = ``axes``: the factor by which their interaction survives."""
        return float(self.marginal_channel(axes).factors[(1,) * len(axes)])

    @property
    def retentions(self) -> Floats:
        """r_i = mu_{i}, shape (k,)."""
        others = np.asarray(self.sizes, dtype=np.float64) - 1
        return np.asarray(1 - self.lies * (others + 1) / others)

    def pair_ratios(self) -> Floats:
        """mu_ij / (r_i r_j), shape (k, k): how well pairs survive compared with Kronecker; 1 on the diagonal."""
        r = self.retentions
        return np.asarray(self.pair_factors() / np.multiply.outer(r, r))

    def min_pair_ratio(self) -> float | None:
        """Smallest (signed) mu_ij / (r_i r_j) over pairs i < j; None with a single attribute."""
        if self.k < 2:
            return None
        return float(self.pair_ratios()[np.triu_indices(self.k, 1)].min())

    def _repr_html_(self) -> str:
        """What a notebook shows: the record's total, and of every attribute its level and its leakage."""
        columns = list(zip(self.sizes, self.levels, self.leakage, strict=True))[:MOST_ROWS]
        rows = [[str(i), str(size), level_text(abs(eps)), level_text(leak)] for i, (size, eps, leak) in enumerate(columns, 1)]
        title = f"Whole record: odds up to {Quantity('whole record', '').both(self.total_level)}"
        heads = ("attribute", "categories", "level (nats)", "leakage (nats)")
        return html_table(heads, rows, numbers=3, title=title, more=self.k - len(rows))

    def perturb(self, codes: Codes, *, rng: np.random.Generator) -> Codes:
        """Simulate the release of a table: seeded, in floating point, for what-ifs; not for collecting real answers.

        Parameters
        ----------
        codes : ndarray of shape (n, k), integer, codes 0..a_i-1
        rng : numpy Generator

        Returns
        -------
        ndarray of shape (n, k), int32, Fortran order: draw S, then replace each x_i, i in S, by another value.

        Raises
        ------
        InputError
            If ``codes`` is not a table of k columns of whole numbers, or a code is none of its attribute's.
        """
        if codes.ndim != 2 or codes.shape[1] != self.k:
            raise InputError(f"The codes have shape {codes.shape}: expected (n, {self.k}), one column per attribute.")
        if codes.dtype.kind not in "iu":
            raise InputError(f"The codes are of type {codes.dtype}: expected integers.")
        n = codes.shape[0]
        released = np.empty((n, self.k), dtype=np.int32, order="F")
        for start in range(0, n, _CHUNK):
            rows = slice(start, min(start + _CHUNK, n))
            lies = self._draw_lies(rows.stop - start, rng)
            for i, size in enumerate(self.sizes):
                values = codes[rows, i]
                if values.min() < 0 or values.max() >= size:
                    raise InputError(f"A code of attribute {i + 1} is {_outside(values, size)}: expected 0 to {size - 1}.")
                released[rows, i] = _replace(values, lies[i], size, rng)
        return released


def check_sizes(sizes: Sequence[int]) -> None:
    """Raise InputError where ``sizes`` are no numbers of categories, one for each of at least one attribute."""
    wrong = [size for size in sizes if not isinstance(size, Real) or isinstance(size, bool) or size < 2 or size % 1]
    if wrong or len(sizes) == 0:
        found = f"has {wrong[0]} categories" if wrong else "is missing"
        raise InputError(f"An attribute {found}: give at least one attribute, each with at least 2 categories.")
    if len(sizes) > MAX_COLUMNS:
        raise InputError(f"There are {len(sizes):,} attributes: use at most {MAX_COLUMNS:,}.")


def _outside(values: Codes, size: int) -> int:
    """The first of ``values`` that is no code 0..size-1."""
    return int(values[(values < 0) | (values >= size)][0])


def _replace(values: Codes, lies: Booleans, size: int, rng: np.random.Generator) -> Codes:
    """``values`` with each one marked in ``lies`` replaced by one of the ``size - 1`` other values, uniformly."""
    if size == 2:
        return np.asarray(values ^ lies, dtype=np.int32)
    shift = rng.integers(1, size, size=values.size, dtype=np.uint16)
    shift *= lies
    out = np.add(values, shift, dtype=np.int32)
    out -= (out >= size) * np.int32(size)
    return np.asarray(out)
