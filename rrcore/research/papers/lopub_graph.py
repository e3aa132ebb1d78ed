"""LoPub: which attributes of Adult are found to go together (Figure 20), and what the entropy pruning saves and loses (Tables VII to IX)."""

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from rrcore.research.lopub import DependencyGraph, compare_edges, information_matrix, kept_by_entropy
from rrcore.research.papers.bibliography import LOPUB
from rrcore.research.papers.castell_errors import shares
from rrcore.research.papers.checks import below, falls, near
from rrcore.research.papers.entry import Axis, Curves, PaperCheck, PaperEntry, Series, Setting, series
from rrcore.research.papers.lopub_joint import METHODS, flips, sample, source

PHI = 0.4
"""Dependency threshold of section VI-B for Adult."""

_RIGHT, _ADDED, _LOST = "identified correctly", "false positive", "lost"
_PHIS = (0.1, 0.2, 0.3, 0.4, 0.5)

_DEPENDENT, _KEPT, _LOOKED_AT = (102, 42, 24, 14, 8), (88, 38, 22, 12, 6), (91, 66, 55, 36, 28)  # Table VII
_PAIRS: Mapping[str, tuple[int, tuple[float, ...], tuple[int, ...]]] = {
    "Table VII, Adult": (15, _PHIS, _LOOKED_AT),
    "Table VIII, TPC-E": (24, _PHIS, (231, 171, 136, 66, 45)),
    "Table IX, Retail": (16, (0.1, 0.15, 0.2, 0.25, 0.3), (91, 91, 78, 66, 55)),
}
"""Table -> attributes, dependency degrees, printed numbers of pairs after pruning."""


def identification(setting: Setting) -> list[Series]:
    """Parts of the pairs of Adult at dependency degree 0.4 that each method gets right, adds and loses, over f."""
    table = sample(setting)
    rows: dict[tuple[str, str], list[float]] = {}
    sizes = table.schema.sizes
    true = DependencyGraph(sizes, information_matrix(partial(shares, table), sizes), PHI)
    pairs = math.comb(len(sizes), 2)
    for flip in setting.steps(flips(setting), "f = {:g}"):
        for key, name in METHODS.items():
            found = DependencyGraph(sizes, information_matrix(source(setting, table, key, flip).joint, sizes), PHI)
            edges = compare_edges(found, true)
            added, lost = len(edges.added) / pairs, len(edges.lost) / pairs
            for panel, part in ((_RIGHT, 1 - added - lost), (_ADDED, added), (_LOST, lost)):
                rows.setdefault((name, panel), []).append(part)
    return series(flips(setting), rows)


def pruning(setting: Setting) -> list[Series]:
    """Dependencies of the true table of Adult with and without pruning, as parts of all pairs, and what is lost and saved."""
    table = setting.table
    sizes = table.schema.sizes
    information = information_matrix(partial(shares, table), sizes)
    margins = [table.shares([name]) for name in table.schema.names]
    pairs, rows = math.comb(table.k, 2), []
    for phi in _PHIS:
        edges = DependencyGraph(sizes, information, phi).edges
        kept = set(kept_by_entropy(margins, phi))
        left = [edge for edge in edges if kept.issuperset(edge)]
        loss = 1 - len(left) / len(edges) if edges else math.nan
        rows.append((len(edges) / pairs, len(left) / pairs, loss, 1 - math.comb(len(kept), 2) / pairs))
    return series(_PHIS, dict(zip(_COLUMNS, np.transpose(rows), strict=True)))


def pairs_looked_at(setting: Setting) -> list[Series]:
    """How many pairs Algorithm 5 leaves of so many attributes."""
    made = []
    for panel, (d, phis, _) in _PAIRS.items():
        kept = [len(kept_by_entropy([np.full(2, 0.5)] * d, phi)) for phi in phis]
        made += series(phis, {"pairs": [math.comb(each, 2) for each in kept]}, panel)
    return made


_COLUMNS = ("dependent pairs", "dependent pairs after pruning", "loss ratio", "reduction ratio")
_EM, _LASSO, _BOTH = METHODS.values()
_VII = "Table VII"


