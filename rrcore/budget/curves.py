"""Curves of privacy against accuracy.

Each curve follows a mechanism of a plan while all epsilons are scaled together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.budget.plan import Plan
from rrcore.budget.recipes import recipe
from rrcore.budget.verdicts import accuracy
from rrcore.errors import InputError
from rrcore.limits import MAX_EPSILON, MIN_EPSILON
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, quiet

_MEANS = np.geomspace(0.1, 5.0, 12)  # mean epsilons of the plans on a curve


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """A mechanism at one point of a curve.

    Parameters
    ----------
    key : name of its recipe
    epsilon_total : epsilon of the whole record
    margins : ndarray of shape (k, k)
        Margins of error, as in ``Accuracy``
    success : ndarray of shape (k,)
        Probability that the best guess of an answer from the whole record is correct, if all answers are equally common
    informed : ndarray of shape (k,)
        The largest such probability for an attacker who knows the other answers
    """

    key: str
    epsilon_total: float
    margins: Floats
    success: Floats
    informed: Floats

    @classmethod
    def of(cls, plan: Plan, mechanism: Mechanism, *, population: bool = True) -> CurvePoint:
        """Return the point of one mechanism.

        Examples
        --------
        >>> import rrcore as rr
        >>> plan = rr.Plan(rr.load_demo("titanic"), 1.0)
        >>> point = CurvePoint.of(plan, plan.build())
        >>> round(point.epsilon_total, 2), point.success.round(2).tolist()
        (2.55, [0.48, 0.73, 0.73, 0.73])
        >>> point.informed.round(2).tolist()
        [0.72, 0.89, 0.89, 0.89]
        """
        margins = accuracy(plan, mechanism, population=population).margins
        others = np.asarray(mechanism.sizes, dtype=np.float64) - 1
        success = np.maximum(1 - mechanism.lies, mechanism.lies / others)
        informed = 1 / (1 + others * np.exp(-mechanism.epsilon_informed))
        return cls(plan.key, mechanism.epsilon_total, margins, success, informed)


def trace_curves(plan: Plan, keys: Sequence[str], population: bool = True, *, report: Report = quiet) -> Iterator[CurvePoint]:
    """Trace the mechanisms called ``keys`` as the epsilons are scaled.

    The mean epsilon of the plan varies from 0.1 to 5, and the ratios between attributes are constant.

    If a mechanism does not support some of these epsilons, its curve has fewer points.
    """
    mean = float(np.mean(plan.epsilon))
    low, high = MIN_EPSILON / min(plan.epsilon), MAX_EPSILON / max(plan.epsilon)
    factors = [factor for factor in _MEANS / mean if low <= factor <= high]
    for done, key in enumerate(keys):
        for step, factor in enumerate(factors):
            report((done + step / len(factors)) / len(keys), recipe(key).title)
            try:
                scaled = plan.with_(mechanism=key).scaled(factor)
                yield CurvePoint.of(scaled, scaled.build(), population=population)
            except InputError:
                continue


def equal_terms(
    points: Sequence[CurvePoint], pair: tuple[int, int], total: float, margin: float
) -> Mapping[str, tuple[float, float]]:
    """Return margins of error at equal epsilons and epsilons at equal margins.

    There is one of each for every mechanism, where the epsilon is that of the whole record.

    Both are interpolated between points. They are NaN outside of a curve.

    Parameters
    ----------
    points : output of ``trace_curves``
    pair : positions of the two attributes
    total, margin : the common epsilon and the common margin
    """
    found = {}
    for key in dict.fromkeys(point.key for point in points):
        own = [(point.epsilon_total, point.margins[pair]) for point in points if point.key == key]
        totals, margins = np.log(np.array([each for each in own if np.isfinite(each[1])]).reshape(-1, 2)).T
        order = np.argsort(margins)
        at_total = np.interp(np.log(total), totals, margins, np.nan, np.nan) if totals.size else np.nan
        at_margin = np.interp(np.log(margin), margins[order], totals[order], np.nan, np.nan) if totals.size else np.nan
        found[key] = (float(np.exp(at_total)), float(np.exp(at_margin)))
    return found
