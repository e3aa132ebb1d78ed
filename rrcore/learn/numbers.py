"""Numbers in the chapters that the browser does not compute."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.auditing.frequencies import often
from rrcore.budget import Plan
from rrcore.estimate import conditional_shares, margin
from rrcore.limits import AUDIT_CONFIDENCE, LESSON_DOTS
from rrcore.mechanisms import Mechanism, Safeguards
from rrcore.simulation import simulate
from rrcore.table import Dataset, load_demo
from rrcore.wording import eps_text

_EPSILON = 2.0  # of each answer of the Titanic
_SLACKS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.4, math.inf)
_TOTAL = 4.0  # ε of an applicant's record at Berkeley
_KEPT = (
    (("Gender", "Admit"),),
    (("Gender", "Admit"), ("Gender", "Dept"), ("Admit", "Dept")),
    (("Gender", "Admit", "Dept"),),
)
_SEED = 27


@cache
def lesson_numbers() -> dict[str, Any]:
    """Return all numbers as plain values for JSON.

    Shares are from 0 to 1.

    Returns
    -------
    dict with
        ``people`` : attributes, categories and the answers of ``LESSON_DOTS`` people of the demo table census, one letter per answer
        ``together`` : four answers of the Titanic at ε = 2: sizes, how often each is replaced, whole-record ε, and its certified lower bound
        ``friend`` : mechanisms from independent to lowest total ε: their ε, and shares of the 16 sets of replaced answers
        ``berkeley`` : the table, and for each choice of joint distributions one simulated release: shares admitted with margins
        ``audit`` : the largest p-value that rejects a mechanism

    Examples
    --------
    >>> found = lesson_numbers()["together"]
    >>> round(found["independent"], 6), round(found["floor"], 6)
    (8.0, 4.482611)
    """
    return {
        "people": _people(),
        "together": _together(),
        "friend": _friend(),
        "berkeley": _berkeley(),
        "audit": {"alpha": round(1 - AUDIT_CONFIDENCE, 12)},
    }


def _people() -> dict[str, Any]:
    table = load_demo("census")
    rng = np.random.default_rng(_SEED)
    codes = table.codes[rng.choice(table.n, LESSON_DOTS, replace=False)]
    _, kind, number = np.unique(codes[:, :-1], axis=0, return_inverse=True, return_counts=True)
    alone = number[kind] == 1
    order = np.argsort([len(set(column)) for column in codes.T[:-1]], kind="stable")  # the most telling last
    secret = codes.shape[1] - 1
    columns = [*map(int, order), secret]
    her = np.flatnonzero(alone & (codes[:, table.schema.axes(["sex"])[0]] == 0) & (codes[:, secret] == 1))
    return {
        "names": [table.schema.names[i] for i in columns],
        "categories": [list(table.schema.attributes[i].categories) for i in columns],
        "codes": ["".join("0123456789abcdef"[code] for code in codes[:, i]) for i in columns],
        "alone": int(alone.sum()),
        "her": [int(place) for place in her[:20]],
    }


def _plan() -> Plan:
    table = load_demo("titanic")
    return Plan(table, dict.fromkeys(table.schema.names, _EPSILON))


def _together() -> dict[str, Any]:
    schema = load_demo("titanic").schema
    independent, least = _capped(0.0), _capped(math.inf)
    floor = least.lower_bound
    assert floor is not None
    return {
        "names": list(schema.names),
        "categories": [list(attribute.categories) for attribute in schema.attributes],
        "sizes": list(least.sizes),
        "lies": [float(lie) for lie in least.lies],
        "level": _EPSILON,
        "independent": float(independent.epsilon_total),
        "floor": float(floor),
        "best": _shares(least),
    }


def _friend() -> list[dict[str, Any]]:
    found = []
    for made in map(_capped, _SLACKS):
        epsilon_informed = [float(level) for level in made.epsilon_informed]
        found.append({"total": float(made.epsilon_total), "epsilon_informed": epsilon_informed, "shares": _shares(made)})
    return found


def _capped(slack: float) -> Mechanism:
    """The lowest total ε with nothing above its own ε by more than ``slack`` for an attacker who knows the other answers."""
    plan = _plan()
    if math.isinf(slack):
        return plan.with_(mechanism="optimal").build()
    return plan.with_(mechanism="constrained", safeguards=Safeguards(slacks=(slack,) * len(plan.epsilon))).build()


def _shares(mechanism: Mechanism) -> list[float]:
    """Return the probability of each set of replaced answers, by the number whose binary digits name them, the first digit for the first."""
    return [float(share) for share in mechanism.channel(range(mechanism.k)).probabilities.ravel()]


def _berkeley() -> dict[str, Any]:
    table = load_demo("berkeley")
    shares = table.shares(("Gender", "Dept", "Admit"))
    counts = np.rint(shares * table.n).astype(int)
    return {
        "departments": list(table.schema.attributes[table.schema.axes(["Dept"])[0]].categories),
        "counts": counts.tolist(),
        "epsilon_text": eps_text(_TOTAL),
        "kept": [_kept(table, each) for each in _KEPT],
    }


def _kept(table: Dataset, questions: Sequence[Sequence[str]]) -> dict[str, Any]:
    mechanism = Plan(table, budget=_TOTAL, workload=questions).build()
    release = simulate(table, mechanism, rng=np.random.default_rng(_SEED))
    found: dict[str, Any] = {}
    for key, given in (("overall", ("Gender",)), ("within", ("Gender", "Dept"))):
        estimate = release.estimate((*given, "Admit"))
        within = conditional_shares(estimate, range(len(given)), population=False)
        shape = estimate.shares.shape
        found[key] = [_numbers(each.reshape(shape)[..., 0]) for each in (within.estimate, margin(within.std_error))]
    return found


def _numbers(values: Floats) -> Any:
    """Return nested lists, None if a share has no estimate."""
    return [_numbers(each) for each in values] if values.ndim else None if math.isnan(values) else round(float(values), 6)


def power(rate: float, promised: float, runs: int, alpha: float = 1 - AUDIT_CONFIDENCE) -> float:
    """Return the probability that ``runs`` runs reject a wrong mechanism.

    The mechanism promises one rate of unchanged answers and has another one.

    The mechanism promises one rate of unchanged answers and has another one.

    The true answers of the runs are known. The test is the exact two-sided test of the audit (``rrcore.auditing.frequencies.often``).

    Examples
    --------
    >>> power(0.75, 0.75, 1000) < 0.001
    True
    """
    from scipy.stats import binom  # heavy

    hits = np.arange(runs + 1)
    return float(binom.pmf(hits, runs, rate)[often(hits, runs, promised) < alpha].sum())
