"""Many marginals as one long table: a row for each cell of each, for pandas, polars or R."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rrcore.errors import need
from rrcore.estimate.cell_table import cell_table
from rrcore.wording import counted
from rrcore.wording.short import Short, some

if TYPE_CHECKING:
    from rrcore.estimate.estimate import Estimate

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
