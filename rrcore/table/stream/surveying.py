"""One pass over a stream that finds what occurs in each column, and so the categories of its schema."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rrcore.arrays import Integers
from rrcore.errors import InputError
from rrcore.limits import MAX_STREAM_ENTRIES, MAX_STREAM_VALUES, MAX_TEXT
from rrcore.progress import Report, quiet
from rrcore.table.mark import marked_title
from rrcore.table.reading.columns import trim
from rrcore.table.reading.kinds import is_text
from rrcore.table.recoding import default_rule, recoding
from rrcore.table.rule import ColumnRule
from rrcore.table.schema import Attribute, Schema
from rrcore.table.stream.coder import UNUSABLE, Coder, Lookup
from rrcore.table.stream.opening import Stream
from rrcore.table.stream.piece import Batch, Piece
from rrcore.table.stream.spread import work_through
from rrcore.table.values import ValueCounts


@dataclass(frozen=True, eq=False)
class Survey:
    """What occurs in each column of a stream.

    Parameters
    ----------
    title : str
    n : int, number of records
    columns : what occurs, by column
    crowded : names of columns with too many values (``MAX_STREAM_VALUES``, ``MAX_STREAM_ENTRIES``), or texts of more than ``MAX_TEXT``
        characters, or bytes that are not text; not looked into
    notes : sentences about what reading did
    """

    title: str
    n: int
    columns: tuple[ValueCounts, ...]
    crowded: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def rules(self) -> dict[str, ColumnRule]:
        """The rule of each column that the Data page starts from."""
        return {column.name: default_rule(column, self.n) for column in self.columns}

    def coder(
        self,
        names: Iterable[str] | None = None,
        rules: Mapping[str, ColumnRule] | None = None,
        *,
        missing: Literal["category", "drop"] = "category",
    ) -> Coder:
        """The coder for the named columns in this order, or for all that ``rules`` use.

        Raises
        ------
        InputError
            If a column is unknown, or cannot be an attribute.
        """
        how = self.rules if rules is None else dict(rules)
        known = {column.name: column for column in self.columns}
        wanted = list(names) if names is not None else [name for name, rule in how.items() if rule.use]
        if not wanted:
            raise InputError("No column is used: at least one column with two or more different answers is needed.")
        attributes: list[Attribute] = []
        lookups = []
        for name in wanted:
            if name in self.crowded:
                raise InputError(
                    f"The column '{name}' cannot be an attribute: it has more than {MAX_STREAM_VALUES:,} different values, texts "
                    f"of more than {MAX_TEXT} characters, or bytes that are not text. Choose another column."
                )
            if name not in known:
                listed = ", ".join(list(known)[:20]) + (", ..." if len(known) > 20 else "")
                raise InputError(f"There is no column '{name}': choose among {listed}.")
            if not how[name].use:
                raise InputError(
                    f"The column '{name}' cannot be an attribute: describe the table to see why, or choose another column."
                )
            column = known[name]
            attribute, codes = recoding(column, replace(how[name], missing=missing))
            given = np.where(codes < 0, UNUSABLE, codes).tolist()
            attributes.append(attribute)
            lookups.append(Lookup(dict(zip(column.values, given[:-1], strict=True)), given[-1]))
        return Coder(Schema(tuple(attributes)), tuple(lookups))


def survey(stream: Stream, *, executor: Executor | None = None, report: Report = quiet) -> Survey:
    """Find the values of every column in one pass.

    Parameters
    ----------
    stream : Stream
    executor : where pieces are looked at; None is this process
    report : is told the fraction of the bytes that is read

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rrcore.table.stream import open_stream, survey
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = pathlib.Path(folder, "survey.csv")
    ...     _ = place.write_text("smokes,age\\nno,31\\nyes,45\\n,31\\n")
    ...     found = survey(open_stream(place))
    >>> found.n, found.columns[0].values, found.columns[0].missing, found.coder().schema.sizes
    (3, ('no', 'yes'), 1, (3, 2))
    """
    whole = FoundTexts.over(stream.names)
    for part in work_through(functools.partial(survey_piece, stream.names), stream, executor, report):
        whole.add(part)
    columns = tuple(
        ValueCounts.of(name, texts, whole.missing[i])
        for i, (name, texts) in enumerate(zip(stream.names, whole.texts, strict=True))
        if texts is not None
    )
    crowded = tuple(name for name, texts in zip(stream.names, whole.texts, strict=True) if texts is None)
    return Survey(marked_title(stream.title, stream.mark()), whole.n, columns, crowded, stream.notes)


def survey_piece(names: tuple[str, ...], piece: Piece, *, report: Report = quiet) -> FoundTexts:
    """What occurs in one piece."""
    found = FoundTexts.over(names)
    for batch in piece.batches(names, report=report):
        found.add_batch(batch)
    found.settle()
    return found


@dataclass
class FoundTexts:
    """Texts of each column and how often they occur; None where a column has too many."""

    texts: list[dict[str, int] | None]
    missing: list[int]
    last: list[tuple[Any, Integers] | None]
    n: int = 0

    @classmethod
    def over(cls, names: tuple[str, ...]) -> FoundTexts:
        return cls([{} for _ in names], [0] * len(names), [None] * len(names))

    def add_batch(self, batch: Batch) -> None:
        """Count the texts of a batch. Batches that follow each other often share their dictionary: it is looked at once."""
        self.n += batch.num_rows
        for i, column in enumerate(batch.columns):
            if self.texts[i] is None:
                continue
            self.missing[i] += column.indices.null_count
            indices = column.indices.drop_null().to_numpy(zero_copy_only=False)
            counts = np.bincount(indices, minlength=len(column.dictionary))
            last = self.last[i]
            if last is not None and last[0].equals(column.dictionary):
                last[1][:] += counts
                continue
            self._settle(i)
            self.last[i] = (column.dictionary, counts)

    def settle(self) -> None:
        """Take up what is still counted by dictionary."""
        for i in range(len(self.texts)):
            self._settle(i)

    def _settle(self, i: int) -> None:
        last, self.last[i] = self.last[i], None
        if last is None or self.texts[i] is None:
            return
        if not is_text(last[0].type):
            self.texts[i] = None
            return
        trimmed = trim(last[0]).to_pylist()
        self._take(i, ((text, int(count)) for text, count in zip(trimmed, last[1].tolist(), strict=True) if count))

    def _take(self, i: int, found: Iterable[tuple[str | None, int]]) -> None:
        texts = self.texts[i]
        assert texts is not None
        for text, count in found:
            if not text:
                self.missing[i] += count
            elif len(text) > MAX_TEXT:
                self.texts[i] = None
                return
            else:
                texts[text] = texts.get(text, 0) + count
        if len(texts) > MAX_STREAM_VALUES:
            self.texts[i] = None
        while sum(len(own) for own in self.texts if own is not None) > MAX_STREAM_ENTRIES:
            largest = max(range(len(self.texts)), key=lambda j: len(self.texts[j] or ()))
            self.texts[largest] = None

    def add(self, other: FoundTexts) -> None:
        """Take up what another piece has."""
        self.n += other.n
        for i, texts in enumerate(other.texts):
            self.missing[i] += other.missing[i]
            if self.texts[i] is not None:
                if texts is None:
                    self.texts[i] = None
                else:
                    self._take(i, texts.items())
