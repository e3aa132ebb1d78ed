"""Numbers in the texts of the chapters, for the initial state of each chapter."""

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats
from rrcore.auditing.frequencies import often
from rrcore.channel.channels import SubsetChannel
from rrcore.estimate.uncertainty import two_sided_point
from rrcore.learn.numbers import lesson_numbers, power
from rrcore.limits import LESSON_DOTS
from rrcore.wording import count_text, eps_text, odds_text

_UNCHANGED = 0.75  # unless the texts give another probability
_EPSILON = math.log(_UNCHANGED / (1 - _UNCHANGED))


def text_numbers() -> dict[str, str]:
    """Return a mapping of names in the texts to numbers."""
    return {**_first(), **_together(), **_berkeley(), **_last()}


def margin(unchanged: float, people: int) -> float:
    """Return the 95% margin of error of the estimated share of yes answers.

    Each of the ``people`` gives a true answer with probability ``unchanged``.

    Examples
    --------
    >>> round(100 * margin(0.75, 30)), round(100 * margin(0.9, 30))
    (31, 13)
    """
    return two_sided_point(0.95, math.inf) * math.sqrt(unchanged * (1 - unchanged) / people) / (2 * unchanged - 1)


def majority(answers: int, unchanged: float) -> float:
    """Return the probability that most answers about one secret are unchanged.

    A tie counts as one half.
    """
    from scipy.stats import binom  # heavy

    draw = binom.pmf(answers / 2, answers, unchanged) if answers % 2 == 0 else 0.0
    return float(binom.sf(answers // 2, answers, unchanged) + draw / 2)


def deck_shares(lies: Sequence[float], sizes: Sequence[int], many: Sequence[float]) -> Floats:
    """Return the shares of cards by the set of answers that they replace.

    ``many`` has the shares of cards that replace two, three, ... answers.

    All records with the same number of replaced answers are equally likely. Cards that replace one answer maintain the rate of each
    answer. All other cards replace nothing. Some shares are negative if there is no such deck.

    Returns
    -------
    ndarray, shape (2,) * k
    """
    k = len(sizes)
    shares = np.zeros((2,) * k)
    sets = list(np.ndindex(shares.shape))
    ways = {lying: math.prod(size - 1 for size, lie in zip(sizes, lying, strict=True) if lie) for lying in sets}
    for number, part in enumerate(many, 2):
        alike = [lying for lying in sets if sum(lying) == number]
        for lying in alike:
            shares[lying] = part * ways[lying] / sum(ways[each] for each in alike)
    for i, lie in enumerate(lies):
        shares[tuple(int(j == i) for j in range(k))] = lie - shares.sum(axis=tuple(j for j in range(k) if j != i))[1]
    shares[(0,) * k] = 1 - shares.sum()
    return shares


def _of(share: float) -> str:
    return f"{round(100 * share)} of 100"


def _first() -> dict[str, str]:
    from scipy.stats import binom  # heavy

    people = lesson_numbers()["people"]
    rate = next(percent for percent in range(51, 100) if margin(percent / 100, 30) <= 0.1)
    low, high = binom.interval(0.95, 20, _UNCHANGED)
    return {
        "fact_names": f"{', '.join(people['names'][:2])} and {people['names'][4]}",
        "alone": str(round(100 * people["alone"] / LESSON_DOTS)),
        "alone_exact": count_text(people["alone"]),
        "combinations": count_text(math.prod(len(categories) for categories in people["categories"][:-1])),
        "rate_for_ten": str(rate),
        "people_for_ten": count_text(math.ceil(30 * (margin(_UNCHANGED, 30) / 0.1) ** 2)),
        "telling_facts": _telling(),
        "score_low": f"{low:.0f}",
        "score_high": f"{high:.0f}",
        "score_share": _of(float(binom.cdf(high, 20, _UNCHANGED) - binom.cdf(low - 1, 20, _UNCHANGED))),
        "one_eps": eps_text(_EPSILON),
        "twenty_eps": eps_text(20 * _EPSILON),
        "twenty_odds": odds_text(20 * _EPSILON).replace("^9", "⁹"),
        "twenty_right": _of(majority(20, _UNCHANGED)),
        "shared_odds": odds_text(_EPSILON / 20),
        "questions_for_ninety": str(next(k for k in range(1, 30) if majority(k, _UNCHANGED) >= 0.9)),
    }


def _telling() -> str:
    """Return the single facts that leave the fewest people, for one of the women or another."""
    people = lesson_numbers()["people"]
    facts = list(zip(people["names"], people["codes"], strict=False))[:-1]
    first = [min(facts, key=lambda fact, her=her: fact[1].count(fact[1][her]))[0] for her in people["her"]]  # type: ignore[misc]
    *names, last = sorted(set(first), key=first.count, reverse=True)
    return f"{', '.join(names)} or {last}" if names else last


def friend_epsilon(shares: Sequence[float], sizes: Sequence[int], known: Sequence[int], target: int) -> float:
    """Return the ε of one answer for an attacker who sees the record.

    The attacker also knows some other answers, and considers the rest equally likely.

    Parameters
    ----------
    shares : sequence of float
        As in ``lesson_numbers()["friend"]``.
    sizes : sequence of int
        Numbers of categories.
    known, target : sequence of int, int
        Axes.
    """
    table = np.asarray(shares).reshape((2,) * len(sizes))
    rest = tuple(axis for axis in range(len(sizes)) if axis not in (*known, target))
    true, false = np.moveaxis(table.sum(axis=rest, keepdims=True), target, 0)
    return float(np.abs(np.log(true / (false / (sizes[target] - 1)))).max())


def _together() -> dict[str, str]:
    found, friend = lesson_numbers()["together"], lesson_numbers()["friend"]
    independent = np.array(friend[0]["shares"]).reshape((2,) * len(found["sizes"]))
    sums = np.indices(independent.shape).sum(axis=0)
    many = [float(independent[sums == number].sum()) for number in (2, 3, 4)]
    one = {}
    for cards in range(1, 121):
        shares = deck_shares(found["lies"], found["sizes"], [*many[:2], cards / LESSON_DOTS])
        if shares.min() > 0:
            one[cards] = SubsetChannel(tuple(found["sizes"]), shares).epsilon_total
    best = min(one, key=lambda cards: round(one[cards], 9))
    little, least = friend[3], friend[-1]["shares"]
    knowing = [max(friend_epsilon(least, found["sizes"], known, 3) for known in combinations(range(3), n)) for n in (1, 2)]
    return {
        **{key: odds_text(found[key.removesuffix("_text")]) for key in ("independent_text", "floor_text")},
        "answer_eps": eps_text(found["level"]),
        "independent_eps": eps_text(round(found["independent"], 6)),
        "floor_eps": eps_text(found["floor"]),
        "none_cards": count_text(round(LESSON_DOTS * float(independent.flat[0]))),
        "all_cards": count_text(round(LESSON_DOTS * many[2])),
        "least_all_cards": count_text(round(LESSON_DOTS * found["best"][-1])),
        "one_slider": eps_text(one[best]),
        "one_slider_cards": count_text(best),
        "one_known": eps_text(knowing[0]),
        "two_known": eps_text(knowing[1]),
        "little_friend": eps_text(little["epsilon_informed"][3]),
        "little_total": eps_text(little["total"]),
    }


def _berkeley() -> dict[str, str]:
    found = lesson_numbers()["berkeley"]
    counts = np.array(found["counts"])  # gender, department, admitted
    men, women = (counts[gender, :, 0].sum() / counts[gender].sum() for gender in (0, 1))
    return {
        "applicants": count_text(int(counts.sum())),
        "men": str(round(100 * float(men))),
        "women": str(round(100 * float(women))),
        "berkeley_eps": found["epsilon_text"],
        "few": str(int(counts[1, 1].sum())),
    }


def _last() -> dict[str, str]:
    spared = np.flatnonzero(often(np.arange(101), 100, _UNCHANGED) >= lesson_numbers()["audit"]["alpha"])
    people = 2_000
    return {
        "power_thousand": _of(power(0.8, _UNCHANGED, 1_000)),
        "power_one_point": _of(power(0.76, _UNCHANGED, 10_000)),
        "forty_true": f"{round(1e5 * _UNCHANGED**40)} of 100,000",
        "honest_low": str(int(spared[0])),
        "honest_high": str(int(spared[-1])),
        "held_text": _of(held(0.05, _UNCHANGED, 0.1, people)),
        "trust_margin": f"{100 * margin(_UNCHANGED, people):.1f} percentage points",
    }


def held(share: float, unchanged: float, careless: float, people: int) -> float:
    """Return the coverage probability of the 95% interval with careless answers.

    A part ``careless`` of the ``people`` clicks at random.

    A random click is yes half of the time. The number of recorded yes answers is then a sum of two binomials, whose distribution is
    computed exactly.
    """
    from scipy.stats import binom  # heavy

    yes = round(share * people)
    honest = (1 - careless) * unchanged + careless / 2
    first, rest = np.arange(yes + 1), people - yes
    middle = yes * unchanged + rest * (1 - unchanged)
    half = people * margin(unchanged, people) * (2 * unchanged - 1)
    high, low = np.floor(middle + half - first), np.ceil(middle - half - first) - 1
    inside = binom.cdf(high, rest, 1 - honest) - binom.cdf(low, rest, 1 - honest)
    return float((binom.pmf(first, yes, honest) * inside).sum())
