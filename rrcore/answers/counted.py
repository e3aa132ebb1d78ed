"""Collected answers of any size: their records are looked at once, in batches, and kinds of people are counted and not kept apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod

from rrcore.answers.answers import Answers, Collected, Rejected
from rrcore.answers.columns import SIMPLE, SampleColumns
from rrcore.answers.tabulating import Tabulated
from rrcore.arrays import Floats, Integers
from rrcore.channel import Channel
from rrcore.errors import InputError
from rrcore.estimate import Estimate, Sample
from rrcore.estimate.sample import Spread
from rrcore.limits import MAX_CELLS, MAX_COUNTED_MARGINALS, MAX_PAGE_MARGINAL
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.counts import Counts, Names
from rrcore.table.reading import TextColumn
from rrcore.table.schema import Schema


@dataclass(frozen=True, eq=False)
class CountedAnswers(Collected):
    """Collected answers of which kinds of people are held, and not each of them.

    Parameters
    ----------
    mechanism : MechanismFile, or MechanismGroups
    blocks : Answers of which each row is a kind of people, for some attributes each; together they have the wanted marginals
    wanted : names of the attributes of these marginals
    title, rejected, notes, mark, incomplete : as in ``Collected``
    beside : names of the columns that were not randomised
    tabulated : by what kinds are told apart
    columns : which columns ``sample`` was read from, by ``with_sample``
    n : number of people
    """

    mechanism: MechanismFile
    blocks: tuple[Answers, ...]
    wanted: tuple[Names, ...] = ()
    title: str = ""
    rejected: tuple[Rejected, ...] = ()
    notes: tuple[str, ...] = ()
    mark: str = ""
    incomplete: int = 0
    beside: tuple[str, ...] = ()
    tabulated: Tabulated | None = None
    columns: SampleColumns = SIMPLE
    sample: Sample | None = None
    n: int = 0

    @property
    def table(self) -> Counts:
        """The counts of the wanted marginals."""
        tables = {names: self.counts(names) for names in self.wanted}
        return Counts(self.reports, self.n, tables, left_out=self.left_out, incomplete=self.incomplete, mark=self.mark)

    def knows(self, names: Sequence[str]) -> bool:
        """Whether the marginal over ``names`` was counted, or a wider one."""
        return any(set(names) <= set(block.dataset.schema.names) for block in self.blocks)

    @property
    def groupings(self) -> tuple[TextColumn, ...]:
        return ()

    @property
    def numeric(self) -> tuple[str, ...]:
        return self.beside

    def takes(self, sample: SampleColumns) -> bool:
        """Whether answers were counted by the columns of a sample."""
        known = self.tabulated
        if known is None or sample.simple:
            return sample.simple
        weighted = sample.weights in ("", known.weights, *known.keys)
        return set(sample.keys(self.beside)) <= set(known.keys) and weighted and known.silent >= bool(sample.classes)

    @property
    def held(self) -> None:
        return None

    def joined(self, other: Collected) -> CountedAnswers:
        """These answers with the marginals of both. Raises InputError where ``other`` counts other answers."""
        assert isinstance(other, CountedAnswers), "what is counted is joined with what is counted"
        if (other.mechanism, other.n, other.left_out) != (self.mechanism, self.n, self.left_out):
            raise InputError(f"'{self.title}' has changed since it was counted: count it again.")
        both = None if self.tabulated is None or other.tabulated is None else self.tabulated.common(other.tabulated)
        blocks, wanted = (*self.blocks, *other.blocks), (*self.wanted, *other.wanted)
        return replace(self, blocks=blocks, wanted=wanted, tabulated=both)

    def changed(self, change: Callable[[Answers], Answers]) -> CountedAnswers:
        blocks = tuple(map(change, self.blocks))
        return replace(self, blocks=blocks, sample=blocks[0].sample, columns=blocks[0].columns)

    def split(self, name: str) -> dict[str, CountedAnswers]:
        parts = [block.split(name) for block in self.blocks]
        common = [value for value in parts[0] if all(value in each for each in parts)]
        found = {value: tuple(each[value] for each in parts) for value in common}
        return {
            value: replace(
                self,
                blocks=blocks,
                sample=blocks[0].sample,
                title=f"{self.title}, {name}: {value}",
                rejected=(),
                n=max(block.n for block in blocks),
                incomplete=max(block.incomplete for block in blocks),
            )
            for value, blocks in found.items()
        }

    def _block(self, names: Sequence[str]) -> Answers:
        """The smallest one that has the marginal."""
        having = [block for block in self.blocks if set(names) <= set(block.dataset.schema.names)]
        if not having:
            self.schema.axes(names)
            listed = ", ".join(f"'{name}'" for name in names[:10])
            raise InputError(f"{listed} was not counted together: count this marginal, or a wider one, first.")
        return min(having, key=lambda block: block.rows)

    def counts(self, names: Sequence[str]) -> Integers:
        return self._block(names).counts(names)

    def channel(self, names: Sequence[str]) -> Channel:
        return self._block(names).channel(names)

    def released(self, names: Sequence[str]) -> Floats:
        return self._block(names).released(names)

    def spread(self, names: Sequence[str]) -> Spread:
        return self._block(names).spread(names)

    def effective(self, names: Sequence[str]) -> float:
        return self._block(names).effective(names) if self.knows(names) else 0.0  # nobody answered all of them

    def _unbiased(self, names: Sequence[str]) -> Estimate:
        return self._block(names).estimate(names)


def small_marginals(schema: Schema) -> tuple[Names, ...]:
    """Names of the marginals that are counted before anybody has asked for one: each attribute, and so many together as is quickly done.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.answers.counted import small_marginals
    >>> len(small_marginals(rr.load_demo("titanic").schema))  # of four attributes all
    15
    """
    found: list[Names] = [(name,) for name in schema.names]
    cells = sum(schema.sizes)
    for w in range(2, min(MAX_PAGE_MARGINAL, len(schema.names)) + 1):
        more = list(combinations(range(len(schema.names)), w))
        cells += sum(prod(schema.sizes[i] for i in axes) for axes in more)
        if cells > MAX_CELLS or len(found) + len(more) > MAX_COUNTED_MARGINALS:
            break
        found += [tuple(schema.names[i] for i in axes) for axes in more]
    return tuple(found)
