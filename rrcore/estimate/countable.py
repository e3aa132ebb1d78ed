"""Whatever counts of released answers can be asked of, a release with its records or counts alone, and many of its marginals as one table."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any, Generic, Literal, TypeVar, get_args, overload

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.channel import Channel, Randomization
from rrcore.errors import InputError, need
from rrcore.estimate.cell_table import cell_table
from rrcore.estimate.estimate import Estimate, PointEstimate
from rrcore.estimate.inversion import invert_counts
from rrcore.estimate.sample import Spread
from rrcore.estimate.shrinkage import Shrinkage, listed_sets
from rrcore.estimate.table_model import TableModel, table_model
from rrcore.progress import Report, quiet
from rrcore.table import Counts, Schema
from rrcore.wording import counted
from rrcore.wording.short import Short, some

_NUMBERS = ("estimate", "standard error", "low", "high", "closest", "closest low", "closest high")


@dataclass(frozen=True, eq=False)
class LongTable(Short):
    """Estimates of several marginals, one row for each cell.

    Parameters
    ----------
    columns : name -> values. "marginal" names the attributes that were read together, with " × " between them; then one column for each
        attribute, with None where it is not in the marginal; "people" whose answers were used; the unbiased "estimate" with its "standard
        error" and interval ("low", "high"), and "closest", the estimate that comes closest, with its own
    confidence : of the intervals
    """

    columns: dict[str, list[Any]]
    confidence: float = 0.95

    def _summary(self) -> str:
        names = list(dict.fromkeys(self.columns["marginal"]))
        return f"{counted(len(self.columns['marginal']), 'row', 'rows')} of {some(names)}"

    def to_arrow(self) -> Any:
        """A pyarrow Table with these columns."""
        import pyarrow as pa

        return pa.table(self.columns)

    def to_pandas(self) -> Any:
        """A pandas DataFrame with these columns."""
        need("pandas", "to_pandas")
        return self.to_arrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def long_table(estimates: Sequence[Estimate], confidence: float, *, population: bool) -> LongTable:
    """The cells of ``estimates``; parameters as those of ``Countable.tidy``."""
    attributes = list(dict.fromkeys(name for each in estimates for name in each.schema.names))
    reserved = {"marginal", "people", *_NUMBERS}
    called = {name: f"{name} (answer)" if name in reserved else name for name in attributes}
    columns: dict[str, list[Any]] = {name: [] for name in ("marginal", *called.values(), "people", *_NUMBERS)}
    for each in estimates:
        closest, size = each.closest(), each.shares.size
        unbiased, near = (one.interval(confidence, population=population) for one in (each, closest))
        numbers = (each.shares, each.standard_error(population=population), *unbiased, closest.shares, *near)
        cells = cell_table(each.schema, dict(zip(_NUMBERS, numbers, strict=True)))
        columns["marginal"] += [" × ".join(each.schema.names)] * size
        columns["people"] += [each.n] * size
        for name in attributes:
            own = f"{name} (answer)" if name in _NUMBERS else name
            columns[called[name]] += cells[own] if name in each.schema.names else [None] * size
        for name in _NUMBERS:
            columns[name] += cells[name]
    return LongTable(columns, confidence)


Reader = Literal["shrinkage"]
"""A way to read a joint distribution that is not unbiased and comes closer."""

READERS: tuple[Reader, ...] = get_args(Reader)

How = TypeVar("How", bound=Randomization, covariant=True)


class Countable(Short, ABC, Generic[How]):
    """Released answers of n people and the mechanism they went through, of which marginal counts can be asked. It holds nothing of the truth.

    Counts are enough for estimates where people are a simple random sample; what knows more overrides ``released``, ``spread`` and
    ``estimate``.
    """

    mechanism: How

    def _summary(self) -> str:
        return f"{counted(self.n, 'person', 'people')}, {self.reports._summary()}"

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of records."""

    @property
    @abstractmethod
    def reports(self) -> Schema:
        """What was released: as ``schema``, with the categories of the released answers."""

    @property
    def schema(self) -> Schema:
        """What was asked: categories of the true answers, which estimates are of."""
        return self.reports

    @abstractmethod
    def counts(self, names: Sequence[str]) -> Integers:
        """Released counts, unweighted, of the marginal over the named attributes: one axis for each, in their order."""

    def channel(self, names: Sequence[str]) -> Channel:
        """The channel on the marginal over the named attributes. Raises InputError where the mechanism is for others."""
        axes, sizes = self.reports.axes(names), self.reports.sizes
        known = len(self.mechanism.sizes) == len(sizes)
        channel = self.mechanism.marginal_channel(axes) if known else None
        if channel is None or channel.report_sizes != tuple(sizes[i] for i in axes):
            raise InputError(
                "The mechanism is for other numbers of attributes or categories than the release has: give the one that randomised it."
            )
        return channel

    def released(self, names: Sequence[str]) -> Floats:
        """Released shares of the marginal over the named attributes."""
        counts = self.counts(names)
        return np.asarray(counts / max(int(counts.sum()), 1))

    def spread(self, names: Sequence[str]) -> Spread:
        """How those shares vary."""
        return Spread.simple(self.released(names), int(self.counts(names).sum()))

    def effective(self, names: Sequence[str]) -> float:
        """How many people drawn at random would tell as much about the marginal over ``names``, beside the chance of who was asked."""
        return float(self.counts(names).sum())

    @overload
    def estimate(self, names: Sequence[str]) -> Estimate: ...
    @overload
    def estimate(self, names: Sequence[str], *, reader: Reader) -> PointEstimate: ...
    def estimate(self, names: Sequence[str], *, reader: Reader | None = None) -> Estimate | PointEstimate:
        """The estimated marginal over the named attributes.

        Parameters
        ----------
        names : of the attributes
        reader : None for the unbiased estimate; "shrinkage" reads the whole table at once (theory.md section 25), which comes closest and is
            not unbiased: its intervals are those of the unbiased estimate, widened to hold it

        Raises
        ------
        NotIdentifiableError
            If the mechanism erases one of its interactions.
        """
        found, axes = self._unbiased(names), self.schema.axes(names)
        if reader is not None or self.reads_whole(len(names)):
            found = replace(found, shrunk=partial(self.shrinkage.read, axes))
        if reader is None:
            return found
        if reader not in READERS:
            raise InputError(f"There is no reader '{reader}': choose among {', '.join(READERS)}.")
        return found.closest()

    def tidy(
        self, marginals: Iterable[str | Sequence[str]] | None = None, confidence: float = 0.95, *, population: bool = False
    ) -> LongTable:
        """Many marginals as one long table, one row for each cell.

        Parameters
        ----------
        marginals : names of attributes, and lists of names to be read together; every attribute by itself by default
        confidence : of the intervals, 0 to 1
        population : whether errors are against the population that people were drawn from, or against these people

        Raises
        ------
        NotIdentifiableError
            If the mechanism erases an interaction of one of them.

        Examples
        --------
        >>> import numpy as np
        >>> import rrcore as rr
        >>> table = rr.load_demo("titanic")
        >>> release = rr.perturb(table, rr.Plan.for_levels(table, 2.0).build(), rng=np.random.default_rng(0))
        >>> long = release.tidy(["Sex", ["Sex", "Survived"]])
        >>> long
        <LongTable: 6 rows of Sex, Sex × Survived>
        >>> long.to_arrow().column_names[:5]
        ['marginal', 'Sex', 'Survived', 'people', 'estimate']
        """
        asked = [
            [each] if isinstance(each, str) else list(each) for each in (self.schema.names if marginals is None else marginals)
        ]
        if not asked:
            raise InputError("No marginal is named: give names of attributes, or lists of names to be read together.")
        return long_table([self.estimate(names) for names in asked], confidence, population=population)

    def _unbiased(self, names: Sequence[str]) -> Estimate:
        asked, reported = self.schema.select(names), self.reports.select(names)
        return invert_counts(self.counts(names), self.channel(names), schema=asked, reports=reported)

    def reads_whole(self, width: int) -> bool:
        """Whether all marginals are at hand that reading ``width`` attributes by shrinkage learns from."""
        return True

    def model(self, *, report: Report = quiet) -> TableModel:
        """One table for everything: all pairs as shrinkage reads them, and the triples that stand out (theory.md section 25).

        Raises
        ------
        InputError
            For too many attributes, or where nobody's answers to two of them are known together.
        """
        for one, other in combinations(self.schema.names, 2):
            if not self.effective([one, other]):
                raise InputError(
                    f"'{one}' and '{other}' were not counted together, or answered by nobody: count all pairs first."
                )
        return table_model(self.shrinkage, report=report)

    @cached_property
    def shrinkage(self) -> Shrinkage:
        """The reader of the whole table."""
        return Shrinkage(self)


