"""What the chapters know of the world: every number that is not worked out in the browser comes from the library, here."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.audit.frequencies import often
from rrcore.budget import Plan, leakage_frontier
from rrcore.estimate import conditional_shares
from rrcore.limits import AUDIT_CONFIDENCE, LESSON_DOTS
from rrcore.mechanisms import Mechanism
from rrcore.schemes import perturb
from rrcore.table import Dataset, load_demo
from rrcore.wording import odds_text

_LEVEL = 2.0  # of each answer of the Titanic, nats: odds up to 7.39
_SLACKS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.4, math.inf)
_TOTAL = 4.0  # of an applicant's record to Berkeley, nats: odds up to 54.6
_KEPT = (
    (("Gender", "Admit"),),
    (("Gender", "Admit"), ("Gender", "Dept"), ("Admit", "Dept")),
    (("Gender", "Admit", "Dept"),),
)
_SEED = 27


@cache
def lesson_numbers() -> dict[str, Any]:
    """All of them, as plain values that JSON can hold. Levels and totals are in nats, shares from 0 to 1.

    Returns
    -------
    dict with
        ``people`` : attributes, categories and the answers of ``LESSON_DOTS`` people of the demo table census, a letter for each answer
        ``together`` : four answers of the Titanic at level 2: sizes, how often each is replaced, totals, and their certified floor
        ``friend`` : mechanisms between independent and the least total: total, what a friend learns, and the shares of the 16 lie sets
        ``berkeley`` : the table, and for each choice of joint distributions one simulated release: shares admitted with margins
        ``audit`` : the largest p-value that convicts

    Examples
    --------
    >>> found = lesson_numbers()["together"]
    >>> found["independent_text"], found["floor_text"]
    ('2,990', '88.5')
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
    return Plan.for_levels(table, dict.fromkeys(table.schema.names, _LEVEL))


def _together() -> dict[str, Any]:
    schema = load_demo("titanic").schema
    points = {point.value: point.mechanism for point in leakage_frontier(_plan(), (0.0, math.inf))}
    independent, least = points[0.0], points[math.inf]
    assert independent is not None
    assert least is not None
    floor = least.lower_bound
    assert floor is not None
    return {
        "names": list(schema.names),
        "categories": [list(attribute.categories) for attribute in schema.attributes],
        "sizes": list(least.sizes),
        "lies": [float(lie) for lie in least.lies],
        "level": _LEVEL,
        "level_text": odds_text(_LEVEL),
        "independent": float(independent.total_level),
        "independent_text": odds_text(independent.total_level),
        "floor": float(floor),
        "floor_text": odds_text(floor),
        "best": _shares(least),
    }


def _friend() -> list[dict[str, Any]]:
    found = []
    for point in leakage_frontier(_plan(), _SLACKS):
        made = point.mechanism
        assert made is not None
        leakage = [float(level) for level in made.leakage]
        found.append({"total": float(made.total_level), "leakage": leakage, "shares": _shares(made)})
    return found


def _shares(mechanism: Mechanism) -> list[float]:
    """How likely each lie set is, by the number whose binary digits say which answers are replaced, the first digit for the first."""
    return [float(share) for share in mechanism.marginal_channel(range(mechanism.k)).probabilities.ravel()]


def _berkeley() -> dict[str, Any]:
    table = load_demo("berkeley")
    shares = table.shares(("Gender", "Dept", "Admit"))
    counts = np.rint(shares * table.n).astype(int)
    return {
        "departments": list(table.schema.attributes[table.schema.axes(["Dept"])[0]].categories),
        "counts": counts.tolist(),
        "total_text": odds_text(_TOTAL),
        "kept": [_kept(table, each) for each in _KEPT],
    }


def _kept(table: Dataset, questions: Sequence[Sequence[str]]) -> dict[str, Any]:
    mechanism = Plan.for_questions(table, _TOTAL, questions).build()
    release = perturb(table, mechanism, rng=np.random.default_rng(_SEED))
    levels = {name: odds_text(level) for name, level in zip(table.schema.names, mechanism.levels, strict=True)}
    found: dict[str, Any] = {"levels": levels}
    for key, given in (("overall", ("Gender",)), ("within", ("Gender", "Dept"))):
        conditional = conditional_shares(release.estimate((*given, "Admit")), range(len(given)), population=False)
        found[key] = [_numbers(conditional.shares[..., 0]), _numbers(conditional.margin()[..., 0])]
    return found


def _numbers(values: Floats) -> Any:
    """Nested lists, None where a share cannot be told."""
    return [_numbers(each) for each in values] if values.ndim else None if math.isnan(values) else round(float(values), 6)


def power(told: float, promised: float, runs: int, alpha: float = 1 - AUDIT_CONFIDENCE) -> float:
    """How likely ``runs`` runs convict a mechanism that tells the truth with probability ``told`` where it promises ``promised``.

    The runs are of answers that are known; the test is the audit's own of a rate (``rrcore.audit.frequencies.often``), exact and two-sided.

    Examples
    --------
    >>> power(0.75, 0.75, 1000) < 0.001
    True
    """
    from scipy.stats import binom  # heavy

    hits = np.arange(runs + 1)
    return float(binom.pmf(hits, runs, told)[often(hits, runs, promised) < alpha].sum())
