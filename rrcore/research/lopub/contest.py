"""All sources beside each other at equal levels or an equal total: half L1 by the number of attributes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rrcore.errors import InputError
from rrcore.estimate import half_l1
from rrcore.mechanisms import Price
from rrcore.research.lopub.sources import Filters, make_source
from rrcore.schemes import Spend
from rrcore.table.dataset import Dataset
from rrcore.work import Report, part, quiet


@dataclass(frozen=True)
class Standing:
    """How close one source came.

    Parameters
    ----------
    key : the source
    total : what the record costs, nats
    level : the most that a single answer gives away, nats
    errors : number of attributes -> mean half L1 over the sets looked at; NaN where it refuses
    refusal : why it refuses some set, or empty
    price : what one answer, one with the others known, and the whole record give away
    """

    key: str
    total: float
    level: float
    errors: dict[int, float]
    refusal: str = ""
    price: Price | None = None


def closest(standings: Sequence[Standing], width: int) -> tuple[Standing, float]:
    """The source with the smallest error for ``width`` attributes, and how many times larger the next one's is.

    At least one source must have an estimate.
    """
    ranked = sorted((one for one in standings if not math.isnan(one.errors[width])), key=lambda one: one.errors[width])
    best = ranked[0].errors[width]
    return ranked[0], ranked[1].errors[width] / best if len(ranked) > 1 and best > 0 else math.inf


def contest(
    dataset: Dataset,
    keys: Sequence[str],
    eps: float,
    widths: Sequence[int],
    *,
    sets: int,
    spend: Spend = "total",
    filters: Filters,
    rng: np.random.Generator,
    report: Report = quiet,
) -> Iterator[Standing]:
    """Every source on the same random sets of attributes.

    Parameters
    ----------
    keys : keys of ``SOURCES``
    eps : level of every attribute for those that randomise attributes on their own, nats
    widths : numbers of attributes
    sets : most sets of each width
    spend : what is held equal: each source may spend d * eps on the record, or ``eps`` on each answer
    """
    chosen = {}
    for w in widths:
        every = list(combinations(range(dataset.k), w))
        if not every:
            raise InputError(f"There are no sets of {w} attributes: the table has {dataset.k}.")
        chosen[w] = [every[i] for i in sorted(rng.choice(len(every), min(sets, len(every)), replace=False))]
    names = dataset.schema.names
    truth = {axes: dataset.shares([names[i] for i in axes]) for every in chosen.values() for axes in every}
    for number, key in enumerate(keys):
        own = part(report, number, len(keys))
        own(0, "simulating")
        source = make_source(key, dataset, eps, spend=spend, filters=filters, rng=rng, report=own)
        errors, refusal = {}, ""
        for w, every in chosen.items():
            try:
                errors[w] = float(np.mean([half_l1(truth[axes], source.joint(axes, report=own)) for axes in every]))
            except InputError as error:
                errors[w], refusal = math.nan, str(error)
        yield Standing(key, source.total, float(np.max(source.levels)), errors, refusal, source.price)
