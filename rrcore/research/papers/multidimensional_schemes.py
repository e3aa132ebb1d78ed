"""Multi-Dimensional Randomized Response on UCI Adult: the schemes beside each other (Figure 3), and the order of pairs (section 4.1)."""

import numpy as np

from rrcore.arrays import Floats
from rrcore.dependence import PairTables, cramers_v, estimate_as_released, estimate_debiased, measure_pairs
from rrcore.mechanisms import Kronecker, Mechanism
from rrcore.mechanisms.blocks import Blocks
from rrcore.research.papers.bibliography import MULTIDIMENSIONAL
from rrcore.research.papers.checks import all_of, below, number
from rrcore.research.papers.entry import Axis, Curves, PaperCheck, PaperEntry, Series, Setting, series
from rrcore.research.papers.multidimensional import KEPT
from rrcore.research.papers.multidimensional_adult import (
    COVERAGE,
    COVERAGES,
    RELATIVE,
    clusters_of,
    levels_of,
    median_errors,
    true_pairs,
)
from rrcore.schemes import perturb

_PRODUCT, _CLUSTERS = "RR-Independent", "RR-Clusters"
_BEST = {0.1: (50, 0.3), 0.3: (50, 0.3), 0.5: (50, 0.1), 0.7: (100, 0.3)}
"""p -> most combinations and least dependence with the smallest error printed in Table I."""


def _figure_3(setting: Setting) -> list[Series]:
    people, made = setting.table, []
    sizes, repeats = people.schema.sizes, setting.repeats(3, 36)
    for at, kept in enumerate(KEPT):
        levels, (most, least) = levels_of(kept, sizes), _BEST[kept]
        clusters = Blocks.rr_clusters(sizes, levels, clusters_of(people, most, least))
        mechanisms: dict[str, Mechanism] = {_PRODUCT: Kronecker.from_levels(sizes, levels), _CLUSTERS: clusters}
        work = [
            (f"p = {kept:g}, {name}", mechanism, [(name, "multiplied"), (f"{name} + Adjustment", "adjusted")])
            for name, mechanism in mechanisms.items()
        ]
        found = median_errors(setting.part(at, len(KEPT)), people, work, repeats)
        made += series(COVERAGES, {name: relative for name, (_, relative) in found.items()}, f"p = {kept:g}")
    return made


_STRONG, _WEAK = ("p = 0.1", "p = 0.3"), ("p = 0.5", "p = 0.7")
_OTHERS = (f"{_PRODUCT} + Adjustment", _CLUSTERS, f"{_CLUSTERS} + Adjustment")


def _independent_is_best(measured: Curves, published: Curves) -> tuple[bool, str]:
    cases = []
    for panel in _STRONG:
        errors = {name: measured.get(name, panel).at(0.1) for name in (_PRODUCT, *_OTHERS)}
        text = ", ".join(f"{name} {number(error)}" for name, error in errors.items())
        cases.append((errors[_PRODUCT] <= 1.02 * min(errors.values()), f"{panel}: {text}"))
    holds, text = all_of(cases, "; ")
    return holds, f"at a tenth of the cells, {text}"


def _all_small(measured: Curves, published: Curves) -> tuple[bool, str]:
    worst = max(measured.get(name, panel).at(0.9) for panel in _WEAK for name in (_PRODUCT, *_OTHERS))
    return worst <= 0.05, f"largest relative error at nine tenths of the cells {number(worst)}"


def _section_41(setting: Setting) -> list[Series]:
    """Spearman's rank correlation between Cramér's V of all pairs in a release and in the true table."""
    people, levels = setting.table, (4.0, 2.0, 1.0)
    truth = measure_pairs(PairTables.count(people.codes, people.schema.sizes))
    ranks: dict[str, list[float]] = {"released, without sampling": [], "released": [], "debiased": []}
    for level in setting.steps(levels, "level {:g}"):
        mechanism = Kronecker.from_levels(people.schema.sizes, np.full(people.k, level))
        expected = np.full((people.k, people.k), np.nan)
        for (i, j), shares in true_pairs(people).items():
            expected[i, j] = expected[j, i] = cramers_v(mechanism.marginal_channel((i, j)).push(shares))
        pairs = np.triu_indices(people.k, 1)
        ranks["released, without sampling"].append(_spearman(expected[pairs], truth[pairs]))
        found: dict[str, list[float]] = {"released": [], "debiased": []}
        for _ in range(setting.repeats(1, 20)):
            released = PairTables.count(perturb(people, mechanism, rng=setting.rng).dataset.codes, people.schema.sizes)
            for name, route in (("released", estimate_as_released), ("debiased", estimate_debiased)):
                found[name].append(route(released, mechanism).agreement(truth)[0])
        for name, values in found.items():
            ranks[name].append(float(np.median(values)))
    return series(levels, ranks)


def _spearman(a: Floats, b: Floats) -> float:
    ranks = [np.argsort(np.argsort(values)) for values in (a, b)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _order_kept(measured: Curves, published: Curves) -> tuple[bool, str]:
    texts = []
    for name in measured.names:
        one = measured.get(name)
        texts.append(f"{name} {', '.join(f'{number(y)} at {x:g}' for x, y in zip(one.x, one.y, strict=True))}")
    return min(measured.get("released").y) >= 0.95, f"rank correlation {'; '.join(texts)}"


ENTRIES: tuple[PaperEntry, ...] = (
    PaperEntry(
        *MULTIDIMENSIONAL.at(
            "figure-3", "Figure 3", "Relative error of count queries by coverage, with the best thresholds of Table I"
        ),
        "For p = 0.1 and 0.3 RR-Independent is best and clusters and adjustment are counter-productive; for p = 0.5 and 0.7 and few cells "
        "clusters are much better, and adjustment improves both substantially; for many cells all errors are very small.",
        axes=(COVERAGE, RELATIVE),
        measure=_figure_3,
        checks=(
            PaperCheck("For p = 0.1 and 0.3 RR-Independent is the best", _independent_is_best),
            *(
                below(said, lower, upper, panels=_WEAK, end=0.2)
                for said, lower, upper in (
                    ("For p = 0.5 and 0.7 and few cells RR-Clusters is better than RR-Independent", _CLUSTERS, _PRODUCT),
                    ("Adjustment improves RR-Independent there", f"{_PRODUCT} + Adjustment", _PRODUCT),
                    ("Adjustment improves RR-Clusters there", f"{_CLUSTERS} + Adjustment", _CLUSTERS),
                )
            ),
            PaperCheck("For p = 0.5 and 0.7 and many cells all errors are very small", _all_small),
        ),
        needs_adult=True,
    ),
    PaperEntry(
        *MULTIDIMENSIONAL.at(
            "section-4-1", "Section 4.1", "Rank correlation of Cramér's V of all pairs in a release with that in the true table"
        ),
        "Intuition says that other measures of dependence than covariance keep their relative strength too, so that released answers give "
        "the order of the pairs.",
        axes=(Axis("level of each answer", "nats"), Axis("rank correlation")),
        measure=_section_41,
        checks=(
            PaperCheck("The released order is that of the true table, with a rank correlation of 0.95 or more", _order_kept),
        ),
        needs_adult=True,
    ),
)
