"""Another name for a column, wherever the work speaks of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
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

    def renamed(asked: Any) -> Any:
        """What is asked for, by the new name: values by names of attributes, names, or tuples of names."""
        if isinstance(asked, Mapping):
            return {name if known == old else known: value for known, value in asked.items()}
        if isinstance(asked, tuple):
            return tuple(name if known == old else renamed(known) for known in asked)
        return asked

    work.table, work.schema = table, dataset.schema
    work.wish(**{each.name: renamed(getattr(work.wishes, each.name)) for each in fields(work.wishes)})
    work.adopt_table(table, rules, work.source)
    return name
