"""Castell: seconds (Figure 8) and memory (Table II) of three ways to invert w attributes of three categories."""

import statistics
import time
import tracemalloc
from collections.abc import Callable, Mapping

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel.factors import invert_each_axis
from rrcore.estimate import published_naive_inversion, published_reduced_inversion
from rrcore.research.papers.bibliography import CASTELL
from rrcore.research.papers.checks import below, close, grows, under_printed
from rrcore.research.papers.entry import Axis, PaperEntry, Series, Setting, series

METHODS: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "naive": published_naive_inversion,
    "reduced": published_reduced_inversion,
    "castell": invert_each_axis,
}
"""What the paper calls it -> what does it here."""

_WAYS = (2, 3, 4, 5, 6)
_RETENTION = 0.25  # p = 0.5 among three categories: 0.5 - 0.25


def released(setting: Setting, w: int) -> tuple[Floats, Floats]:
    """Any table over ``w`` attributes of three categories, and their retentions."""
    return setting.rng.dirichlet(np.ones(3**w)).reshape((3,) * w), np.full(w, _RETENTION)


def seconds(setting: Setting) -> list[Series]:
    """Median seconds of one inversion."""
    runs = setting.repeats(5, 100)
    times: dict[str, list[float]] = {name: [] for name in METHODS}
    for w in _WAYS:
        table, retentions = released(setting, w)
        for name, invert in METHODS.items():
            taken = []
            for _ in range(runs):
                start = time.perf_counter()
                invert(table, retentions)
                taken.append(time.perf_counter() - start)
            times[name].append(statistics.median(taken))
    return series(_WAYS, times)


def memory(setting: Setting) -> list[Series]:
    """Most bytes that one inversion had allocated at any time."""
    found: dict[str, list[float]] = {name: [] for name in METHODS}
    ours = not tracemalloc.is_tracing()
    if ours:
        tracemalloc.start()
    try:
        for w in _WAYS:
            table, retentions = released(setting, w)
            for name, invert in METHODS.items():
                before, _ = tracemalloc.get_traced_memory()
                tracemalloc.reset_peak()
                invert(table, retentions)
                found[name].append(float(tracemalloc.get_traced_memory()[1] - before))
    finally:
        if ours:
            tracemalloc.stop()
    return series(_WAYS, found)


ENTRIES = (
    PaperEntry(
        *CASTELL.at("table-2", "Table II", "Storage for the inversion of w attributes of d categories"),
        claim="The naive and the reduced way need d^2w numbers, castell d^w.",
        axes=(Axis("attributes of 3 categories"), Axis("memory", "bytes", log=True)),
        published=(
            *(
                Series(name, _WAYS, tuple(8.0 * 9**w for w in _WAYS), source="Table II: d^2w, 8 bytes each")
                for name in ("naive", "reduced")
            ),
            Series("castell", _WAYS, tuple(8.0 * 3**w for w in _WAYS), source="Table II: d^w, 8 bytes each"),
        ),
        measure=memory,
        checks=tuple(
            close(
                f"{name} needs the printed storage at 4 to 6 attributes, to a factor of 8", (name,), factor=8.0, places=(4, 5, 6)
            )
            for name in METHODS
        ),
        of_machine=True,
    ),
    PaperEntry(
        *CASTELL.at("figure-8", "Figure 8", "Seconds for the inversion of w attributes of 3 categories"),
        claim="The time of the naive way increases exponentially with w, that of the reduced way more slowly; castell takes "
        "0.007 seconds at 6.",
        axes=(Axis("attributes of 3 categories"), Axis("time", "seconds", log=True)),
        published=(Series("castell", (6,), (0.007,), source="section IV-C, as stated"),),
        measure=seconds,
        checks=(
            grows("the naive way takes 10 times as long for 6 attributes as for 2", "naive", 10.0),
            below("the reduced way is faster than the naive one at 4 attributes and more", "reduced", "naive", start=4),
            below("castell is faster than the reduced way at 4 attributes and more", "castell", "reduced", start=4),
            under_printed("castell takes at most the printed time", ("castell",)),
        ),
        of_machine=True,
    ),
)
"""Table II and Figure 8."""
