"""An estimate, beside the truth where that is asked for, as a table for a file: one row per cell.

What must not be taken for a release says so in the file's first line: its first column is called by a mark, which every reader of CSV copes
with, unlike a line of comment, and which stays with rows that are copied elsewhere.
"""

import io

import numpy as np

from rrcore.estimate.cell_table import TRUE_SHARES
from rrcore.mark import simulation_mark
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Schema
from rrcore.writing import Column, columns_of, table_writer


def simulated_file_name(name: str, *, truth: bool = False) -> str:
    """Name of a file that a simulation gives, which says what it is: "estimate.csv" -> "simulated-estimate.csv"."""
    return f"{'with-true-shares-' if truth else ''}simulated-{name}"


def simulated_csv(dataset: Dataset, seed: int, *, truth: bool = False) -> str:
    """Simulated records as CSV text, marked as such in a first column; also as holding true shares where ``truth`` says so.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.estimate import simulated_csv
    >>> table = rr.Dataset(rr.Schema((rr.Attribute("smokes", ("no", "yes")),)), [[0], [1]])
    >>> print(simulated_csv(table, 3).splitlines()[0])
    "simulation, seed 3: not a release",smokes
    """
    return _simulated(dataset, seed, "csv", truth).decode()


def simulated_parquet(dataset: Dataset, seed: int, *, truth: bool = False) -> bytes:
    """Simulated records as a Parquet file, marked as ``simulated_csv`` marks them."""
    return _simulated(dataset, seed, "parquet", truth)


def _simulated(dataset: Dataset, seed: int, kind: str, truth: bool) -> bytes:
    out = io.BytesIO()
    with table_writer(out, simulated_columns(dataset.schema, seed, truth=truth), kind) as write:
        write([np.zeros(dataset.n, dtype=np.int8), *dataset.codes.T])
    return out.getvalue()


def simulated_columns(schema: Schema, seed: int, *, truth: bool = False) -> tuple[Column, ...]:
    """The columns of simulated records: the mark, which stands for "yes" in every row, and the attributes, none of which is called so."""
    mark = simulation_mark(seed)
    name = "; ".join([*([TRUE_SHARES] if truth else []), mark])
    while name in schema.names:
        name = f"{name} (mark)"
    return Column(name, ("yes",), mark=mark), *columns_of(schema)
