"""The table of mechanisms, safeguards, and what must hold for every instance a person can type."""

import re
import warnings
from itertools import combinations
from math import inf

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.limits import MAX_COLUMNS, MAX_LEVEL, MAX_PLANNED_CATEGORIES
from rrcore.mechanisms import MECHANISMS, Kronecker, Optimal, Questions, Safeguards, build
from rrcore.mechanisms.closed_form import ClosedForm
from rrcore.mechanisms.safeguards import safeguarded
from rrcore.mechanisms.solve.programme import Floor
from tests import oracles

MEETING = ("kronecker", "pair-safe", "optimal", "closed-form")
"""Mechanisms that meet every level and cost no more than Kronecker."""


def sentence(text):
    """Whether this reads as a message for a person: a capital letter, at most two sentences of one line, a full stop."""
    return bool(re.fullmatch(r"[A-Z'][^\n]{20,400}\.", text)) and len(re.findall(r"\. [A-Z]", text)) <= 1


# the promise of every builder


def instances(rng):
    """420 instances: most of few attributes, sizes and levels of all magnitudes."""
    for number in range(420):
        k = int(rng.integers(1, 5)) if number % 10 else int(rng.integers(5, 9))
        top = (1.5, 4.0, 10.0)[number % 3]
        sizes = tuple(int(a) for a in np.exp(rng.uniform(np.log(2), np.log((8, 200)[number % 7 == 0]), k)).round().clip(2))
        yield sizes, top * rng.uniform(0.02, 1, k)


def answer(name, sizes, levels):
    """The mechanism, or None where the closed form is refused, in one sentence; no other mechanism may be."""
    try:
        return build(name, sizes, levels)
    except InputError as error:
        refusal = str(error)
    assert name == "closed-form", (name, sizes, levels, refusal)
    assert sentence(refusal), refusal
    return None


def violations(name, sizes, levels):
    """What a mechanism promises and breaks; None where it is refused."""
    mechanism = answer(name, sizes, levels)
    if mechanism is None:
        return None
    pairs = mechanism.min_pair_ratio()
    found = {
        "a level is exceeded": (mechanism.levels > levels + 1e-9).any(),
        "a level is missed": name != "joint" and (np.abs(mechanism.levels - levels) > 1e-6).any(),
        "it costs more than Kronecker": name != "joint" and mechanism.total_level > np.sum(levels) + 1e-9,
        "a pair is worse than under Kronecker": name == "pair-safe" and pairs is not None and pairs < 1 - 1e-9,
        "an attribute leaks more than the record": (mechanism.leakage > mechanism.total_level + 1e-9).any(),
        "an attribute leaks less than its level": (mechanism.leakage < mechanism.levels - 1e-9).any(),
        "the bound is above the total": (mechanism.lower_bound or 0) > mechanism.total_level + 1e-9 + 2e-12 * sum(sizes),
    }
    return [promise for promise, broken in found.items() if broken]


@pytest.mark.slow
@pytest.mark.long
def test_random_instances_keep_every_promise():
    """All but the published heuristic; RR-Joint is exempt from meeting levels and from Kronecker's total (theory.md section 1)."""
    rng = np.random.default_rng(220)
    built = dict.fromkeys((*MEETING, "joint"), 0)
    for number, (sizes, levels) in enumerate(instances(rng)):
        for name in (*MEETING, "joint") if number % 6 == 0 else (MEETING[number % 4],):
            broken = violations(name, sizes, levels)
            assert not broken, (name, sizes, levels.tolist(), broken)
            built[name] += broken is not None
    assert min(built.values()) >= 60, built


