"""LoPub: seconds and errors of EM_JD, Lasso_JD and Lasso+EM_JD on joint distributions of Adult over the flipping probability f."""

import time
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from rrcore.estimate import half_l1
from rrcore.research.lopub import Filters, Source, level, make_source
from rrcore.research.papers.bibliography import LOPUB
from rrcore.research.papers.castell_errors import chosen_sets, filters_of, shares
from rrcore.research.papers.checks import below, between_panels, flat, near, rises, under_printed
from rrcore.research.papers.entry import Axis, PaperEntry, Series, Setting, series
from rrcore.table.dataset import Dataset

METHODS: Mapping[str, str] = {"em": "EM_JD", "lasso": "Lasso_JD", "lasso-em": "Lasso+EM_JD"}
"""Key of ``SOURCES`` -> the paper's name."""

HASHES, BITS = 4, 128  # of Adult, section VI
_SAMPLE = 0.1  # part of Adult that is used, section VI
_FLIPS = (0.1, 0.3, 0.5, 0.7, 0.9)
_LEVEL = "level of an attribute"


def flips(setting: Setting) -> tuple[float, ...]:
    """The flipping probabilities that are looked at."""
    return _FLIPS[::2] if setting.fast else _FLIPS


def sample(setting: Setting, part: float = _SAMPLE) -> Dataset:
    """A tenth of the people of Adult, or another part."""
    table = setting.table
    rows = setting.rng.choice(table.n, round(part * table.n), replace=False)
    return Dataset(table.schema, table.codes[np.sort(rows)], table.title)


def filters(table: Dataset) -> Filters:
    """128 bits and 4 hash functions for every attribute."""
    return filters_of(table, bits=BITS, hashes=HASHES)


def source(setting: Setting, table: Dataset, key: str, flip: float) -> Source:
    """One collection of reports at ``flip``, read by the method called ``key``."""
    return make_source(key, table, level(HASHES, flip), filters=filters(table), rng=setting.rng)


def levels(setting: Setting) -> list[Series]:
    """The level of an attribute with 4 hash functions."""
    return series((0.5,), {_LEVEL: (level(HASHES, 0.5),)})


def estimates(setting: Setting, widths: Sequence[int]) -> list[tuple[str, int, float, float, float]]:
    """(method, attributes, f, mean seconds, mean half L1) over random sets of attributes of a sample of Adult."""
    table, found = sample(setting), []
    source(setting, table, "lasso", 0.5).joint((0,))  # loads what is loaded once
    for w in widths:
        few = setting.repeats(8 if w == 2 else 5, 100)
        sets = chosen_sets(setting, table, w, few, most_cells=setting.repeats(800, 1_500))
        for flip in setting.steps(flips(setting), f"{w} attributes at f = {{:g}}"):
            for key, name in METHODS.items():
                read, errors, seconds = source(setting, table, key, flip), [], []
                for axes in sets:
                    start = time.perf_counter()
                    joint = read.joint(axes)
                    seconds.append(time.perf_counter() - start)
                    errors.append(half_l1(shares(table, axes), joint))
                found.append((name, w, flip, float(np.mean(seconds)), float(np.mean(errors))))
    return found


def curves(setting: Setting, *, widths: Sequence[int], which: int) -> list[Series]:
    """Column ``which`` of the estimates as curves over f, one panel for each number of attributes."""
    found: dict[tuple[str, str], list[float]] = {}
    for name, w, _, *columns in estimates(setting, widths):
        found.setdefault((name, _panel(w)), []).append(columns[which])
    return series(flips(setting), found)


def _panel(w: int) -> str:
    return f"k = {w}"


_EM, _LASSO, _BOTH = METHODS.values()
_F = Axis("flipping probability f")
_SECONDS, _HALF_L1 = Axis("time", "seconds", log=True), Axis("half L1, the paper's AVD")
_ON = "On a tenth of the people and eight of the 15 attributes of Adult, sets of at most 1,500 combinations."

