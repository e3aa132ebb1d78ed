"""One pass over a stream that finds what occurs in each column, and so the categories of its schema."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rrcore.errors import InputError
from rrcore.limits import MAX_STREAM_ENTRIES, MAX_STREAM_VALUES, MAX_TEXT
from rrcore.progress import Report, quiet
from rrcore.table.mark import marked_title
from rrcore.table.reading.arrow import is_text
from rrcore.table.reading.columns import trim
from rrcore.table.reading.piece import Batch, Piece
from rrcore.table.recoding import ColumnRule, ValueCounts, default_rule, recodings
from rrcore.table.schema import Schema
from rrcore.table.stream.coder import UNUSABLE, Coder, Lookup
from rrcore.table.stream.opening import Stream
from rrcore.table.stream.spread import work_through


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
        return {column.name: default_rule(column) for column in self.columns}

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
        wanted = None if names is None else list(names)
        if crowded := next((name for name in wanted or () if name in self.crowded), ""):
            raise InputError(
                f"The column '{crowded}' cannot be an attribute: it has more than {MAX_STREAM_VALUES:,} different values, texts "
                f"of more than {MAX_TEXT} characters, or bytes that are not text. Choose another column."
            )
        known = {column.name: column.values for column in self.columns}
        parts = recodings(self.columns, self.rules if rules is None else rules, wanted, missing=missing)
        lookups = []
        for name, _, codes in parts:
            given = np.where(codes < 0, UNUSABLE, codes).tolist()
            lookups.append(Lookup(dict(zip(known[name], given[:-1], strict=True)), given[-1]))
        return Coder(Schema(tuple(attribute for _, attribute, _ in parts)), tuple(lookups))


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
    whole = _Texts.over(stream.names)
    for part in work_through(functools.partial(_survey_piece, stream.names), stream, executor, report):
        whole.add(part)
    found = list(zip(stream.names, whole.texts, whole.missing, strict=True))
    columns = tuple(ValueCounts.of(name, texts, missing) for name, texts, missing in found if texts is not None)
    crowded = tuple(name for name, texts, _ in found if texts is None)
    return Survey(marked_title(stream.title, stream.mark()), whole.n, columns, crowded, stream.notes)


def _survey_piece(names: tuple[str, ...], piece: Piece, *, report: Report = quiet) -> _Texts:
    found = _Texts.over(names)
    for batch in piece.batches(names, report=report):
        found.add_batch(batch)
    return found


@dataclass
class _Texts:
    """Texts of each column and how often they occur; None where a column has too many."""

    texts: list[dict[str, int] | None]
    missing: list[int]
    n: int = 0

    @classmethod
    def over(cls, names: tuple[str, ...]) -> _Texts:
        return cls([{} for _ in names], [0] * len(names))

    def add_batch(self, batch: Batch) -> None:
        """Count the texts of a batch."""
        self.n += batch.num_rows
        for i, column in enumerate(batch.columns):
            if not is_text(column.dictionary.type):
                self.texts[i] = None
            if self.texts[i] is None:
                continue
            self.missing[i] += column.indices.null_count
            indices = column.indices.drop_null().to_numpy(zero_copy_only=False)
            counts = np.bincount(indices, minlength=len(column.dictionary)).tolist()
            self._take(i, zip(trim(column.dictionary).to_pylist(), counts, strict=True))

    def _take(self, i: int, found: Iterable[tuple[str | None, int]]) -> None:
        texts = self.texts[i]
        assert texts is not None
        for text, count in found:
            if not text:
                self.missing[i] += count
            elif count and len(text) > MAX_TEXT:
                self.texts[i] = None
                return
            elif count:
                texts[text] = texts.get(text, 0) + count
        if len(texts) > MAX_STREAM_VALUES:
            self.texts[i] = None
        while sum(len(own) for own in self.texts if own is not None) > MAX_STREAM_ENTRIES:
            largest = max(range(len(self.texts)), key=lambda j: len(self.texts[j] or ()))
            self.texts[largest] = None

    def add(self, other: _Texts) -> None:
        """Count the texts of another piece."""
        self.n += other.n
        for i, texts in enumerate(other.texts):
            self.missing[i] += other.missing[i]
            if texts is None:
                self.texts[i] = None
            elif self.texts[i] is not None:
                self._take(i, texts.items())
