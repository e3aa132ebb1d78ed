"""Base classes of mechanisms that draw which answers of a record to change.

Three classes store the probabilities of these sets of changes in different ways.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement
from numbers import Real
from typing import Any, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from rrcore.arrays import Booleans, Codes, Floats, Integers
from rrcore.channel.channels import SubsetChannel, log_subset_counts, subsets_of_counts
from rrcore.channel.epsilon import epsilon_from_lie
from rrcore.channel.interactions import onto_axes
from rrcore.errors import InputError, check_codes
from rrcore.limits import MAX_COLUMNS, MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms.solve.countgrid import log_uniform, positions
from rrcore.wording import MOST_ROWS, counted, epsilon_text, factor_text, html_table, total_text
from rrcore.wording.short import Short, some

PROVED = 1e-6
"""A mechanism counts as optimal if epsilon_total is less than this above its lower bound."""

SOME_NEVER = "Under this mechanism, some changes never occur, so a randomized record could rule out true answers. Choose another mechanism."

_ALIKE = 1e-6  # attributes are of one kind where exchanging them changes no probability by more, relatively: solvers round
_AT_ONCE = 1 << 20  # sets that are looked up at a time
_NEGLIGIBLE = 1e-13
"""A set of changes needs no probability of its own if its outputs are likelier than the least likely ones by less than this, relatively."""

_CHUNK = 1 << 15  # records randomized at a time, so that the work stays in the processor's cache
_MOST_CHANGES = 1 << 25  # answers randomized at a time


@dataclass(frozen=True, eq=False)
class Mechanism(Short, ABC):
    """A randomization of k attributes that draws which answers to change.

    Section 1 of theory.md defines this family.

    Each changed answer becomes one of the other categories, all with the same probability.

    Parameters
    ----------
    sizes : tuple of int
        Numbers of categories of the k attributes, at least 2 each.
    bound : float, optional
        Certified lower bound on epsilon_total of every mechanism with these epsilons, floors and caps.

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.Schema(tuple(rr.Attribute(name, ("no", "yes")) for name in "abc"))
    >>> mechanism = rr.Plan(schema, epsilon=1.0, n=1000).build()
    >>> isinstance(mechanism, rr.Mechanism), mechanism.epsilon.round(6).tolist()
    (True, [1.0, 1.0, 1.0])
    >>> mechanism.epsilon_total < 3 <= 3 * mechanism.epsilon_informed.max()  # lower for the record, higher for one answer
    np.True_
    """

    sizes: tuple[int, ...]
    bound: float | None = field(default=None, kw_only=True)
    _called: str = field(default="", init=False, repr=False)  # by the plan that built it

    def _summary(self) -> str:
        called = f"{self._called}, " if self._called else ""
        epsilon = some([epsilon_text(abs(eps)) for eps in self.epsilon.tolist()])
        return f"{called}{counted(self.k, 'attribute', 'attributes')}, epsilon {epsilon}, whole record {total_text(self.epsilon_total)}"

    @property
    def report_sizes(self) -> tuple[int, ...]:
        """Number of randomized answers per attribute, equal to its number of categories."""
        return self.sizes

    @property
    def k(self) -> int:
        """Number of attributes."""
        return len(self.sizes)

    @property
    @abstractmethod
    def lies(self) -> Floats:
        """Probability 1 - p_i that the answer to attribute i is changed, shape (k,)."""

    @cached_property
    def uniform_lies(self) -> Floats:
        """Probability 1 - 1/a_i that an answer differs in a uniform record, shape (k,)."""
        return np.asarray(1 - 1 / np.asarray(self.sizes, dtype=np.float64))

    @property
    def epsilon(self) -> Floats:
        """Epsilon of every attribute, shape (k,).

        For an attribute outside the workload, a change can be more likely than the true answer (theory.md section 13). Its epsilon
        is then negative, and the answer reveals as much as one with the absolute value of this epsilon.
        """
        return epsilon_from_lie(self.lies, self.sizes)

    @property
    def lower_bound(self) -> float | None:
        """Lower bound ``bound``, limited to epsilon_total in case of rounding errors."""
        return None if self.bound is None else min(self.bound, self.epsilon_total)

    @property
    def gap(self) -> float | None:
        """Largest possible distance of epsilon_total from the minimum, None if unknown."""
        return None if self.lower_bound is None else max(0.0, self.epsilon_total - self.lower_bound)

    @property
    def is_optimal(self) -> bool:
        """True if epsilon_total is proved to be minimal for these epsilons.

        The proof allows for a difference of ``PROVED``.
        """
        return self.gap is not None and self.gap <= PROVED

    @property
    @abstractmethod
    def epsilon_total(self) -> float:
        """Epsilon of the whole record."""

    @property
    @abstractmethod
    def epsilon_informed(self) -> Floats:
        """Epsilon of every attribute if an attacker knows the others, shape (k,).

        See theory.md section 5.
        """

    @abstractmethod
    def channel(self, axes: Sequence[int]) -> SubsetChannel:
        """Return the channel of a marginal.

        Parameters
        ----------
        axes : sequence of int
            Positions of attributes, in the order wanted.

        Returns
        -------
        SubsetChannel
            Probabilities of the randomized answers for each true answer.
        """

    @cached_property
    def pair_factors(self) -> Floats:
        """Factors mu_ij by which the interactions of pairs survive, shape (k, k).

        The diagonal holds r_i^2.
        """
        kind = self._kind
        of_kinds = np.zeros((int(kind.max()) + 1,) * 2)
        for t, u in combinations_with_replacement(range(len(of_kinds)), 2):
            i, j = np.flatnonzero(kind == t)[0], np.flatnonzero(kind == u)[-1]
            if i != j:
                of_kinds[t, u] = of_kinds[u, t] = self.factor((i, j))
        pairs = of_kinds[np.ix_(kind, kind)]
        np.fill_diagonal(pairs, self.retentions**2)
        return np.asarray(pairs)

    @property
    def _kind(self) -> Integers:
        """A number for each attribute, shape (k,), the same for attributes that can be exchanged."""
        return np.arange(self.k)

    @abstractmethod
    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        """Draw which attributes of each of n respondents to change, shape (k, n)."""

    @property
    def clusters(self) -> tuple[tuple[int, ...], ...]:
        """Groups of attributes that are treated as independent of each other.

        Estimators multiply the marginals of these groups. By default, each attribute forms its own group.
        """
        return tuple((i,) for i in range(self.k))

    def apart(self) -> list[tuple[tuple[int, ...], Mechanism]]:
        """Return the groups of attributes that are randomized independently of each other.

        Returns
        -------
        list of tuples
            Positions of attributes, and their mechanism.
        """
        return [(tuple(range(self.k)), self)]

    def listing(self) -> Listed:
        """Return the mechanism as a list of sets of changes.

        The list contains the sets that are more likely than under uniform records.

        Returns
        -------
        Listed
            The same mechanism.

        Raises
        ------
        InputError
            If there are too many sets to list, or some sets never occur.
        """
        if self.k > MAX_OPTIMAL_ATTRIBUTES:
            raise InputError(
                f"This mechanism combines {self.k} attributes of too many kinds (numbers of categories and values of ε). "
                f"Give attributes with the same number of categories the same ε, use at most {MAX_OPTIMAL_ATTRIBUTES} "
                "attributes, or choose independent, joint or "
                "closed-form."
            )
        channel = self.channel(range(self.k))
        outputs = np.exp(channel.log_weights)
        least = float(outputs.min())
        if least <= 0:
            raise InputError(SOME_NEVER)
        extra = np.where(outputs > least * (1 + _NEGLIGIBLE), channel.probabilities * (1 - least / outputs), 0.0)
        return Listed(self.sizes, least * math.prod(self.sizes), np.argwhere(extra > 0), extra[extra > 0])

    def by_counts(self) -> Counted | None:
        """Return the mechanism in terms of the number of changes of each kind.

        Returns
        -------
        Counted or None
            The same mechanism, or None if its attributes are of too many kinds.
        """
        return None

    def factor(self, axes: Sequence[int]) -> float:
        """Return the factor mu_T by which the interaction of attributes survives.

        Parameters
        ----------
        axes : sequence of int
            Positions of attributes, in the order wanted.

        Returns
        -------
        float
            1 if nothing is changed, 0 if the interaction is erased.
        """
        return float(self.channel(axes).factors[(1,) * len(axes)])

    @property
    def retentions(self) -> Floats:
        """Factor r_i by which the deviations of attribute i survive, shape (k,)."""
        others = np.asarray(self.sizes, dtype=np.float64) - 1
        return np.asarray(1 - self.lies * (others + 1) / others)

    def pair_ratios(self) -> Floats:
        """Return how well pairs survive compared with independent randomization.

        Returns
        -------
        ndarray of shape (k, k)
            mu_ij / (r_i r_j), and 1 on the diagonal.
        """
        r = self.retentions
        return np.asarray(self.pair_factors / np.multiply.outer(r, r))

    def min_pair_ratio(self) -> float | None:
        """Return how well the worst pair survives compared with independence.

        Returns
        -------
        float or None
            The smallest mu_ij / (r_i r_j). None with a single attribute.
        """
        if self.k < 2:
            return None
        return float(self.pair_ratios()[np.triu_indices(self.k, 1)].min())

    def _repr_html_(self) -> str:
        """Return epsilon of the record and of every attribute, for a notebook."""
        columns = list(zip(self.sizes, self.epsilon, self.epsilon_informed, strict=True))[:MOST_ROWS]
        rows = [[str(i), str(size), epsilon_text(abs(eps)), epsilon_text(leak)] for i, (size, eps, leak) in enumerate(columns, 1)]
        title = f"Whole record: ε = {total_text(self.epsilon_total)}, odds up to {factor_text(self.epsilon_total)}"
        heads = ("attribute", "categories", "epsilon", "informed attacker")
        return html_table(heads, rows, numbers=3, title=title, more=self.k - len(rows))

    def sample(self, codes: Codes, *, rng: np.random.Generator) -> Codes:
        """Simulate randomized answers in floating-point arithmetic.

        To randomize real answers, use ``rr.randomize``.

        Parameters
        ----------
        codes : ndarray of int, shape (n, k)
            True answers, coded as positions of categories.
        rng : Generator
            Source of randomness.

        Returns
        -------
        ndarray of int, shape (n, k)
            Randomized answers.

        Raises
        ------
        InputError
            If ``codes`` is not a table of k columns, or a code is out of range.
        """
        check_codes(codes, self.sizes)
        n = codes.shape[0]
        released = np.empty((n, self.k), dtype=np.int32, order="F")
        chunk = min(_CHUNK, max(1, _MOST_CHANGES // self.k))
        for start in range(0, n, chunk):
            rows = slice(start, min(start + chunk, n))
            lies = self._draw_lies(rows.stop - start, rng)
            for i, size in enumerate(self.sizes):
                released[rows, i] = _replace(codes[rows, i], lies[i], size, rng)
        return released


@dataclass(frozen=True, eq=False)
class Listed(Mechanism):
    """Replace the record by a uniform one, or change the answers in a listed set.

    Any symmetric mechanism can be written in this form, and a few sets are often enough. Joint randomization and the closed form
    need only sets of at most one attribute. The form therefore also works when there are too many attributes to list all 2^k sets.

    Parameters
    ----------
    sizes : tuple of int
        Numbers of categories.
    uniform : float
        Probability of a uniform record.
    lying : array of bool, shape (m, k)
        Row s marks the attributes that change if set s is drawn. All rows differ. The array is stored sparsely.
    probabilities : ndarray of shape (m,)
        Probabilities of the sets, all positive. Together with ``uniform`` they sum to 1.
    """

    uniform: float
    lying: scipy.sparse.csr_array
    probabilities: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "lying", scipy.sparse.csr_array(self.lying, dtype=np.bool_))

    @classmethod
    def at_most_one(cls, sizes: Sequence[int], uniform: float, single: Floats, **more: Any) -> Self:
        """Return a mechanism that changes at most one answer or draws a uniform record.

        It changes exactly attribute i with probability ``single[i]``.
        """
        keep = max(0.0, 1.0 - uniform - float(single.sum()))
        lying, chances = scipy.sparse.eye_array(len(sizes) + 1, len(sizes), format="csr"), np.r_[single, keep]
        return cls(tuple(sizes), uniform, lying[np.flatnonzero(chances > 0)], chances[chances > 0], **more)

    def listing(self) -> Listed:
        return self

    @property
    def lies(self) -> Floats:
        return np.asarray(self.uniform * self.uniform_lies + self.probabilities @ self.lying)

    @cached_property
    def log_floor(self) -> float:
        """Log probability of a single output whose set of changes is not listed."""
        return float(np.log(self.uniform) - np.log(self.sizes).sum()) if self.uniform > 0 else -np.inf

    @cached_property
    def log_outputs(self) -> Floats:
        """Log probability of a single output with each listed set, shape (m,)."""
        others = np.log(np.asarray(self.sizes, dtype=np.float64) - 1)
        return np.asarray(np.logaddexp(np.log(self.probabilities) - self.lying @ others, self.log_floor))

    @cached_property
    def epsilon_total(self) -> float:
        outputs = self.log_outputs if self.probabilities.size == 2**self.k else np.r_[self.log_outputs, self.log_floor]
        return float(outputs.max() - outputs.min())

    @cached_property
    def _keys(self) -> NDArray[np.uint64]:
        """A random number for each attribute. The sum of those of a set, modulo 2^64, is its name."""
        return np.random.default_rng(0).integers(1 << 64, size=self.k, dtype=np.uint64)

    @cached_property
    def _names(self) -> NDArray[np.uint64]:
        return np.asarray(self.lying.astype(np.uint64) @ self._keys)

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self._names)

    def _found(self, names: NDArray[np.uint64]) -> tuple[Booleans, Floats]:
        """Return whether sets are listed, and the logarithm of the probability of one particular output with each, by their names."""
        if not self._order.size:
            return np.zeros(names.shape, dtype=np.bool_), np.full(names.shape, self.log_floor)
        place = self._order[np.minimum(np.searchsorted(self._names, names, sorter=self._order), self._order.size - 1)]
        listed = self._names[place] == names
        return listed, np.where(listed, self.log_outputs[place], self.log_floor)

    @cached_property
    def epsilon_informed(self) -> Floats:
        sets, members = self.lying.nonzero()
        leaks, own = np.zeros(self.k), self.log_outputs
        np.maximum.at(leaks, members, np.abs(own[sets] - self._found(self._names[sets] - self._keys[members])[1]))
        # a set and the same with one more attribute that is not listed: the likeliest such set for each attribute
        order, waiting = np.argsort(-own), np.arange(self.k)
        while order.size and waiting.size:
            rows, order = np.split(order, [max(1, _AT_ONCE // waiting.size)])
            alone = ~self.lying[rows][:, waiting].toarray()
            alone &= ~self._found(self._names[rows, None] + self._keys[waiting])[0]
            found = alone.any(axis=0)
            likeliest = own[rows[alone.argmax(axis=0)]] - self.log_floor
            leaks[waiting[found]] = np.maximum(leaks[waiting], likeliest)[found]
            waiting = waiting[~found]
        return leaks

    def channel(self, axes: Sequence[int]) -> SubsetChannel:
        chosen = list(axes)
        return SubsetChannel.listed(
            [self.sizes[i] for i in chosen], self.uniform, self.lying[:, chosen].toarray(), self.probabilities
        )

    @cached_property
    def pair_factors(self) -> Floats:
        values = np.where(self.lying.toarray(), -1 / (np.asarray(self.sizes, dtype=np.float64) - 1), 1.0)
        pairs = values.T @ (self.probabilities[:, None] * values)
        np.fill_diagonal(pairs, self.retentions**2)
        return np.asarray(pairs)

    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        ends = np.cumsum(np.r_[self.uniform, self.probabilities])[:-1]
        drawn = np.searchsorted(ends, rng.random(n), side="right")
        lies = rng.random((self.k, n)) < self.uniform_lies[:, None]
        lies &= drawn == 0
        changed = np.flatnonzero(drawn)
        if changed.size:
            lies[:, changed] = self.lying[drawn[changed] - 1].toarray().T
        return np.asarray(lies)


@dataclass(frozen=True, eq=False)
class Tabulated(Mechanism):
    """Represent any symmetric mechanism for a small number of attributes.

    Parameters
    ----------
    sizes : tuple of int
        Numbers of categories.
    subsets : SubsetChannel
        Probabilities of all 2^k sets of changed answers.
    """

    subsets: SubsetChannel

    @property
    def lies(self) -> Floats:
        return self.subsets.lies

    @property
    def epsilon_total(self) -> float:
        return self.subsets.epsilon_total

    @property
    def epsilon_informed(self) -> Floats:
        return self.subsets.epsilon_informed

    def channel(self, axes: Sequence[int]) -> SubsetChannel:
        return self.subsets.marginal(list(axes))

    def by_counts(self) -> Counted:
        q, kind = self.subsets.probabilities, self._kinds()
        sizes, numbers = np.asarray(self.sizes)[np.unique(kind, return_index=True)[1]], np.bincount(kind)
        position = positions(kind, (numbers + 1).tolist())
        shares = np.bincount(position.ravel(), q.ravel(), int((numbers + 1).prod())).reshape(numbers + 1)
        with np.errstate(divide="ignore"):
            return Counted(self.sizes, kind, np.log(shares) - log_uniform(sizes, numbers))

    def _kinds(self) -> Integers:
        """Return a number for each attribute, the same if exchanging two of them changes no probability."""
        q, kind, firsts = self.subsets.probabilities, np.empty(self.k, dtype=np.int64), list[int]()
        for i in range(self.k):
            alike = (
                t
                for t, first in enumerate(firsts)
                if self.sizes[first] == self.sizes[i] and np.allclose(q, q.swapaxes(first, i), rtol=_ALIKE, atol=0)
            )
            kind[i] = next(alike, len(firsts))
            if kind[i] == len(firsts):
                firsts.append(i)
        return kind

    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        return members(_drawn(self.subsets.probabilities, n, rng), self.k)


@dataclass(frozen=True, eq=False)
class Counted(Mechanism):
    """Minimize epsilon_total, treating attributes of the same kind alike.

    Attributes are of the same kind if they have the same number of categories and the same epsilon.

    Parameters
    ----------
    sizes : tuple of int
        Numbers of categories.
    kind : ndarray of int, shape (k,)
        The kind of each attribute, from 0 to T-1. Attributes of the same kind have the same number of categories.
    log_gains : ndarray of shape (n_1 + 1, ..., n_T + 1), where kind t has n_t attributes
        Log ratio of the probability of an output to its probability under a uniform record, by the number of changes of each kind.
    """

    kind: Integers
    log_gains: Floats

    @cached_property
    def _numbers(self) -> Integers:
        """n_t, shape (T,)."""
        return np.asarray(self.log_gains.shape, dtype=np.int64) - 1

    @cached_property
    def _kind_sizes(self) -> Integers:
        """Numbers of categories of the kinds, shape (T,)."""
        return np.asarray(self.sizes, dtype=np.int64)[np.unique(self.kind, return_index=True)[1]]

    @cached_property
    def _probabilities(self) -> Floats:
        """Probability of each count vector, in the shape of ``log_gains``."""
        logs = log_uniform(self._kind_sizes, self._numbers) + self.log_gains
        q = np.exp(logs - logs.max())
        return np.asarray(q / q.sum())

    @cached_property
    def lies(self) -> Floats:
        rates = [onto_axes(self._probabilities, [t]) @ np.arange(n + 1) / n for t, n in enumerate(self._numbers)]
        return np.array(rates)[self.kind]

    @property
    def epsilon_total(self) -> float:
        return float(self.log_gains.max() - self.log_gains.min())

    @cached_property
    def epsilon_informed(self) -> Floats:
        leaks = [float(np.abs(np.diff(self.log_gains, axis=t)).max()) for t in range(self._numbers.size)]
        return np.array(leaks)[self.kind]

    def channel(self, axes: Sequence[int]) -> SubsetChannel:
        chosen = list(axes)
        return SubsetChannel(tuple(self.sizes[i] for i in chosen), subsets_of_counts(self.kind[chosen], self._probabilities))

    def by_counts(self) -> Counted:
        return self

    @property
    def _kind(self) -> Integers:
        return self.kind

    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        left = list(
            np.unravel_index(_drawn(self._probabilities, n, rng), self.log_gains.shape)
        )  # changes still to be placed, per kind
        remaining = self._numbers.copy()
        lies = np.empty((self.k, n), dtype=np.bool_)
        for i, t in enumerate(self.kind):
            np.less(rng.random(n) * remaining[t], left[t], out=lies[i])
            left[t] = left[t] - lies[i]
            remaining[t] -= 1
        return lies


def _drawn(probabilities: Floats, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw n positions in the raveled ``probabilities``."""
    ends = np.cumsum(probabilities.ravel())
    return np.searchsorted(ends[:-1], rng.random(n) * ends[-1], side="right")


