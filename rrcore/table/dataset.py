"""A table of categorical answers, as integer codes or as counts of marginals."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from rrcore.arrays import Codes, Floats, Integers, code_type, count_cells
from rrcore.errors import InputError, check_number, need
from rrcore.mark import marks_in
from rrcore.progress import Report, quiet
from rrcore.table.schema import Attribute, Schema
from rrcore.wording import counted, spreadsheet_safe
from rrcore.wording.short import Short, some

Names = tuple[str, ...]


def codes_of(attribute: Attribute, values: Iterable[str] = ()) -> dict[str, int]:
    """Code of every way in which a category may be written: as it is, without outer spaces, or safe for a spreadsheet.

    Where one category is written like another one made safe, the texts that occur decide: if one of ``values`` would run as a formula, none
    was made safe.

    Examples
    --------
    >>> attribute = Attribute("q", ("=1", "'=1"))
    >>> codes_of(attribute, ["=1", "'=1"])["'=1"], codes_of(attribute, ["'=1", "''=1"])["'=1"]
    (1, 0)
    """
    named = [(category, code) for code, category in enumerate(attribute.categories)]
    safe = {text: code for category, code in reversed(named) if (text := spreadsheet_safe(category)) != category}
    found = {category.strip(): code for category, code in reversed(named)} | safe | dict(named)
    values = tuple(values)
    as_typed = not values or any(value[:1] != "'" and spreadsheet_safe(value) != value for value in values)
    return found if as_typed else found | safe


@dataclass(frozen=True)
class Dataset(Short):
    """n records over a schema of k attributes.

    Parameters
    ----------
    schema : Schema
    codes : ndarray of shape (n, k), integer, codes 0..a_i-1, kept in the smallest type that holds them (``code_type``), column by column
        in memory (Fortran order), read-only
    title : str, what the table is called on a page

    Raises
    ------
    InputError
        If the shape does not fit the schema, there is no record, or a code is out of range.

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("sex", ("f", "m")), rr.Attribute("smokes", ("no", "yes"))))
    >>> table = rr.Dataset(schema, [[0, 1], [1, 0], [0, 0]])
    >>> table.n, table.k
    (3, 2)
    >>> table.shares(["smokes"]).round(2).tolist()
    [0.67, 0.33]
    >>> table.to_arrow()["sex"].to_pylist()
    ['f', 'm', 'f']
    """

    schema: Schema
    codes: Codes
    title: str = ""

    def _summary(self) -> str:
        return f"{self.title or 'table'}, {counted(self.n, 'person', 'people')}, {self.schema._summary()}"

    def __post_init__(self) -> None:
        raw = np.asarray(self.codes)
        width = len(self.schema.attributes)
        if raw.ndim != 2 or raw.shape[1] != width or not np.issubdtype(raw.dtype, np.integer):
            raise InputError(f"The codes are {raw.dtype} of shape {raw.shape}: expected integers of shape (n, {width}).")
        if not len(raw):
            raise InputError("The table has no records: at least one is needed.")
        for attribute, low, high in zip(self.schema.attributes, raw.min(axis=0), raw.max(axis=0), strict=True):
            if low < 0 or high >= attribute.size:
                wrong = low if low < 0 else high
                raise InputError(f"A code of '{attribute.name}' is {wrong}: expected 0 to {attribute.size - 1}.")
        codes = np.array(raw, dtype=code_type(max(self.schema.sizes)), order="F")
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)

    @property
    def n(self) -> int:
        """Number of records (respondents)."""
        return int(self.codes.shape[0])

    @property
    def k(self) -> int:
        """Number of attributes."""
        return int(self.codes.shape[1])

    def select(self, names: Iterable[str]) -> Dataset:
        """These records with the named attributes only, in the order of ``names``."""
        schema = self.schema.select(names)
        return Dataset(schema, self.codes[:, list(self.schema.axes(schema.names))], self.title)

    def counts(self, names: Sequence[str]) -> Integers:
        """How many people there are of each combination of the named attributes: one axis for each, in their order."""
        axes = self.schema.axes(names)
        return count_cells(self.codes[:, list(axes)], [self.schema.sizes[i] for i in axes])

    def shares(self, names: Sequence[str]) -> Floats:
        """The true joint distribution of the named attributes: one axis for each, in their order, summing to 1."""
        return self.counts(names) / self.n

    def resample(self, n: int, *, rng: np.random.Generator) -> Dataset:
        """``n`` records drawn with replacement: what a survey of n people from this population might look like."""
        check_number("The number of people", n, 1, whole=True)
        return Dataset(self.schema, self.codes[rng.integers(0, self.n, size=n)], self.title)

    def pieces(self) -> tuple[Dataset]:
        """Itself, as the only piece of a ``CodedTable``."""
        return (self,)

    def batches(self, *, report: Report = quiet) -> Iterator[Codes]:
        """Its codes, as the only batch of a ``CodedPiece``."""
        yield self.codes

    def to_csv(self) -> str:
        """The records as CSV text, every cell safe to open in a spreadsheet (see ``spreadsheet_safe``)."""
        from rrcore.writing import columns_of, table_writer

        out = io.BytesIO()
        with table_writer(out, columns_of(self.schema)) as write:
            write(list(self.codes.T))
        return out.getvalue().decode()

    def to_arrow(self) -> Any:
        """The records as a pyarrow Table: one dictionary column for each attribute, ordered where the attribute is ordinal."""
        attributes = zip(self.schema.attributes, self.codes.T, strict=True)
        columns = [pa.DictionaryArray.from_arrays(codes, a.categories, ordered=a.kind == "ordinal") for a, codes in attributes]
        return pa.table(columns, names=self.schema.names)

    def to_pandas(self) -> Any:
        """The records as a pandas DataFrame: one Categorical column for each attribute."""
        need("pandas", "to_pandas")
        return self.to_arrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


@dataclass(frozen=True, eq=False)
class Counts:
    """How many of n records have each combination of answers, for some marginals over the attributes of a schema.

    Parameters
    ----------
    schema : Schema
    n : int, number of records
    tables : names of attributes -> ndarray, integer, one axis for each attribute in the order of the names; made read-only. A
        record of which an answer is missing is in those tables that do not need it, so a table may sum to less than n
    left_out : int, number of further records that could not be used
    incomplete : int, how many of the n records lack some answer
    mark : str, of what was simulated; see ``rrcore.mark``

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.table.scanning import count
    >>> counts = count(rr.load_demo("titanic"), [("Sex", "Survived")])
    >>> counts.n, counts.of(["Survived"]).tolist()
    (2201, [1490, 711])
    >>> (counts + counts).n
    4402
    """

    schema: Schema
    n: int
    tables: Mapping[Names, Integers]
    left_out: int = field(default=0, kw_only=True)
    incomplete: int = field(default=0, kw_only=True)
    mark: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        for table in self.tables.values():
            table.setflags(write=False)

    def __add__(self, other: Counts) -> Counts:
        """The counts of both sets of records. Raises InputError where schema or marginals differ."""
        if other.schema != self.schema or set(other.tables) != set(self.tables):
            raise InputError("Counts of different questions or marginals cannot be added: count both for the same ones.")
        tables = {names: table + other.tables[names] for names, table in self.tables.items()}
        about = {"left_out": self.left_out + other.left_out, "incomplete": self.incomplete + other.incomplete}
        return Counts(self.schema, self.n + other.n, tables, **about, mark=marks_in([self.mark, other.mark]))

    def of(self, names: Sequence[str]) -> Integers:
        """Counts of the marginal over ``names``, one axis for each in their order: a stored one, or summed out of a stored wider one.

        Raises
        ------
        InputError
            If no stored marginal has all of these attributes.
        """
        self.schema.axes(names)
        wanted = set(names)
        fit = (
            own for own, table in self.tables.items() if wanted <= set(own) and (len(own) == len(wanted) or table.sum() == self.n)
        )
        stored = min(fit, key=lambda own: self.tables[own].size, default=())
        if not stored:
            raise InputError(f"{some(names)} was not counted together: count this marginal, or a wider one, first.")
        kept = [name for name in stored if name in wanted]
        summed = self.tables[stored].sum(axis=tuple(i for i, name in enumerate(stored) if name not in wanted))
        return np.transpose(summed, [kept.index(name) for name in names])
