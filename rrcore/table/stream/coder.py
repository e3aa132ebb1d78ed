"""From batches of texts to codes of categories, in the smallest integer type."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rrcore.arrays import Codes, code_type
from rrcore.errors import InputError
from rrcore.table.dataset import codes_of
from rrcore.table.reading import to_numbers
from rrcore.table.reading.arrow import bytes_left_out
from rrcore.table.reading.columns import trim
from rrcore.table.reading.piece import Batch
from rrcore.table.recoding import MISSING, OTHER, edges_named
from rrcore.table.schema import Attribute, Schema
from rrcore.table.stream.opening import Stream
from rrcore.wording import spreadsheet_safe

GONE, UNUSABLE, DROPPED = -1, -2, -3
"""Codes of an answer that is missing; of a text that no category stands for, so that its record cannot be used; and of an answer whose
record is to be left out."""


@dataclass(frozen=True)
class Lookup:
    """The codes of one attribute's texts.

    Parameters
    ----------
    texts : text -> code
    missing : code of an empty cell
    other : code of any other text
    edges : where other texts are numbers: the limits of the intervals that they fall into
    intervals : the code of each interval, one more than there are ``edges``; none where texts are not looked at as numbers
    """

    texts: Mapping[str, int]
    missing: int = GONE
    other: int = UNUSABLE
    edges: tuple[float, ...] = ()
    intervals: tuple[int, ...] = ()

    def codes(self, texts: Sequence[str | None]) -> list[int]:
        """The codes of texts of one column.

        Examples
        --------
        >>> from rrcore.table.stream.coder import Lookup
        >>> Lookup({"?": -1}, edges=(18, 65), intervals=(0, 1, 2)).codes(["18", "?", "70,5", None, "old"])
        [1, -1, 2, -1, -2]
        """
        found = [self.missing if not text else self.texts.get(text, self.other) for text in texts]
        if self.intervals:
            places = [i for i, text in enumerate(texts) if text and text not in self.texts]
            for place, code in zip(places, self._of_numbers([texts[i] or "" for i in places]), strict=True):
                found[place] = code
        return found

    def _of_numbers(self, texts: list[str]) -> list[int]:
        numbers = to_numbers(texts)
        if numbers is None:  # not all are numbers
            return [self.other] * len(texts) if len(texts) < 2 else [self._of_numbers([text])[0] for text in texts]
        return [self.intervals[place] for place in np.searchsorted(self.edges, numbers, side="right").tolist()]


@dataclass(frozen=True, eq=False)
class Coder:
    """What turns batches into codes. Picklable.

    Parameters
    ----------
    schema : Schema
    lookups : one for each attribute
    names : the column of each attribute; the attributes' own names by default
    """

    schema: Schema
    lookups: tuple[Lookup, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", self.names or self.schema.names)

    def columns(self, batch: Batch) -> Iterator[tuple[Codes, bool]]:
        """Of each attribute the codes of a batch that has a column for it, and whether any may be negative."""
        for attribute, lookup, name in zip(self.schema.attributes, self.lookups, self.names, strict=True):
            yield column_codes(name, batch.column(name), lookup, attribute.size)

    def __call__(self, batch: Batch) -> Codes:
        """The codes of a batch: ndarray of shape (rows, k) in the smallest signed type, codes 0..a_i-1 or negative as above."""
        codes = np.empty((batch.num_rows, len(self.lookups)), code_type(max(self.schema.sizes)), order="F")
        for i, (column, _) in enumerate(self.columns(batch)):
            codes[:, i] = column
        return codes


def coder(schema: Schema) -> Coder:
    """The coder for a schema whose categories are known, as ``declared_lookup`` reads each attribute.

    Raises
    ------
    InputError
        As ``codes_in_batches`` does.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from rrcore.table import Attribute, Schema
    >>> from rrcore.table.stream import coder
    >>> batch = pa.record_batch({"smokes": pa.array(["yes", "no", None, "often"]).dictionary_encode()})
    >>> coder(Schema((Attribute("smokes", ("no", "yes")),)))(batch).ravel().tolist()
    [1, 0, -1, -2]
    """
    return Coder(schema, tuple(declared_lookup(each, codes_in_batches(each)) for each in schema.attributes))


def codes_in_batches(attribute: Attribute) -> dict[str, int]:
    """``codes_of`` where no more than a batch of texts is seen at a time.

    Raises
    ------
    InputError
        If a category is written like another one made safe for a spreadsheet: only all texts of a column together tell which is meant.

    Examples
    --------
    >>> from rrcore.table import Attribute
    >>> from rrcore.table.stream.coder import codes_in_batches
    >>> codes_in_batches(Attribute("q", ("=1", "no")))
    {'=1': 0, 'no': 1, "'=1": 0}
    """
    for category in attribute.categories:
        safe = spreadsheet_safe(category)
        if safe != category and safe in attribute.categories:
            raise InputError(
                f"'{attribute.name}' has the categories {category} and {safe}, and the second is how a CSV file may write the first: in a "
                "table that is read in batches they cannot be told apart, so give one of them another name."
            )
    return codes_of(attribute)


def declared_lookup(attribute: Attribute, texts: Mapping[str, int], *, gone: int = GONE) -> Lookup:
    """The codes of what stands in the column of an attribute whose categories are known, as ``texts`` write them.

    An empty cell is ``MISSING``, or ``gone`` where that is no category; a number falls into its interval where categories are the intervals
    that ``interval_names`` names; any other text is ``OTHER``, where that is a category.

    Examples
    --------
    >>> from rrcore.table import Attribute
    >>> from rrcore.table.stream.coder import declared_lookup
    >>> age = Attribute("age", ("below 40", "40 to below 60", "60 and more", "(missing)"), "ordinal")
    >>> declared_lookup(age, {name: code for code, name in enumerate(age.categories)}).codes(["31", "60", None, "below 40", "old"])
    [0, 2, 3, 0, -2]
    """
    code = {category: number for number, category in enumerate(attribute.categories)}
    edges = edges_named(attribute.categories)
    intervals = tuple(range(len(edges) + 1)) if edges else ()
    return Lookup(texts, code.get(MISSING, gone), code.get(OTHER, UNUSABLE), edges, intervals)


def column_codes(name: str, column: Any, lookup: Lookup, size: int) -> tuple[Codes, bool]:
    """The codes of a column of a batch, of the type for ``size`` categories, and whether any may be negative."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_binary(column.dictionary.type):
        raise InputError(bytes_left_out(name))
    known = trim(column.dictionary).to_pylist()
    code_of = np.array(lookup.codes(known), code_type(size))
    codes, negative = pa.array(code_of).take(column.indices), bool(len(code_of) and code_of.min() < 0)
    if codes.null_count:
        codes, negative = pc.fill_null(codes, code_of.dtype.type(lookup.missing)), negative or lookup.missing < 0
    return codes.to_numpy(zero_copy_only=True), negative


def missing_column(stream: Stream, wanted: Iterable[str]) -> None:
    """Raise InputError where one of ``wanted`` is no column, or one that cannot be read."""
    names = stream.names
    for name in wanted:
        if name in stream.left_out:
            raise InputError(stream.left_out[name])
        if name not in names:
            known = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
            raise InputError(f"There is no column '{name}': choose among {known}.")
