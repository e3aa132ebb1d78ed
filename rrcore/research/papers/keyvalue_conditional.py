"""Key-Value: conditional frequencies and means by IOH, for 2, 4 and 8 keys and 10^5 and 10^6 users (Figures 6 and 7)."""

from collections.abc import Sequence

import numpy as np

from rrcore.research.keyvalue import IOH, ConditionalQuestion, invented, true_answer
from rrcore.research.keyvalue.conditional import STATES
from rrcore.research.papers.bibliography import KEYVALUE
from rrcore.research.papers.checks import check, rises
from rrcore.research.papers.entry import Axis, Curves, PaperCheck, PaperEntry, Series, Setting, series
from rrcore.schemes import design
from rrcore.schemes.perturbation import perturb
from rrcore.table import Attribute, Dataset, Schema

_FREQUENCY, _MEAN = 0.8, -0.8  # the low average case of section VI-D
_KEYS, _USERS, _LEVELS = (2, 4, 8), (100_000, 1_000_000), (1.0, 4.0)
_STATES = np.array([_FREQUENCY * (1 - _MEAN) / 2, 1 - _FREQUENCY, _FREQUENCY * (1 + _MEAN) / 2])  # -1, none, +1
_IOH, _COUPLED = "IOH", "pair-safe on states"
_SHARES, _VALUES = "frequency", "mean"


def panel(what: str, users: int, eps: float) -> str:
    """One part of a figure."""
    return f"{what}, {users:,} users, level {eps:g}"


def pairs(d: int) -> list[tuple[int, int]]:
    """Key asked about and key that users have: every key once, with the next one."""
    return [(i, (i + 1) % d) for i in range(d)]


def ioh_errors(setting: Setting, d: int, users: int, eps: float) -> tuple[float, float]:
    """Median absolute errors of IOH about the frequency and the mean of a key among users with another one.

    Users have each of ``d`` keys with probability 0.8, independently, and all values are -0.8. The frequency is compared with that
    of the very users, as counted without privacy.
    """
    protocol = IOH(eps, d)
    group, have, values = ConditionalQuestion(0, {1: True}).masks
    population = np.ones(1)
    for _ in range(d):
        population = np.multiply.outer(population, _STATES).ravel()
    misses = []
    for _ in range(setting.repeats(20, 400)):
        counted = setting.rng.multinomial(users, population)
        sums = protocol.report(counted, rng=setting.rng)
        table, real = protocol.table(sums, users), counted.reshape((3,) * d) / users
        variance = protocol.variance(sums, users)
        for axes in pairs(d):
            (shares, _), (true, _) = protocol.marginal(table, variance, axes), protocol.marginal(real, variance, axes)
            truth = float((have * true).sum() / (group * true).sum())
            found = float((have * shares).sum() / (group * shares).sum())
            misses.append((found - truth, float((values * shares).sum() / (have * shares).sum()) - _MEAN))
    return _medians(misses)


def coupled_errors(setting: Setting, d: int, users: int, eps: float) -> tuple[float, float]:
    """Median absolute errors of the pair-safe mechanism on the three states of every key, about generated users."""
    data = invented(users, d, frequency=_FREQUENCY, mean=_MEAN, spread=0.0, rng=setting.rng)
    schema = Schema(tuple(Attribute(key, STATES, "ordinal") for key in data.keys))
    mechanism = design("pair-safe", schema.sizes, np.full(d, eps / d))
    group, have, values = ConditionalQuestion(0, {1: True}).masks
    truths = [true_answer(data, ConditionalQuestion(key, {other: True})) for key, other in pairs(d)]
    misses = []
    for _ in range(setting.repeats(6, 50)):
        table = Dataset(schema, data.states(rng=setting.rng).astype(np.int32))
        release = perturb(table, mechanism, rng=setting.rng)
        for (key, other), truth in zip(pairs(d), truths, strict=True):
            shares = release.estimate([data.keys[key], data.keys[other]]).shares
            own = float((have * shares).sum())
            mean = float((values * shares).sum()) / own
            misses.append((own / float((group * shares).sum()) - truth.frequency, mean - truth.mean))
    return _medians(misses)


def _medians(misses: Sequence[tuple[float, float]]) -> tuple[float, float]:
    first, second = np.median(np.abs(np.array(misses)), axis=0)
    return float(first), float(second)


def measured(setting: Setting) -> list[Series]:
    """Errors of frequency and mean by the number of keys, for every number of users and level: Figure 7, and Figure 6 beside it."""
    made = []
    for users in _USERS:
        for eps in _LEVELS:
            setting.report(0.0, f"{users:,} users at level {eps:g}")
            curves = {_IOH: [ioh_errors(setting, d, users, eps) for d in _KEYS]}
            if users == _USERS[0]:
                curves[_COUPLED] = [coupled_errors(setting, d, users, eps) for d in _KEYS]
            for name, errors in curves.items():
                for what, misses in zip((_SHARES, _VALUES), zip(*errors, strict=True), strict=True):
                    made += series(_KEYS, {name: misses}, panel(what, users, eps))
    return made


def frequencies(setting: Setting) -> list[Series]:
    """Figure 6."""
    return [one for one in measured(setting) if one.panel.startswith(_SHARES)]


def _panels(what: str) -> list[str]:
    return [panel(what, users, eps) for users in _USERS for eps in _LEVELS]


def _harder(curves: Curves, published: Curves) -> tuple[bool, str]:
    ratios = [
        (curves.get(_IOH, b).at(d) / curves.get(_IOH, a).at(d), f"{d} keys, {b}")
        for a, b in zip(_panels(_SHARES), _panels(_VALUES), strict=True)
        for d in _KEYS
    ]
    least, where = min(ratios)
    return least > 1, f"{sum(ratio > 1 for ratio, _ in ratios)} of {len(ratios)} points, least {least:.2f} times at {where}"


@check
def _fewer(curves: Curves, published: Curves, what: str) -> tuple[bool, str]:
    """Every error of 10^5 users is larger than that of 10^6."""
    few, many = (np.array([curves.get(_IOH, panel(what, users, eps)).y for eps in _LEVELS]) for users in _USERS)
    ratios = few / many
    return bool(ratios.min() > 1), f"10^5 users have {ratios.min():.2f} to {ratios.max():.2f} times the error of 10^6"


_FEWER = "the error is smaller for 10^6 users than for 10^5"
_X = Axis("keys")
_SET = "Frequency 0.8, mean -0.8 (low average), 10^5 and 10^6 users, 2, 4 and 8 keys; levels 1 and 4, the paper states none."

ENTRIES = (
    PaperEntry(
        *KEYVALUE.at("figure-6", "Figure 6", "Conditional frequency of one key among users with another"),
        claim=f"With the increase of dimensions the error increases, because the encoded space becomes huge. {_SET}",
        axes=(_X, Axis("median absolute error", log=True)),
        measure=frequencies,
        checks=(rises("IOH's error rises with the number of keys", _IOH), _fewer(_FEWER, _SHARES)),
    ),
    PaperEntry(
        *KEYVALUE.at("figure-7", "Figure 7", "Conditional mean of one key among users with another"),
        claim="The error of means increases with the dimensions too, and is larger than that of frequencies, which is involved in it (the "
        f"text compares means with means, by a slip). {_SET}",
        axes=(_X, Axis("median absolute error", log=True)),
        measure=measured,
        checks=(
            rises("IOH's error rises with the number of keys", _IOH, panels=_panels(_VALUES)),
            _fewer(_FEWER, _VALUES),
            PaperCheck("IOH's error of means is larger than that of frequencies", _harder),
        ),
    ),
)
"""Figures 6 and 7."""
