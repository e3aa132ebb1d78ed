"""Every entry of every paper, by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rrcore.errors import InputError
from rrcore.papers import multidimensional, multidimensional_adult, optimized, optimized_use
from rrcore.papers.entry import Entry

ENTRIES: Mapping[str, Entry] = MappingProxyType(
    {entry.id: entry for part in (multidimensional, multidimensional_adult, optimized, optimized_use) for entry in part.ENTRIES}
)
"""Name -> Entry, paper by paper."""


def find(name: str) -> Entry:
    """The entry of that name. Raises InputError where there is none."""
    if name not in ENTRIES:
        raise InputError(f"There is no entry '{name}': 'rrcore papers list' names them all.")
    return ENTRIES[name]
