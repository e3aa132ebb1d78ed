"""Another name for a column, wherever the work speaks of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pages.shared.state import Work
from rrcore.table import recode


def rename_column(work: Work, old: str, new: str) -> str:
    """Call a column ``new``, keeping its treatment, its level and all that was asked about it; gives the name as it stands then.

    Raises InputError, and changes nothing, where another column has that name, or it is empty or too long.
    """
    assert work.table is not None
    table = work.table.renamed({old: new})
    place = work.table.names.index(old)
    name = table.names[place]
    rules = {name if key == old else key: rule for key, rule in work.rules.items()}
    dataset = recode(table, rules)

    def renamed(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name if known == old else known for known in names)

    work.table, work.schema = table, dataset.schema
    work.chosen, work.marginal = renamed(work.chosen), renamed(work.marginal)
    by_name: tuple[dict[str, Any], ...] = (work.levels, work.weights, work.slacks, work.wording)
    for kept in by_name:
        if old in kept:
            kept[name] = kept.pop(old)
    work.questions, work.floor_marginals = tuple(map(renamed, work.questions)), tuple(map(renamed, work.floor_marginals))
    work.adopt_table(table, rules, work.source)
    return name
