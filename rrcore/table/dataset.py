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
from rrcore.wording import counted, runs, spreadsheet_safe
from rrcore.wording.short import Short, some

Names = tuple[str, ...]


def codes_of(attribute: Attribute, values: Iterable[str] = ()) -> dict[str, int]:
    """Return the code of each spelling of a category.

    A category can be unchanged, without outer spaces, or escaped for a spreadsheet.

    If a category equals the escaped form of another one, the strings in ``values`` decide. If a spreadsheet would run any of these
    strings as a formula, none of them was escaped.

    Examples
    --------
    >>> attribute = Attribute("q", ("=1", "'=1"))
    >>> codes_of(attribute, ["=1", "'=1"])["'=1"], codes_of(attribute, ["'=1", "''=1"])["'=1"]
    (1, 0)
    """
    named = [(category, code) for code, category in enumerate(attribute.categories)]
    safe = {
        spelling: code
        for category, code in reversed(named)
        if (text := spreadsheet_safe(category)) != category
        for spelling in (text.strip(), text)
    }
    found = {category.strip(): code for category, code in reversed(named)} | safe | dict(named)
    values = tuple(values)
    as_typed = not values or any(map(runs, values))
    return found if as_typed else found | safe


@dataclass(frozen=True)
class Dataset(Short):
    """Records of n people over a schema of k attributes.

    Parameters
    ----------
    schema : Schema
        The attributes.
    codes : ndarray of int, shape (n, k)
        Position of each answer among the categories of its attribute, from 0. The codes are stored by column, read-only, and in the
        smallest suitable type.
    title : str
        Name of the table on pages and in reports.

    Raises
    ------
    InputError
        If the shape does not match the schema, there are no records, or a code is out of range.

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("sex", ("f", "m")), rr.Attribute("smokes", ("no", "yes"))))
    >>> table = rr.Dataset(schema, [[0, 1], [1, 0], [0, 0]])
    >>> table.n, table.k
    (3, 2)
    >>> table.shares("smokes").round(2).tolist()
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
            raise InputError(f"Expected integer codes of shape (n, {width}), got {raw.dtype} of shape {raw.shape}.")
        if not len(raw):
            raise InputError("The table has no records. At least one is needed.")
        for attribute, low, high in zip(self.schema.attributes, raw.min(axis=0), raw.max(axis=0), strict=True):
            if low < 0 or high >= attribute.size:
                wrong = low if low < 0 else high
                raise InputError(f"A code of '{attribute.name}' is {wrong}. Expected 0 to {attribute.size - 1}.")
        codes = np.array(raw, dtype=code_type(max(self.schema.sizes)), order="F")
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)

    def _repr_html_(self) -> str:
        """Return the attributes with their categories, for a notebook."""
        return self.schema._repr_html_(f"{self.title or 'Table'}, {counted(self.n, 'person', 'people')}")

    @property
    def n(self) -> int:
        """Number of records (respondents)."""
        return int(self.codes.shape[0])

    @property
    def k(self) -> int:
        """Number of attributes."""
        return int(self.codes.shape[1])

    def select(self, names: Iterable[str]) -> Dataset:
        """Return the records with only the named attributes.

        The attributes are in the order of ``names``.

        Parameters
        ----------
        names : str or list of str
            Names of attributes.

        Returns
        -------
        Dataset
            The same people with fewer attributes.

        Raises
        ------
        InputError
            If a name is unknown or given twice.
        """
        schema = self.schema.select(names)
        return Dataset(schema, self.codes[:, list(self.schema.axes(schema.names))], self.title)

    def counts(self, names: Sequence[str]) -> Integers:
        """Count the people with each combination of answers.

        Parameters
        ----------
        names : str or list of str
            Names of attributes.

        Returns
        -------
        ndarray of int
            One axis for each attribute, in the order of ``names``.

        Raises
        ------
        InputError
            If a name is unknown or given twice.
        """
        axes = self.schema.axes(names)
        return count_cells(self.codes[:, list(axes)], [self.schema.sizes[i] for i in axes])

    def shares(self, names: Sequence[str]) -> Floats:
        """Return the true joint distribution of the named attributes.

        Parameters
        ----------
        names : str or list of str
            Names of attributes.

        Returns
        -------
        ndarray of float
            One axis for each attribute, in the order of ``names``. The shares sum to 1.

        Raises
        ------
        InputError
            If a name is unknown or given twice.
        """
        return self.counts(names) / self.n

    def resample(self, n: int, *, rng: np.random.Generator) -> Dataset:
        """Draw records with replacement.

        The result is like a survey of n people from this population.

        Parameters
        ----------
        n : int
            Number of records to draw.
        rng : Generator
            Source of randomness.

        Returns
        -------
        Dataset
            The drawn records.

        Raises
        ------
        InputError
            If ``n`` is not a positive whole number.
        """
        check_number("The number of people", n, 1, whole=True)
        return Dataset(self.schema, self.codes[rng.integers(0, self.n, size=n)], self.title)

    def pieces(self) -> tuple[Dataset]:
        """Return the table as the only piece of a ``CodedTable``.

        Returns
        -------
        tuple of Dataset
            The table itself.
        """
        return (self,)

    def batches(self, *, report: Report = quiet) -> Iterator[Codes]:
        """Yield the codes as the only batch of a ``CodedPiece``.

        Parameters
        ----------
        report : callable
            Not called because there is only one batch.

        Yields
        ------
        ndarray
            The codes of all records.
        """
        yield self.codes

    def to_csv(self) -> str:
        """Return the records as CSV text that is safe to open in a spreadsheet.

        Returns
        -------
        str
            A header line and one line for each record. Cells that a spreadsheet would run as formulas start with an apostrophe.
        """
        from rrcore.writing import columns_of, table_writer

        out = io.BytesIO()
        with table_writer(out, columns_of(self.schema)) as write:
            write(list(self.codes.T))
        return out.getvalue().decode()

    def to_arrow(self) -> Any:
        """Return the records as a pyarrow Table.

        Returns
        -------
        pyarrow.Table
            One dictionary column for each attribute. It is ordered if the attribute is ordinal.
        """
        attributes = zip(self.schema.attributes, self.codes.T, strict=True)
        columns = [pa.DictionaryArray.from_arrays(codes, a.categories, ordered=a.kind == "ordinal") for a, codes in attributes]
        return pa.table(columns, names=self.schema.names)

    def to_pandas(self) -> Any:
        """Return the records as a pandas DataFrame.

        Returns
        -------
        DataFrame
            One Categorical column for each attribute.
        """
        need("pandas", "to_pandas")
        return self.to_arrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


@dataclass(frozen=True, eq=False)
class Counts:
    """Numbers of people with each combination of answers, for several marginals.

    Parameters
    ----------
    schema : Schema
        The attributes.
    n : int
        Number of records.
    tables : mapping of tuples of str to ndarrays
        Maps names of attributes to read-only counts with one axis for each name. A record with a missing answer is counted only in
        tables that do not need this answer, so a table may sum to less than n.
    left_out : int
        Number of additional records that could not be used.
    incomplete : int
        Number of the n records with some missing answer.
    mark : str
        Mark of a simulation; see ``rrcore.mark``.

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
        """Return the counts of both sets of records. Raises InputError if schema or marginals differ."""
        if other.schema != self.schema or set(other.tables) != set(self.tables):
            raise InputError("Expected counts of the same joint distributions, got different ones. Count both tables alike.")
        tables = {names: table + other.tables[names] for names, table in self.tables.items()}
        about = {"left_out": self.left_out + other.left_out, "incomplete": self.incomplete + other.incomplete}
        return Counts(self.schema, self.n + other.n, tables, **about, mark=marks_in([self.mark, other.mark]))

    def of(self, names: Sequence[str]) -> Integers:
        """Return the counts of a marginal, with one axis per name, in this order.

        If necessary, they are summed from a larger marginal.

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
            raise InputError(f"There is no count of {some(names)}. First count this joint distribution, or one that contains it.")
        kept = [name for name in stored if name in wanted]
        summed = self.tables[stored].sum(axis=tuple(i for i, name in enumerate(stored) if name not in wanted))
        return np.transpose(summed, [kept.index(name) for name in names])