@dataclass(frozen=True, eq=False)
class CountedRelease(Countable[How]):
    """A release of any size that is only its counts.

    Parameters
    ----------
    table : Counts of released answers, over what is reported
    mechanism : a Mechanism or a MechanismFile over the same attributes

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> from rrcore.estimate import CountedRelease
    >>> from rrcore.table.scanning import count
    >>> people, mechanism = rr.load_demo("titanic"), rr.build("kronecker", (4, 2, 2, 2), [2.0] * 4)
    >>> released = rr.perturb(people, mechanism, rng=np.random.default_rng(0))
    >>> counts = count(released.dataset, [("Sex", "Survived")])
    >>> only = CountedRelease(counts, mechanism)
    >>> bool((only.estimate(["Survived"]).shares == released.estimate(["Survived"]).shares).all())
    True
    """

    table: Counts
    mechanism: How

    def __post_init__(self) -> None:
        if self.table.n == 0:
            raise InputError("None of the records can be used: check that the mechanism belongs to these answers.")

    @property
    def n(self) -> int:
        return self.table.n

    @property
    def reports(self) -> Schema:
        return self.table.schema

    def counts(self, names: Sequence[str]) -> Integers:
        return self.table.of(names)

    def reads_whole(self, width: int) -> bool:
        needed = (axes for w in range(2, width + 1) for axes in listed_sets(self.reports.sizes, w))
        stored = [set(self.reports.axes(names)) for names in self.table.tables]
        return all(any(own.issuperset(axes) for own in stored) for axes in needed)
