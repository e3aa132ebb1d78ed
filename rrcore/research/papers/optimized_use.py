"""Privacy-Optimized Randomized Response: the two-attribute formulas, Algorithm 3, the chi-square example (Figure 5) and Table I."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np

from rrcore.arrays import Floats
from rrcore.budget import levels_for_total
from rrcore.errors import InputError
from rrcore.mechanisms import Mechanism, Optimal, Published, published_two_attribute_optimum, solve_published_programme
from rrcore.research.papers.bibliography import OPTIMIZED
from rrcore.research.papers.checks import below, near, number
from rrcore.research.papers.chi_square import (
    BUILDERS,
    CELLS,
    PUBLISHED_DIFFERENCES,
    chi_square_errors,
    last_snp_errors,
    published_peers,
)
from rrcore.research.papers.entry import Axis, Curves, PaperCheck, PaperEntry, Series, Setting, series
from rrcore.research.papers.optimized import AS_DRAWN, HEURISTIC, KRONECKER, OPTIMUM, by_level, heuristic
from rrcore.wording import percent

_SHARE, _EXCESS = "a, share of data sets", "b, largest excess (nats)"
_DENSE = "Optimum, programme as published"
_CASES = ("I", "II", "III", "IV")
_TITLES = {"kronecker": KRONECKER, "published": HEURISTIC, "optimal": OPTIMUM}


def _two_attributes(setting: Setting) -> list[Series]:
    largest, seen = dict.fromkeys(_CASES, 0.0), dict.fromkeys(_CASES, 0)
    for _ in range(setting.repeats(80, 1000)):
        sizes, levels = tuple(int(a) for a in setting.rng.integers(2, 21, 2)), setting.rng.uniform(0.1, 6, 2)
        found = published_two_attribute_optimum(sizes, levels.tolist())
        off = abs(found.total_level - Optimal.from_levels(sizes, levels).total_level)
        largest[found.case], seen[found.case] = max(largest[found.case], off), seen[found.case] + 1
    there = [case for case in _CASES if seen[case]]
    return series(there, {"largest difference": [largest[case] for case in there]})


def _no_difference(measured: Curves, published: Curves) -> tuple[bool, str]:
    one = measured.get("largest difference")
    text = f"largest difference {max(one.y):.1e} nats, cases met: {', '.join(map(str, one.x))}"
    return one.x == _CASES and max(one.y) < 1e-6, text


def _exceeded(setting: Setting) -> list[Series]:
    """Share of data sets of section V-C with an exceeded level, and the largest excess."""
    ks, names = (10, 100, 1000), (HEURISTIC, AS_DRAWN)
    found: dict[tuple[str, str], list[float]] = {(name, panel): [] for panel in (_SHARE, _EXCESS) for name in names}
    for k in setting.steps(ks, "{} attributes"):
        built: dict[str, list[Published]] = {HEURISTIC: [], AS_DRAWN: []}
        for _ in range(setting.repeats(30, 200)):
            sizes, levels = tuple(int(a) for a in setting.rng.integers(2, 6, k)), setting.rng.uniform(1, 10, k)
            built[HEURISTIC].append(heuristic(sizes, levels))
            built[AS_DRAWN].append(Published.from_levels(sizes, levels))
        for name, made in built.items():
            found[name, _SHARE].append(float(np.mean([bool(one.violations) for one in made])))
            found[name, _EXCESS].append(max(float(one.excess.max()) for one in made))
    return series(ks, found)


def _none_exceeded(measured: Curves, published: Curves) -> tuple[bool, str]:
    texts = []
    for name in (HEURISTIC, AS_DRAWN):
        shares = measured.get(name, _SHARE)
        texts.append(f"{name}: {', '.join(f'{percent(y)} at k = {x}' for x, y in zip(shares.x, shares.y, strict=True))}")
    worst = max(max(measured.get(name, _EXCESS).y) for name in (HEURISTIC, AS_DRAWN))
    none = all(y == 0 for one in measured.series if one.panel.startswith("a") for y in one.y)
    return none, f"data sets with an exceeded level, {'; '.join(texts)}; by up to {number(worst)} nats"


def _affordable(setting: Setting) -> list[Series]:
    """Sum of the levels that a total of 20 nats affords, levels in the proportions of data sets of Figure 1 (c)."""
    sums, sets = [], setting.repeats(8, 100)
    for _ in setting.steps(range(1, sets + 1), f"data set {{}} of {sets}"):
        sizes, levels, _ = by_level(7, setting.rng)
        found = levels_for_total(sizes, 20.0, levels, mechanism=Optimal.from_levels).mechanism
        sums.append(float(found.levels.sum()))
    return series((KRONECKER, OPTIMUM), {"sum of the levels": (20.0, np.mean(sums))})


def _figure_5(setting: Setting) -> list[Series]:
    def errors(mechanisms: tuple[Mechanism, ...], rng: np.random.Generator) -> Floats:
        found = chi_square_errors(mechanisms, rng=rng, runs=1)
        return np.array([kind for each in found for kind in (each.raw[0], each.debiased[0])])

    names = (HEURISTIC, f"{HEURISTIC}, debiased", KRONECKER, f"{KRONECKER}, debiased")
    return _by_snps(setting, errors, names)


def _figure_5_code(setting: Setting) -> list[Series]:
    return _by_snps(setting, lambda mechanisms, rng: last_snp_errors(mechanisms, rng=rng), (HEURISTIC, KRONECKER))


def _by_snps(
    setting: Setting, errors: Callable[[tuple[Mechanism, ...], np.random.Generator], Floats], names: tuple[str, ...]
) -> list[Series]:
    runs, rows = setting.repeats(6, 50), []
    for k in setting.steps(PUBLISHED_DIFFERENCES, "{} SNPs"):
        rows.append(np.mean([errors(published_peers(k, rng=setting.rng), setting.rng) for _ in range(runs)], axis=0))
    return series(PUBLISHED_DIFFERENCES, dict(zip(names, np.transpose(rows), strict=True)))


def _equal_totals(setting: Setting) -> list[Series]:
    k, totals, runs = 10, (5.0, 10.0, 15.0, 20.0), setting.repeats(5, 50)
    weights = np.linspace(2, 1, k)
    values: dict[tuple[str, str], list[float]] = {}
    for total in setting.steps(totals, "a total of {:g} nats"):
        peers: dict[str, Mechanism] = {}
        for key, builder in BUILDERS.items():
            try:
                peers[key] = levels_for_total((CELLS,) * k, total, weights, mechanism=builder).mechanism
            except InputError:
                continue  # no multiple of these levels gives the heuristic that total
        found = dict(zip(peers, chi_square_errors(list(peers.values()), rng=setting.rng, runs=runs), strict=True))
        for key in BUILDERS:
            means = found[key].means if key in found else (np.nan, np.nan)
            for panel, mean in zip(("a, released tables", "b, debiased tables"), means, strict=True):
                values.setdefault((_TITLES[key], panel), []).append(float(mean))
    return series(totals, values)


def _table_1(setting: Setting) -> list[Series]:
    """Seconds, the median of some runs; the dense programme of the paper is solved for k up to 10 only, as there."""
    runs, rng = setting.repeats(3, 10), setting.rng
    few, many = (3, 5, 10), (3, 5, 10, 100, 500, 1000)

    def seconds(work: Callable[[tuple[int, ...], Floats], object], ks: Sequence[int]) -> list[float]:
        found = []
        for k in setting.steps(ks, "{} attributes"):
            spent = []
            for _ in range(runs):
                sizes, levels = tuple(int(a) for a in rng.integers(2, 6, k)), rng.uniform(1, 10, k)
                began = perf_counter()
                work(sizes, levels)
                spent.append(perf_counter() - began)
            found.append(float(np.median(spent)))
        return found

    dense = {OPTIMUM: seconds(Optimal.from_levels, few), _DENSE: seconds(solve_published_programme, few)}
    return [*series(few, dense), *series(many, {HEURISTIC: seconds(heuristic, many)})]


def _practical(measured: Curves, published: Curves) -> tuple[bool, str]:
    ours, printed = measured.get(OPTIMUM).at(10), published.get(OPTIMUM).at(10)
    dense = measured.get(_DENSE).at(10)
    text = f"the optimum takes {number(ours)} s, the programme as published {number(dense)} s, printed {number(printed)} s"
    return max(ours, dense) <= 60, text


def _a_second(measured: Curves, published: Curves) -> tuple[bool, str]:
    ours, printed = measured.get(HEURISTIC).at(1000), published.get(HEURISTIC).at(1000)
    return ours <= 2 * printed, f"{number(ours)} s for 1,000 attributes, printed {number(printed)} s"


_PRINTED_SECONDS = "Table I, as printed"
_NOTEBOOK = (
    "Example.ipynb of github.com/ay0408/Optimized-RR, the code that the paper names, over 5 runs; the text has a figure only"
)
_DIFFERENCES = tuple(
    Series(name, tuple(PUBLISHED_DIFFERENCES), tuple(pair[column] for pair in PUBLISHED_DIFFERENCES.values()), source=_NOTEBOOK)
    for column, name in enumerate((HEURISTIC, KRONECKER))
)
_OFF = Axis("mean difference of the chi-square statistic")

ENTRIES: tuple[PaperEntry, ...] = (
    PaperEntry(
        *OPTIMIZED.at(
            "section-iv-b1",
            "Section IV-B1",
            "The formulas for two attributes against the optimum by a programme, 2 to 20 categories, levels from 0.1 to 6",
        ),
        "The four cases of the formulas give the mechanism of least total.",
        axes=(Axis("case of the formulas"), Axis("difference of the totals", "nats")),
        published=(
            Series("largest difference", _CASES, (0.0,) * 4, source="section IV-B1: 'the optimal solution', with a proof"),
        ),
        measure=_two_attributes,
        checks=(PaperCheck("The formulas give the optimum in every case", _no_difference),),
        bars=True,
    ),
    PaperEntry(
        *OPTIMIZED.at(
            "algorithm-3",
            "Algorithm 3",
            "How often the heuristic gives an attribute more than its level, 2 to 5 categories, levels from 1 to 10",
        ),
        "Given a level for each attribute, the heuristic constructs a near-optimal mechanism; where an attribute does not fit, "
        "its level 'will differ from the input'.",
        axes=(Axis("attributes k", log=True), Axis("exceeded levels")),
        measure=_exceeded,
        checks=(PaperCheck("No level that was asked for is exceeded", _none_exceeded),),
    ),
    PaperEntry(
        *OPTIMIZED.at(
            "section-v-a", "Section V-A, on Figure 1 (c)", "Sum of the levels of seven attributes that a total of 20 nats affords"
        ),
        "If the total is 20, the sum of the levels is also 20 with Kronecker, and about 40 with the new methods.",
        axes=(Axis("mechanism"), Axis("sum of the levels", "nats")),
        published=(Series("sum of the levels", (KRONECKER, OPTIMUM), (20.0, 40.0), source="section V-A, as stated"),),
        measure=_affordable,
        checks=(near("The total of 20 affords levels of about 40, within 4", absolute=4),),
        bars=True,
    ),
    PaperEntry(
        *OPTIMIZED.at(
            "figure-5", "Figure 5", "Error of chi-square statistics by the number of SNPs at equal totals, 1,000 people"
        ),
        "The difference with the heuristic is almost less than half of that with Kronecker.",
        axes=(Axis("SNPs k"), _OFF),
        published=_DIFFERENCES,
        measure=_figure_5,
        checks=(
            below("The heuristic's difference is less than half of Kronecker's", HEURISTIC, KRONECKER, factor=0.5),
            near("Kronecker's differences are the printed ones within a quarter", relative=0.25, names=(KRONECKER,)),
            near("The heuristic's differences are the printed ones within a quarter", relative=0.25, names=(HEURISTIC,)),
        ),
    ),
    PaperEntry(
        *OPTIMIZED.at(
            "figure-5-code",
            "Figure 5, as the authors' code has it",
            "The same where the people of the last SNP are released for every SNP, as the notebook does by a slip",
        ),
        "The code fills the array of people anew for each SNP before any is released, so that what is printed is the distance between the "
        "released last table and all true ones.",
        axes=(Axis("SNPs k"), _OFF),
        published=_DIFFERENCES,
        measure=_figure_5_code,
        checks=(near("With the slip, the printed numbers come out within a half, nine of ten", relative=0.5, share=0.9),),
    ),
    PaperEntry(
        *OPTIMIZED.at(
            "section-v-b", "Section V-B", "Error of chi-square statistics of ten SNPs by the total, levels in proportions 2 to 1"
        ),
        "When the total is fixed, the new methods can achieve less than half the output error.",
        axes=(Axis("total", "nats"), _OFF),
        measure=_equal_totals,
        checks=(
            below(
                "At half of the totals or more, the optimum's difference is less than half of Kronecker's",
                OPTIMUM,
                KRONECKER,
                factor=0.5,
                panels=("a, released tables",),
                share=0.5,
            ),
        ),
    ),
    PaperEntry(
        *OPTIMIZED.at("table-1", "Table I", "Seconds to design a mechanism, 2 to 5 categories, levels from 1 to 10"),
        "Up to about 10 attributes the optimum takes a practical time, and the heuristic takes about a second for 1,000.",
        axes=(Axis("attributes k", log=True), Axis("run time", "seconds", log=True)),
        published=(
            Series(OPTIMUM, (3, 5, 10), (0.006, 0.013, 54.9), source=_PRINTED_SECONDS),
            Series(
                HEURISTIC, (3, 5, 10, 100, 500, 1000), (0.000092, 0.00017, 0.00051, 0.015, 0.27, 1.14), source=_PRINTED_SECONDS
            ),
        ),
        measure=_table_1,
        checks=(
            PaperCheck("Ten attributes take a practical time, a minute at most", _practical),
            PaperCheck("The heuristic takes about a second for 1,000 attributes, or less", _a_second),
        ),
        of_machine=True,
    ),
)
