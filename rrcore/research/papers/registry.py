"""Every entry of every paper, by its name, and the verdicts of the document ``docs/papers.md``, for whoever has not measured anything yet."""

import copyreg
from collections import Counter
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
from rrcore.research.papers.entry import Paper, PaperEntry
from rrcore.research.papers.running import Verdict

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


_NAMES: dict[Verdict, str] = {
    "agree": (
        "castell-theorem-5 castell-table-4 castell-figure-3 castell-figure-7 castell-table-2 castell-figure-8 "
        "castell-figure-10a lopub-level lopub-figure-9 lopub-figure-23 lopub-figure-26 multidimensional-figure-1 "
        "multidimensional-section-3-3 multidimensional-proposition-1 multidimensional-corollary-1 multidimensional-example-1 "
        "multidimensional-figure-2 optimized-figure-1 optimized-figure-2 optimized-figure-3 optimized-figure-4 "
        "optimized-section-iv-b1 optimized-figure-5-code optimized-section-v-b optimized-table-1 keyvalue-figure-2 "
        "keyvalue-figure-4 keyvalue-figure-6 keyvalue-figure-7"
    ),
    "differ": (
        "castell-table-3 castell-theorem-4 castell-lemma-2 castell-theorem-6 castell-appendix-b castell-table-5 "
        "castell-table-6 castell-figure-4 castell-figure-5 castell-figure-6 castell-figure-9 castell-figure-10b "
        "castell-figure-10c castell-figure-10d lopub-figure-10 lopub-figure-15 lopub-figure-16 lopub-figure-20 lopub-table-7 "
        "lopub-table-7-pairs lopub-figure-29 multidimensional-equation-5 multidimensional-table-1 multidimensional-table-2 "
        "multidimensional-figure-3 multidimensional-section-4-1 optimized-algorithm-3 optimized-section-v-a "
        "optimized-figure-5 keyvalue-figure-1 keyvalue-figure-3 keyvalue-figure-5 keyvalue-section-2c keyvalue-table-4 "
        "keyvalue-section-6a-bias"
    ),
    "cannot be run": (
        "castell-figure-5-others castell-figure-6-others castell-figure-7-others castell-figure-11 lopub-retail lopub-tpce"
    ),
}

RECORDED: dict[str, Verdict] = {name: verdict for verdict, names in _NAMES.items() for name in names.split()}
"""Name of an entry -> its verdict with few repeats and seed 0; a test holds this against the document, which a run has written."""


def recorded_verdicts() -> dict[Paper, Counter[Verdict]]:
    """How many entries of each paper have which verdict.

    Examples
    --------
    >>> from rrcore.research.papers import recorded_verdicts
    >>> {paper.short: count.total() for paper, count in recorded_verdicts().items()}["Castell"]
    25
    """
    found: dict[Paper, Counter[Verdict]] = {}
    for name, entry in ENTRIES.items():
        found.setdefault(entry.paper, Counter())[RECORDED[name]] += 1
    return found