ENTRIES = (
    PaperEntry(
        *LOPUB.at("level", "Section VI-A2", "The level of an attribute at f = 0.5 with 4 hash functions"),
        claim="At f = 0.5 an individual has a level of 8.79 for each dimension, which is insufficient in general.",
        axes=(_F, Axis("level", "nats")),
        published=(Series(_LEVEL, (0.5,), (8.79,), source="section VI-A2, as stated"),),
        measure=levels,
        checks=(near("2 h ln((2 - f) / f) is the stated level to 0.01", absolute=0.01),),
    ),
    PaperEntry(
        *LOPUB.at("figure-9", "Figure 9", "Seconds for pairs of Adult"),
        claim=f"Lasso_JD is consistently much faster than EM_JD and Lasso+EM_JD; the time of EM_JD increases with f. {_ON}",
        axes=(_F, _SECONDS),
        measure=partial(curves, widths=(2,), which=0),
        checks=(
            below("Lasso_JD is faster than EM_JD", _LASSO, _EM),
            below("Lasso_JD is faster than Lasso+EM_JD", _LASSO, _BOTH),
            rises("the time of EM_JD rises with f", _EM, slack=0.5),
        ),
        needs_adult=True,
        of_machine=True,
    ),
    PaperEntry(
        *LOPUB.at("figure-10", "Figure 10", "Seconds for triples of Adult, beside those for pairs"),
        claim="For k = 3 the time of EM_JD increases sharply by several times, Lasso_JD takes less than a few seconds, and Lasso+EM_JD runs "
        f"faster than EM_JD. {_ON}",
        axes=(_F, _SECONDS),
        published=(Series(_LASSO, (0.1, 0.5, 0.9), (5.0, 5.0, 5.0), "k = 3", "section VI-A1: less than a few seconds"),),
        measure=partial(curves, widths=(2, 3), which=0),
        checks=(
            between_panels("EM_JD takes at least 3 times as long for triples as for pairs", _EM, _panel(2), _panel(3), 3.0),
            under_printed("Lasso_JD takes less than 5 seconds", (_LASSO,)),
            below("Lasso+EM_JD is faster than EM_JD for triples", _BOTH, _EM, panels=(_panel(3),)),
        ),
        needs_adult=True,
        of_machine=True,
    ),
    PaperEntry(
        *LOPUB.at("figure-15", "Figure 15", "Errors for pairs of Adult"),
        claim="For k = 2 the error of Lasso_JD does not change with f, that of EM_JD increases gradually; when f is large Lasso_JD is very "
        f"close to EM_JD, and Lasso+EM_JD is very similar to EM_JD. {_ON}",
        axes=(_F, _HALF_L1),
        measure=partial(curves, widths=(2,), which=1),
        checks=(
            flat("Lasso_JD changes by less than half", _LASSO, factor=1.5),
            rises("EM_JD rises with f", _EM),
            below("at f = 0.9 Lasso_JD is at most 1.5 times EM_JD", _LASSO, _EM, factor=1.5, start=0.9),
            below("at f = 0.9 EM_JD is at most 1.5 times Lasso_JD", _EM, _LASSO, factor=1.5, start=0.9),
            below("Lasso+EM_JD is at most 1.5 times EM_JD", _BOTH, _EM, factor=1.5),
        ),
        needs_adult=True,
    ),
    PaperEntry(
        *LOPUB.at("figure-16", "Figure 16", "Errors for triples of Adult, beside those for pairs"),
        claim=f"For k = 3 the error of every method is larger than for k = 2, and Lasso+EM_JD balances Lasso_JD and EM_JD. {_ON}",
        axes=(_F, _HALF_L1),
        measure=partial(curves, widths=(2, 3), which=1),
        checks=(
            *(between_panels(f"{name} is larger for triples", name, _panel(2), _panel(3), 1.0) for name in METHODS.values()),
            below("Lasso+EM_JD is below Lasso_JD where f is small", _BOTH, _LASSO, panels=(_panel(3),), end=0.5),
            below("Lasso+EM_JD is below EM_JD at f = 0.9", _BOTH, _EM, panels=(_panel(3),), start=0.9),
        ),
        needs_adult=True,
    ),
)
"""Figures 9, 10, 15 and 16, and the level they stand for."""
