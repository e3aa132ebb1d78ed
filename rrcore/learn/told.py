"""The numbers that stand in the texts of the chapters, each computed for the state that its chapter begins with."""

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats
from rrcore.audit.frequencies import often
from rrcore.channel.liesets import LieSets
from rrcore.estimate.uncertainty import two_sided_point
from rrcore.learn.numbers import lesson_numbers, power
from rrcore.limits import LESSON_DOTS
from rrcore.wording import count_text, odds_text

_TOLD = 0.75  # how often phones send the truth, wherever the texts do not say otherwise
_LEVEL = math.log(_TOLD / (1 - _TOLD))


def told_numbers() -> dict[str, str]:
    """Name in the texts -> what stands there."""
    return {**_first(), **_together(), **_berkeley(), **_last()}


def margin(told: float, people: int) -> float:
    """Half the width of the 95 % interval of the share of yes among these people, where each answer is true with probability ``told``.

    Examples
    --------
    >>> round(100 * margin(0.75, 30)), round(100 * margin(0.9, 30))
    (31, 13)
    """
    return two_sided_point(0.95, math.inf) * math.sqrt(told * (1 - told) / people) / (2 * told - 1)


def majority(reports: int, told: float) -> float:
    """How likely most of so many reports about one secret are true; of as many on either side, half."""
    from scipy.stats import binom  # heavy

    draw = binom.pmf(reports / 2, reports, told) if reports % 2 == 0 else 0.0
    return float(binom.sf(reports // 2, reports, told) + draw / 2)


def deck_shares(lies: Sequence[float], sizes: Sequence[int], many: Sequence[float]) -> Floats:
    """Shares of the lie sets where ``many`` of all cards replace two, three, ... answers, all records of one number of lies alike.

    Cards that replace one answer keep each answer's rate of lies, the rest replace nothing. Negative where there is no such deck.

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
    wide = next(told for told in range(51, 100) if margin(told / 100, 30) <= 0.1)
    low, high = binom.interval(0.95, 20, _TOLD)
    return {
        "fact_names": f"{', '.join(people['names'][:2])} and {people['names'][4]}",
        "alone": str(round(100 * people["alone"] / LESSON_DOTS)),
        "alone_exact": count_text(people["alone"]),
        "combinations": count_text(math.prod(len(categories) for categories in people["categories"][:-1])),
        "told_for_ten": str(wide),
        "people_for_ten": count_text(math.ceil(30 * (margin(_TOLD, 30) / 0.1) ** 2)),
        "telling_facts": _telling(),
        "score_low": f"{low:.0f}",
        "score_high": f"{high:.0f}",
        "score_share": _of(float(binom.cdf(high, 20, _TOLD) - binom.cdf(low - 1, 20, _TOLD))),
        "twenty_odds": f"× {odds_text(20 * _LEVEL)}".replace(" × ", "\u00a0× ").replace("^9", "⁹"),
        "twenty_right": _of(majority(20, _TOLD)),
        "shared_odds": f"× {odds_text(_LEVEL / 20)}",
        "questions_for_ninety": str(next(k for k in range(1, 30) if majority(k, _TOLD) >= 0.9)),
    }


def _telling() -> str:
    """Which single fact leaves the fewest people, for one of the women or another."""
    people = lesson_numbers()["people"]
    facts = list(zip(people["names"], people["codes"], strict=False))[:-1]
    first = [min(facts, key=lambda fact, her=her: fact[1].count(fact[1][her]))[0] for her in people["her"]]  # type: ignore[misc]
    *names, last = sorted(set(first), key=first.count, reverse=True)
    return f"{', '.join(names)} or {last}" if names else last


def friend_level(shares: Sequence[float], sizes: Sequence[int], known: Sequence[int], target: int) -> float:
    """How far a record moves the odds about one answer, at most, for whoever knows these others and thinks the rest alike likely; in nats.

    Parameters
    ----------
    shares : as in ``lesson_numbers()["friend"]``
    sizes : numbers of categories
    known, target : axes
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
            one[cards] = LieSets(tuple(found["sizes"]), shares).total_level
    best = min(one, key=lambda cards: round(one[cards], 9))
    little, least = friend[2], friend[-1]["shares"]
    knowing = [max(friend_level(least, found["sizes"], known, 3) for known in combinations(range(3), n)) for n in (1, 2)]
    return {
        **{key: found[key] for key in ("level_text", "independent_text", "floor_text")},
        "none_cards": count_text(round(LESSON_DOTS * float(independent.flat[0]))),
        "all_cards": count_text(round(LESSON_DOTS * many[2])),
        "least_all_cards": count_text(round(LESSON_DOTS * found["best"][-1])),
        "one_slider": odds_text(one[best]),
        "one_slider_cards": count_text(best),
        "one_known": odds_text(knowing[0]),
        "two_known": odds_text(knowing[1]),
        "little_friend": odds_text(little["leakage"][3]),
        "little_total": odds_text(little["total"]),
    }


def _berkeley() -> dict[str, str]:
    found = lesson_numbers()["berkeley"]
    counts = np.array(found["counts"])  # gender, department, admitted
    men, women = (counts[gender, :, 0].sum() / counts[gender].sum() for gender in (0, 1))
    return {
        "applicants": count_text(int(counts.sum())),
        "men": str(round(100 * float(men))),
        "women": str(round(100 * float(women))),
        "berkeley_odds": found["total_text"],
        "few": str(int(counts[1, 1].sum())),
    }


def _last() -> dict[str, str]:
    spared = np.flatnonzero(often(np.arange(101), 100, _TOLD) >= lesson_numbers()["audit"]["alpha"])
    people = 2_000
    return {
        "power_thousand": _of(power(0.8, _TOLD, 1_000)),
        "power_one_point": _of(power(0.76, _TOLD, 10_000)),
        "forty_true": f"{round(1e5 * _TOLD**40)} of 100,000 times",
        "honest_low": str(int(spared[0])),
        "honest_high": str(int(spared[-1])),
        "held_text": _of(held(0.05, _TOLD, 0.1, people)),
        "trust_margin": f"{100 * margin(_TOLD, people):.1f} points",
    }


def held(share: float, told: float, careless: float, people: int) -> float:
    """How likely the 95 % interval of the share among ``people`` holds it where the part ``careless`` of them clicks at random.

    Whoever clicks at random sends yes half of the time; the reports of yes are then a sum of two binomials, which is written out.
    """
    from scipy.stats import binom  # heavy

    yes = round(share * people)
    honest = (1 - careless) * told + careless / 2
    first, rest = np.arange(yes + 1), people - yes
    middle = yes * told + rest * (1 - told)
    half = people * margin(told, people) * (2 * told - 1)
    high, low = np.floor(middle + half - first), np.ceil(middle - half - first) - 1
    inside = binom.cdf(high, rest, 1 - honest) - binom.cdf(low, rest, 1 - honest)
    return float((binom.pmf(first, yes, honest) * inside).sum())
