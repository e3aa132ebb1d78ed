"""A synthetic table pieced together from clique marginals, through the junction tree (LoPub, Algorithm 6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate import TableModel
from rrcore.limits import MAX_CLIQUE_CELLS, MAX_ROWS
from rrcore.progress import Report, quiet
from rrcore.research.lopub.graph import DependencyGraph
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Schema


@dataclass(frozen=True, eq=False)
class Synthetic:
    """A synthetic table and how it came about.

    Parameters
    ----------
    dataset : Dataset
    graph : DependencyGraph it was pieced together by
    restarted : int
        How often a record met a combination that the next clique's estimate says nobody has, so that the new attributes were drawn
        without regard to it.
    model : TableModel that its records were drawn from instead; None where they were pieced together
    """

    dataset: Dataset
    graph: DependencyGraph
    restarted: int
    model: TableModel | None = None


def synthesize(
    schema: Schema,
    graph: DependencyGraph,
    joint: Callable[[Sequence[int]], Floats],
    n: int,
    *,
    repeat: bool = False,
    rng: np.random.Generator,
    report: Report = quiet,
) -> Synthetic:
    """Draw ``n`` records clique by clique: the first from its joint distribution, each further one given what it shares with the former.

    Parameters
    ----------
    schema : of the d attributes
    graph : whose cliques are used
    joint : gives the shares, non-negative with sum 1, of the attributes of a clique, from any estimator
    n : number of records, >= 1
    repeat : bool
        Combinations are repeated as often as they are estimated to occur instead of drawn: no sampling noise is
        added, what rounding leaves over goes to the largest remainders.

    Raises
    ------
    InputError
        For no or too many records, or a clique with too many combinations.
    """
    if not 1 <= n <= MAX_ROWS:
        raise InputError(f"The number of records is {n:,}: give 1 to {MAX_ROWS:,}.")
    check_cliques(graph, schema)
    codes = np.zeros((n, len(schema.attributes)), dtype=np.int32, order="F")
    order, restarted = graph.order(), 0
    for done, (clique, known) in enumerate(order):
        report(done / len(order), f"clique {done + 1} of {len(order)}")
        new = [i for i in clique if i not in known]
        places = [clique.index(i) for i in known] + [clique.index(i) for i in new]
        shape = tuple(schema.sizes[i] for i in new)
        shares = np.asarray(joint(clique)).transpose(places).reshape(-1, math.prod(shape))
        cell = np.zeros(n, dtype=np.int64)
        for i in known:
            cell = cell * schema.sizes[i] + codes[:, i]
        empty = shares.sum(axis=1) <= 0
        restarted += int(empty[cell].sum())
        shares = np.where(empty[:, None], shares.sum(axis=0), shares)
        drawn = np.empty(n, dtype=np.int64)
        by_group = np.argsort(cell, kind="stable")
        groups, starts = np.unique(cell[by_group], return_index=True)
        for group, rows in zip(groups, np.split(by_group, starts[1:]), strict=True):
            chances = shares[group] / shares[group].sum()
            drawn[rows] = _repeated(chances, len(rows), rng) if repeat else rng.choice(len(chances), len(rows), p=chances)
        for i, values in zip(new, np.unravel_index(drawn, shape), strict=True):
            codes[:, i] = values
    return Synthetic(Dataset(schema, codes, "Synthetic table"), graph, restarted)


def check_cliques(graph: DependencyGraph, schema: Schema) -> None:
    """Raise InputError where a clique has more than ``MAX_CLIQUE_CELLS`` combinations, naming it."""
    for clique in graph.cliques:
        cells = math.prod(schema.sizes[i] for i in clique)
        if cells > MAX_CLIQUE_CELLS:
            names = ", ".join(schema.names[i] for i in clique)
            raise InputError(f"The attributes {names} have {cells:,} combinations, the limit is {MAX_CLIQUE_CELLS:,}: raise phi.")


def _repeated(chances: Floats, n: int, rng: np.random.Generator) -> Integers:
    """n cells, each as often as its chance says (largest remainders), in random order."""
    whole = np.floor(n * chances)
    left = n - int(whole.sum())
    whole[np.argsort(-(n * chances - whole), kind="stable")[:left]] += 1
    return rng.permutation(np.repeat(np.arange(len(chances)), whole.astype(np.int64)))