def _counts(printed: Sequence[int]) -> tuple[float, ...]:
    return tuple(count / 210 for count in printed)  # 15 x 14 entries of the adjacency matrix: all counts are even


def _nine_of_ten(curves: Curves, published: Curves) -> tuple[bool, str]:
    """The first part that is too small is told, else the first of all."""
    found = []
    for name in METHODS.values():
        one = curves.get(name, _RIGHT)
        found += [(part, f"{name} {100 * part:.0f} % at f = {flip:g}") for flip, part in zip(one.x, one.y, strict=True)]
    wrong = [text for part, text in found if not part >= 0.9]
    return not wrong, f"{len(found) - len(wrong)} of {len(found)} cases; {(wrong or [text for _, text in found])[0]}"


ENTRIES = (
    PaperEntry(
        *LOPUB.at("figure-20", "Figure 20", "Dependent pairs of Adult: identified, added and lost"),
        claim="The accuracy is as high as 95 % and generally decreases with f; false positives are fewer for EM_JD and Lasso+EM_JD than for "
        "Lasso_JD, and few pairs are lost. On a tenth of the people and eight of the 15 attributes.",
        axes=(Axis("flipping probability f"), Axis("part of the pairs")),
        published=(*(Series(name, (0.5,), (0.95,), _RIGHT, "section VI-B1: as high as 95 %") for name in METHODS.values()),),
        measure=identification,
        checks=(
            PaperCheck("every method identifies at least 90 % of the pairs", _nine_of_ten),
            falls("the accuracy of EM_JD ends lower than it begins", _EM, slack=1.0, panels=(_RIGHT,)),
            below("EM_JD adds no more than Lasso_JD", _EM, _LASSO, panels=(_ADDED,)),
            below("Lasso+EM_JD adds no more than Lasso_JD", _BOTH, _LASSO, panels=(_ADDED,)),
        ),
        needs_adult=True,
    ),
    PaperEntry(
        *LOPUB.at("table-7", "Table VII", "Dependencies of Adult with and without pruning"),
        claim="The number of dependencies decreases dramatically with phi, from 102 to 8 of 210 ordered pairs of 15 attributes, and those "
        "after pruning are quite close. Measured on eight attributes, so as parts of all pairs.",
        axes=(Axis("dependency degree phi"), Axis("part")),
        published=(
            Series(_COLUMNS[0], _PHIS, _counts(_DEPENDENT), source=f"{_VII}, # Dep / 210"),
            Series(_COLUMNS[1], _PHIS, _counts(_KEPT), source=f"{_VII}, # Dep (Pruning) / 210"),
            Series(_COLUMNS[2], _PHIS, (0.137, 0.095, 0.083, 0.143, 0.250), source=f"{_VII}, as printed"),
            Series(_COLUMNS[3], _PHIS, (0.133, 0.371, 0.476, 0.657, 0.733), source=f"{_VII}, as printed"),
        ),
        measure=pruning,
        checks=(
            falls("the part of dependent pairs falls with phi", _COLUMNS[0]),
            near("the parts of dependent pairs are the printed ones to 0.15", absolute=0.15, names=_COLUMNS[:1]),
            near("the loss ratios are the printed ones to 0.15", absolute=0.15, names=_COLUMNS[2:3]),
            near("the reduction ratios are the printed ones to 0.15", absolute=0.15, names=_COLUMNS[3:]),
        ),
        needs_adult=True,
    ),
    PaperEntry(
        *LOPUB.at("table-7-pairs", "Tables VII to IX", "Pairs that are looked at after pruning"),
        claim="Of 15, 24 and 16 attributes those with the largest entropy are kept, floor of d (1 - phi); the tables print the "
        "numbers of pairs.",
        axes=(Axis("dependency degree phi"), Axis("pairs")),
        published=tuple(
            Series("pairs", phis, tuple(map(float, printed)), panel, "as printed, # Pairs (Pruning)")
            for panel, (_, phis, printed) in _PAIRS.items()
        ),
        measure=pairs_looked_at,
        checks=(near("all printed numbers of pairs are those of d (1 - phi), rounded", absolute=0.5),),
    ),
)
"""Figure 20 and Tables VII to IX."""