def check_sizes(sizes: Sequence[int]) -> None:
    """Raise InputError unless ``sizes`` holds valid numbers of categories."""
    wrong = [size for size in sizes if not isinstance(size, Real) or isinstance(size, bool) or size < 2 or size % 1]
    if wrong:
        raise InputError(f"Expected at least 2 categories for each attribute, got {wrong[0]}.")
    if len(sizes) == 0:
        raise InputError("Expected at least one attribute, got none.")
    if len(sizes) > MAX_COLUMNS:
        raise InputError(f"There are {len(sizes):,} attributes. Use at most {MAX_COLUMNS:,}.")


def _replace(values: Codes, lies: Booleans, size: int, rng: np.random.Generator) -> Codes:
    """Return ``values`` with each one marked in ``lies`` replaced by one of the ``size - 1`` other values, uniformly."""
    if size == 2:
        return np.asarray(values ^ lies, dtype=np.int32)
    shift = rng.integers(1, size, size=values.size, dtype=np.uint16)
    shift *= lies
    out = np.add(values, shift, dtype=np.int32)
    out -= (out >= size) * np.int32(size)
    return np.asarray(out)


def members(lie_sets: NDArray[np.integer], k: int) -> Booleans:
    """Return which sets of changes contain each attribute, shape (k, n).

    The sets are given by ``lie_sets``, their positions in a raveled ``(2,) * k`` array.
    """
    return np.asarray(lie_sets & (1 << np.arange(k, dtype=lie_sets.dtype))[::-1, None], dtype=bool)


def hold_caps(q: Floats, sizes: Sequence[int], caps: Floats) -> Floats:
    """Return ``q`` adjusted so that no epsilon_informed exceeds its cap.

    The adjustment removes the rounding errors of the solver. It makes outputs only as likely as necessary.

    Outputs can only become more likely, and none becomes more likely than the most likely one. Therefore, epsilon_total does not
    increase.

    Parameters
    ----------
    q : ndarray of shape (2,) * k
        Probabilities of the sets of changes.
    sizes : sequence of int
        Numbers of categories.
    caps : ndarray of shape (k,)
        Caps on epsilon_informed, infinite if there is none.
    """
    counts = np.exp(log_subset_counts(sizes))
    weights = q / counts
    for i, cap in enumerate(caps):
        weights = np.maximum(weights, np.exp(-cap) * np.flip(weights, axis=i))
    return np.asarray(weights * counts / (weights * counts).sum())
