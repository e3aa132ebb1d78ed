"""Counts of marginals: all that estimates need of a table, however many records it has."""

from __future__ import annotations

import itertools
import json
import math
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

import numpy as np

from rrcore.arrays import Codes, Integers
from rrcore.errors import InputError
from rrcore.limits import MAX_COUNTS_BYTES
from rrcore.table.cells import check_cells, count_cells
from rrcore.table.mark import marks_in
from rrcore.table.schema import Schema

Names = tuple[str, ...]
_FORMAT, _VERSION = "rr-workbench-counts", 1


@dataclass(frozen=True, eq=False)
class Counts:
    """How many of n records have each combination of answers, for some marginals over the attributes of a schema.

    Parameters
    ----------
    schema : Schema
    n : int, number of records
    tables : names of attributes -> ndarray, integer, one axis for each attribute in the order of the names; kept as int64, read-only. A
        record of which an answer is missing is in those tables that do not need it, so a table may sum to less than n
    left_out : int, number of further records that could not be used
    incomplete : int, how many of the n records lack some answer
    mark : str, of what was simulated; see ``rrcore.table.mark``

    Raises
    ------
    InputError
        If a table is over unknown attributes, has another shape, a negative count, or sums to more than n.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.table import Counts
    >>> table = rr.load_demo("titanic")
    >>> half = Counts.of_codes(table.schema, table.codes[:1000], [("Sex", "Survived")])
    >>> rest = Counts.of_codes(table.schema, table.codes[1000:], [("Sex", "Survived")])
    >>> whole = half + rest
    >>> whole.n, whole.of(["Survived"]).tolist()
    (2201, [1490, 711])
    """

    schema: Schema
    n: int
    tables: Mapping[Names, Integers]
    left_out: int = field(default=0, kw_only=True)
    incomplete: int = field(default=0, kw_only=True)
    mark: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if min(self.n, self.left_out, self.incomplete) < 0 or self.incomplete > self.n:
            raise InputError(f"The counts are of {self.n:,} records, {self.incomplete:,} of them incomplete: expected 0 or more.")
        checked: dict[Names, Integers] = {}
        for names, table in self.tables.items():
            sizes = self.schema.select(names).sizes
            raw = np.asarray(table)
            if raw.shape != sizes or not np.issubdtype(raw.dtype, np.integer):
                raise InputError(
                    f"The counts of {_listed(names)} have shape {raw.shape} and type {raw.dtype}: expected integers, {sizes}."
                )
            counts = np.array(raw, dtype=np.int64)
            if counts.min() < 0 or int(counts.sum()) > self.n:
                raise InputError(f"The counts of {_listed(names)} are below 0, or add up to more than the {self.n:,} records.")
            counts.setflags(write=False)
            checked[tuple(names)] = counts
        object.__setattr__(self, "tables", MappingProxyType(checked))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), left_out=self.left_out, incomplete=self.incomplete, mark=self.mark), (
            self.schema,
            self.n,
            dict(self.tables),
        )

    @classmethod
    def of_codes(cls, schema: Schema, codes: Codes, marginals: Iterable[Sequence[str]]) -> Counts:
        """Count records.

        Parameters
        ----------
        schema : Schema of k attributes
        codes : ndarray of shape (n, k), integer, codes 0..a_i-1, or -1 where an answer is missing
        marginals : names of attributes each

        Raises
        ------
        InputError
            If a code is out of range, or a marginal has more than ``MAX_CELLS`` cells.
        """
        codes, sizes = np.asarray(codes), schema.sizes
        if codes.ndim != 2 or codes.shape[1] != len(sizes):
            raise InputError(f"The codes have shape {codes.shape}: expected (n, {len(sizes)}), one column per attribute.")
        if codes.size and ((codes < -1).any() or (codes >= np.array(sizes)).any()):
            raise InputError("A code is out of range: expected codes of categories, or -1 where an answer is missing.")
        tables = {}
        for names in marginals:
            axes = list(schema.axes(names))
            own = codes[:, axes]
            tables[tuple(names)] = count_cells(own[(own >= 0).all(axis=1)], [sizes[i] for i in axes])
        return cls(schema, len(codes), tables, incomplete=int(np.count_nonzero((codes < 0).any(axis=1))))

    def __add__(self, other: Counts) -> Counts:
        """The counts of both sets of records. Raises InputError where schema or marginals differ."""
        if not isinstance(other, Counts):
            return NotImplemented
        if other.schema != self.schema or set(other.tables) != set(self.tables):
            raise InputError("Counts of different questions or marginals cannot be added: count both for the same ones.")
        tables = {names: table + other.tables[names] for names, table in self.tables.items()}
        left_out, incomplete = self.left_out + other.left_out, self.incomplete + other.incomplete
        mark = marks_in([self.mark, other.mark])
        return Counts(self.schema, self.n + other.n, tables, left_out=left_out, incomplete=incomplete, mark=mark)

    def of(self, names: Sequence[str]) -> Integers:
        """Counts of the marginal over ``names``, one axis for each in their order: a stored one, or summed out of a stored wider one.

        Raises
        ------
        InputError
            If no stored marginal has all of these attributes.
        """
        if (known := self.tables.get(tuple(names))) is not None:
            return known
        self.schema.axes(names)
        wanted = set(names)
        for stored, table in self.tables.items():
            if set(stored) == wanted:
                return np.transpose(table, [stored.index(name) for name in names])
        wider = (stored for stored, table in self.tables.items() if wanted < set(stored) and int(table.sum()) == self.n)
        stored = min(wider, key=lambda found: self.tables[found].size, default=())
        if not stored:
            raise InputError(f"{_listed(names)} was not counted together: count this marginal, or a wider one, first.")
        kept = [name for name in stored if name in wanted]
        summed = self.tables[stored].sum(axis=tuple(i for i, name in enumerate(stored) if name not in wanted))
        return np.asarray(np.transpose(summed, [kept.index(name) for name in names]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an Arrow file, one row for each marginal; the schema and the numbers of records are JSON in its metadata.

        Raises
        ------
        InputError
            If it cannot be written; a file that was there before is then still there.
        """
        place = Path(path)
        part = place.with_name(f".{place.name}.{secrets.token_hex(8)}.part")
        try:
            with part.open("wb") as out:
                self.write(out)
            part.replace(place)
        except OSError as error:
            raise InputError(f"The file '{path}' cannot be written ({error.strerror or error}): choose another place.") from error
        finally:
            part.unlink(missing_ok=True)

    def write(self, out: IO[bytes]) -> None:
        """Write what ``save`` writes to an open binary file."""
        import pyarrow as pa

        about = {
            "format": _FORMAT,
            "version": _VERSION,
            "n": self.n,
            "left_out": self.left_out,
            "incomplete": self.incomplete,
            "attributes": self.schema.to_dict(),
        } | ({"simulation": self.mark} if self.mark else {})
        table = pa.table(
            {
                "attributes": pa.array([list(names) for names in self.tables], pa.list_(pa.string())),
                "counts": pa.array([counts.ravel() for counts in self.tables.values()], pa.list_(pa.int64())),
            }
        ).replace_schema_metadata({_FORMAT: json.dumps(about, ensure_ascii=False)})
        with pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Counts:
        """Read what ``save`` wrote. Raises InputError where the file is something else, or damaged."""
        import pyarrow as pa

        try:
            if Path(path).stat().st_size > MAX_COUNTS_BYTES:
                raise InputError(
                    f"The file '{path}' has more than {MAX_COUNTS_BYTES // 2**20} MB: no file of counts is so large."
                )
            with pa.OSFile(str(path), "rb") as source:
                table = pa.ipc.open_file(source).read_all()
            table.validate(full=True)
            about = json.loads(table.schema.metadata[_FORMAT.encode()])
            if about["version"] != _VERSION:
                raise InputError(
                    f"The counts in '{path}' are of version {str(about['version'])[:20]}: version {_VERSION} is read."
                )
            schema = Schema.from_dict(about["attributes"])
            n, left_out, incomplete = (about[key] for key in ("n", "left_out", "incomplete"))
            if not all(type(number) is int for number in (n, left_out, incomplete)):
                raise TypeError("no number of records")
            tables = {}
            for names, counts in zip(table["attributes"].to_pylist(), table["counts"], strict=True):
                sizes = schema.select(names).sizes
                check_cells(sizes)
                values = np.asarray(counts.values)
                if len(values) != math.prod(sizes):
                    raise ValueError("a table of another size")
                tables[tuple(names)] = values.reshape(sizes)
        except InputError:
            raise
        except OSError as error:
            raise InputError(
                f"The file '{path}' cannot be read ({error.strerror or 'not Arrow'}): check its name and place."
            ) from error
        except (pa.ArrowException, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise InputError(f"The file '{path}' does not hold counts: choose one that was saved as counts.") from error
        return cls(schema, n, tables, left_out=left_out, incomplete=incomplete, mark=marks_in([str(about.get("simulation", ""))]))


def pairs(schema: Schema) -> tuple[Names, ...]:
    """The names of all pairs of attributes: the marginals that most estimates, and every association, need.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.table import pairs
    >>> len(pairs(rr.load_demo("census").schema))
    28
    """
    return tuple(itertools.combinations(schema.names, 2))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:10])