@pytest.mark.slow
@pytest.mark.parametrize(("k", "top"), [(13, 4.0), (16, 2.0)])
@pytest.mark.long
def test_instances_of_13_to_20_attributes_keep_every_promise(k, top):
    rng = np.random.default_rng(230 + k)
    sizes, levels = tuple(int(a) for a in rng.integers(2, 7, k)), top * rng.uniform(0.1, 1, k)
    for name in (*MEETING, "joint"):
        assert not violations(name, sizes, levels), (name, sizes, levels.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("k", [21, 60])
@pytest.mark.long
def test_instances_of_21_to_60_attributes_keep_every_promise(k):
    rng = np.random.default_rng(240 + k)
    sizes, levels = tuple(int(a) for a in rng.integers(2, 7, k)), rng.uniform(0.3, 3, k)
    for name in (*MEETING, "joint"):
        assert not violations(name, sizes, levels), (name, sizes, levels.tolist())


# extremes: an answer or one sentence, and never a warning

EXTREME_SIZES = {
    "binary": lambda k: (2,) * k,
    "huge": lambda k: (MAX_PLANNED_CATEGORIES,) * k,
    "both": lambda k: ((2, MAX_PLANNED_CATEGORIES, 7) * k)[:k],
}
EXTREME_LEVELS = {
    "lowest": lambda k: [0.01] * k,
    "highest": lambda k: [MAX_LEVEL] * k,
    "both": lambda k: ([0.01, MAX_LEVEL, 1.0] * k)[:k],
    "rising": lambda k: np.geomspace(0.01, MAX_LEVEL, k),
}


EXTREMES = [(k, sizes, levels) for k in (1, 2, 3, 6) for sizes in EXTREME_SIZES for levels in EXTREME_LEVELS] + [
    (40, "binary", "lowest"),
    (40, "huge", "highest"),
    (40, "both", "both"),
    (40, "binary", "rising"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("k", "sizes", "levels"), EXTREMES)
@pytest.mark.long
def test_extremes_get_an_answer_or_one_sentence_without_a_warning(k, sizes, levels):
    a, eps = EXTREME_SIZES[sizes](k), np.array(EXTREME_LEVELS[levels](k))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in MECHANISMS:
            mechanism = answer(name, a, eps)
            if mechanism is None:
                continue
            values = np.r_[mechanism.total_level, mechanism.leakage, mechanism.levels, mechanism.pair_factors().ravel()]
            assert np.isfinite(values).all(), name
            assert mechanism.total_level > 0
            if name != "published":
                assert (mechanism.levels <= eps + 1e-9).all(), name
            if name in MEETING:
                np.testing.assert_allclose(mechanism.levels, eps, rtol=0, atol=1e-6)
                assert mechanism.total_level <= eps.sum() + 1e-9
            channel = mechanism.marginal_channel(range(min(k, 3)))
            assert channel.probabilities.min() >= 0
            assert channel.probabilities.sum() == pytest.approx(1, abs=1e-9)
            codes = np.zeros((50, k), dtype=np.int32)
            released = mechanism.perturb(codes, rng=np.random.default_rng(0))
            assert (released >= 0).all()
            assert (released < np.array(a)).all()


@pytest.mark.parametrize(
    ("sizes", "levels"),
    [((3, 3), (16.69606274252247,) * 2), ((3, 3, 3, 2, 5), (1.1788759428819078,) * 5)],
)
def test_equal_levels_leave_no_negative_probability_in_any_mechanism(sizes, levels):
    """Where single lies on purpose have probability 0, rounding may put it at -1e-17: totals and leakages stay finite."""
    for name in MECHANISMS:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mechanism = build(name, sizes, levels) if name != "closed-form" else ClosedForm.from_levels(sizes, levels)
            assert np.isfinite(mechanism.leakage).all(), name
            assert np.isfinite(mechanism.total_level), name


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1))
def test_random_extremes(seed):
    """Levels log-uniform in .01..30, sizes log-uniform in 2..10,000, up to 6 attributes: nothing but answers and sentences."""
    rng = np.random.default_rng(250 + seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(15):
            k = int(rng.integers(1, 7))
            sizes = tuple(
                int(a)
                for a in np.exp(rng.uniform(np.log(2), np.log(MAX_PLANNED_CATEGORIES), k)).round().clip(2, MAX_PLANNED_CATEGORIES)
            )
            levels = np.exp(rng.uniform(np.log(0.01), np.log(MAX_LEVEL), k))
            for name in (*MEETING, "joint"):
                assert not violations(name, sizes, levels), (name, sizes, levels.tolist())


# build and its sentences


def test_the_closed_form_is_refused_where_it_costs_more_than_kronecker():
    """theory.md section 3: 21 attributes of 4 categories at eps = 1 give 24.2 against 21."""
    sizes, levels = (4,) * 21, [1.0] * 21
    assert ClosedForm.from_levels(sizes, levels).total_level == pytest.approx(24.2, abs=0.05)
    with pytest.raises(
        InputError,
        match=r"^The closed form would cost 24\.\d\d nats here, more than Kronecker's 21\.00: choose the optimum or Kronecker\.$",
    ):
        build("closed-form", sizes, levels)
    assert build("closed-form", (3, 3, 3), (3.0,) * 3).is_optimal
    short = build("closed-form", (6, 5, 3, 3, 3), (2.2309, 1.5484, 1.7508, 1.7523, 1.4718))  # section 3: 5.3269 against 5.1414
    assert not short.is_optimal
    assert 5.3 < short.total_level < 5.35


def test_too_many_attributes():
    assert build("kronecker", (2,) * MAX_COLUMNS, [1.0] * MAX_COLUMNS).k == MAX_COLUMNS
    with pytest.raises(InputError, match=r"^There are 1,001 attributes: use at most 1,000\.$"):
        build("kronecker", (2,) * (MAX_COLUMNS + 1), [1.0] * (MAX_COLUMNS + 1))


@pytest.mark.parametrize("name", MECHANISMS)
def test_levels_are_checked_for_every_mechanism(name):
    build(name, (2, 2), (MAX_LEVEL, MAX_LEVEL))
    with pytest.raises(InputError, match=r"^Level of 'attribute 2' is 30: "):
        build(name, (2, 2), (1.0, np.nextafter(MAX_LEVEL, 99)))
    with pytest.raises(InputError, match=r"^Level of 'attribute 1' is nan"):
        build(name, (2, 2), (float("nan"), 1.0))


# safeguards


def test_safeguards_become_floors_and_caps():
    everything = Safeguards(0.9, ((0, 1), (0, 1, 2)), (0.5, inf, 0.0))
    assert everything.floors(3) == [Floor((0, 1), 0.9), Floor((0, 1, 2), 0.9)]
    np.testing.assert_array_equal(everything.caps(np.array([1.0, 2.0, 3.0])), [1.5, inf, 3.0])
    assert Safeguards(2.0).floors(3) == [Floor(pair, 2.0) for pair in combinations(range(3), 2)]
    assert Safeguards().floors(3) == Safeguards(None, ((0, 1),)).floors(3) == []
    assert Safeguards().caps(np.ones(3)) is None


@pytest.mark.parametrize(
    ("safeguards", "floors", "slack"),
    [
        (Safeguards(), [], None),
        (Safeguards(1.0), [((0, 1), 1.0), ((0, 2), 1.0), ((1, 2), 1.0)], None),
        (Safeguards(1.05, ((0, 1, 2),)), [((0, 1, 2), 1.05)], None),
        (Safeguards(slacks=(0.1, inf, 0.3)), [], (0.1, inf, 0.3)),
        (Safeguards(0.9, ((1, 2),), (0.1, inf, 0.3)), [((1, 2), 0.9)], (0.1, inf, 0.3)),
        (Safeguards(slacks=(inf,) * 3), [], None),
    ],
)
def test_safeguarded_is_the_slow_programme(safeguards, floors, slack):
    sizes, levels = (3, 2, 4), np.array([0.6, 1.1, 0.8])
    mechanism = safeguarded(sizes, levels, safeguards)
    caps = None if slack is None else levels + np.array(slack)
    assert mechanism.total_level == pytest.approx(oracles.guarded_optimum(sizes, levels, floors, caps), abs=1e-6)
    assert mechanism.is_optimal


def test_safeguarded_beyond_twelve_attributes():
    """Floors are kept, those of all pairs and others; caps are refused with one sentence."""
    sizes, levels = (3,) * 14, np.full(14, 0.6)
    free = safeguarded(sizes, levels, Safeguards())
    one = safeguarded(sizes, levels, Safeguards(1.0, ((0, 1),)))
    every = safeguarded(sizes, levels, Safeguards(1.0))
    r = every.retentions
    assert one.factor((0, 1)) >= r[0] * r[1] * (1 - 1e-9)
    assert every.min_pair_ratio() >= 1 - 1e-9
    assert free.total_level - 1e-9 <= one.total_level <= every.total_level + 1e-6 <= levels.sum()
    assert one.gap <= 1e-6
    assert every.gap <= 1e-6
    for safeguards in (Safeguards(slacks=(1.0,) * 14), Safeguards(1.0, (), (1.0,) * 14)):
        with pytest.raises(InputError, match=r"^Leakage caps are kept for at most 12 attributes and there are 14"):
            safeguarded(sizes, levels, safeguards)


@pytest.mark.parametrize("k", [3, 14, 24])
def test_infinite_slacks_are_no_caps(k):
    sizes, levels = (3, 2) * (k // 2) + (3,) * (k % 2), np.full(k, 0.6)
    free = safeguarded(sizes, levels, Safeguards())
    assert safeguarded(sizes, levels, Safeguards(slacks=(inf,) * k)).total_level == pytest.approx(free.total_level, abs=1e-9)


def test_infinite_slacks_are_no_caps_at_the_highest_levels():
    sizes, levels = (3, 3, 3), np.full(3, MAX_LEVEL)
    free = safeguarded(sizes, levels, Safeguards())
    assert safeguarded(sizes, levels, Safeguards(slacks=(inf,) * 3)).total_level == pytest.approx(free.total_level, abs=1e-9)


def test_pair_safe_and_floor_1_are_the_same_mechanism():
    sizes, levels = (5, 4, 3), np.array([0.5, 1.0, 1.5])
    first, second = build("pair-safe", sizes, levels), safeguarded(sizes, levels, Safeguards(1.0))
    assert isinstance(first, Optimal)
    np.testing.assert_allclose(
        first.marginal_channel(range(3)).probabilities, second.marginal_channel(range(3)).probabilities, rtol=0, atol=1e-12
    )
    assert Kronecker.from_levels(sizes, levels).total_level > first.total_level


@pytest.mark.parametrize("size", [2.5, "3", True, float("nan"), inf, None])
def test_what_is_no_number_of_categories_is_refused(size):
    with pytest.raises(InputError, match=r"^An attribute has .* categories: give at least one attribute, each with at least 2"):
        build("kronecker", (2, size), [1.0, 1.0])


@pytest.mark.parametrize(
    ("kept", "says"),
    [
        (Safeguards(floor=-1.0), "The accuracy floor is -1: "),
        (Safeguards(floor=float("nan")), "The accuracy floor is nan: "),
        (Safeguards(slacks=(float("nan"), 1.0, 1.0)), "The leakage slack of 'attribute 1' is nan: "),
        (Safeguards(slacks=(-1.0, 1.0, 1.0)), "The leakage slack of 'attribute 1' is -1: "),
        (Safeguards(slacks=(1.0,)), "There are 1 leakage slacks for 3 attributes: "),
        (Safeguards(floor=0.5, marginals=((0, 9),)), "An accuracy floor is of the attributes at 0, 9: "),
        (Safeguards(floor=0.5, marginals=((1, 1),)), "An accuracy floor is of the attributes at 1, 1: "),
    ],
)
def test_safeguards_that_mean_nothing_are_refused_where_no_plan_looked_at_them(kept, says):
    with pytest.raises(InputError, match=f"^{re.escape(says)}"):
        build("safeguarded", (2, 3, 4), [1.0, 1.0, 1.0], safeguards=kept)


@pytest.mark.parametrize("marginals", [(), ((),), ((0, 9),), ((0, 0),), ((-1, 0),)])
def test_joint_distributions_of_no_attributes_are_refused(marginals):
    with pytest.raises(
        InputError, match=r"^A (plan designed for joint distributions has none|joint distribution is of the attributes)"
    ):
        build("design", (2, 3, 4), [1.0, 1.0, 1.0], questions=Questions(2.0, marginals))


def test_an_unknown_closeness_is_refused():
    with pytest.raises(InputError, match=r"^The closeness is 'near': choose first or full\.$"):
        build("pair-safe", (2, 3), [1.0, 1.0], closeness="near")
