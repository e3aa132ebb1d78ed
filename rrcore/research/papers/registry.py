"""Every entry of every paper, by its name."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Mapping
from types import MappingProxyType

from rrcore.errors import InputError
from rrcore.research.papers import (
    castell_adult,
    castell_figures,
    castell_invented,
    castell_theorems,
    castell_time,
    keyvalue_conditional,
    keyvalue_errors,
    keyvalue_facts,
    lopub_graph,
    lopub_joint,
    lopub_synthesis,
    multidimensional,
    multidimensional_adult,
    multidimensional_schemes,
    optimized,
    optimized_use,
)
from rrcore.research.papers.entry import PaperEntry

_PARTS = (
    *(castell_theorems, castell_adult, castell_figures, castell_time, castell_invented),
    *(lopub_joint, lopub_graph, lopub_synthesis),
    *(multidimensional, multidimensional_adult, multidimensional_schemes, optimized, optimized_use),
    *(keyvalue_errors, keyvalue_conditional, keyvalue_facts),
)

ENTRIES: Mapping[str, PaperEntry] = MappingProxyType({entry.id: entry for part in _PARTS for entry in part.ENTRIES})
"""Name -> Entry, paper by paper."""


def find(name: str) -> PaperEntry:
    """The entry of that name. Raises InputError where there is none."""
    if name not in ENTRIES:
        raise InputError(f"There is no entry '{name}': 'rrcore papers list' names them all.")
    return ENTRIES[name]


def _by_name(entry: PaperEntry) -> tuple[Callable[[str], PaperEntry], tuple[str]]:
    return find, (entry.id,)


copyreg.pickle(PaperEntry, _by_name)  # to another process an entry goes by its name: what it measures may be a closure
