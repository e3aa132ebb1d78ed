"""How many people can be guessed, against Bayes' rule in a loop over every record, every release and every answer."""

from collections import Counter
from math import exp

import numpy as np
import pytest

from rrcore.budget import BANDS, Certainty, certainty_assumed, certainty_in_table, observe, posterior
from rrcore.budget.certainty import CertaintySpread
from rrcore.budget.outputs import Outputs
from rrcore.errors import InputError
from rrcore.mechanisms import Blocks, Counted, Joint, Kronecker, Optimal, build
from tests import oracles

SIZES, LEVELS = (3, 2, 2), (1.0, 2.5, 2.0)
MECHANISMS = {
    "kronecker": Kronecker.from_levels(SIZES, LEVELS),
    "optimal": Optimal.from_levels(SIZES, LEVELS),
    "joint": Joint.from_levels(SIZES, LEVELS),
    "blocks": Blocks.rr_clusters(SIZES, LEVELS, [(0, 2), (1,)]),
}
every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=list(MECHANISMS))
MARKS = [*BANDS, 0.3, 0.4, 0.6, 0.9, 0.99, 1.0]


def people(seed=3, n=60):
    """A table whose attributes go together, so that the rest of a record tells something; not every combination is there."""
    rng = np.random.default_rng(seed)
    first = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    second = np.where(rng.random(n) < 0.8, first > 0, rng.integers(0, 2, n))
    return np.column_stack([first, second, rng.random(n) < 0.2 + 0.6 * second]).astype(np.int32)


CODES = people()


def rng():
    return np.random.default_rng(5)


def oracle(mechanism, codes, axis, knows):
    """(prior certainty, certainty, weight) of every person's record with every release of it, by Bayes' rule written out."""
    space, channel = oracles.cells(mechanism.sizes), oracles.dense_mechanism(mechanism)
    number = Counter(map(tuple, codes.tolist()))

    def fits(record, other, released, seen):
        """Whether the observer, who looks at ``record`` released as ``released``, thinks ``other`` released as ``seen`` possible."""
        if knows == "answer":
            return seen[axis] == released[axis]
        known = knows == "record" or all(u == v for i, (u, v) in enumerate(zip(record, other, strict=True)) if i != axis)
        return seen == released and known

    found = []
    for record, times in number.items():
        prior = np.zeros(mechanism.sizes[axis])
        for other, others in number.items():
            if knows != "others" or all(u == v for i, (u, v) in enumerate(zip(record, other, strict=True)) if i != axis):
                prior[other[axis]] += others
        for y, released in enumerate(space):
            posterior = np.zeros(mechanism.sizes[axis])
            for other, others in number.items():
                for z, seen in enumerate(space):
                    if fits(record, other, released, seen):
                        posterior[other[axis]] += others * channel[space.index(other), z]
            weight = times * channel[space.index(record), y]
            found.append((max(prior) / sum(prior), max(posterior) / sum(posterior), weight))
    return np.array(found)


@every_mechanism
@pytest.mark.parametrize("knows", ["answer", "record", "others"])
def test_numbers_of_people_are_those_of_bayes_rule(mechanism, knows):
    for axis in (0, 1):
        found = certainty_in_table(mechanism, CODES, axis, knows, rng=rng())
        before, after, weights = oracle(mechanism, CODES, axis, knows).T
        assert found.runs == 0
        assert (found.before.mean, found.after.mean) == pytest.approx(
            (before @ weights / weights.sum(), after @ weights / weights.sum()), abs=1e-12
        )
        for mark in MARKS:
            expected = weights[before >= mark - 1e-9].sum(), weights[after >= mark - 1e-9].sum()
            assert found.guessed(mark) == pytest.approx(expected, abs=1e-8), mark
            added = weights[(after >= mark - 1e-9) & (before < mark - 1e-9)].sum()
            assert found.added(mark) == pytest.approx(added, abs=1e-8), mark


@pytest.mark.slow
@every_mechanism
@pytest.mark.parametrize("knows", ["record", "others"])
def test_drawn_releases_agree_with_every_release(mechanism, knows, monkeypatch):
    """Five standard errors for six marks of two attributes: a false alarm in about 100,000 times."""
    exact = [certainty_in_table(mechanism, CODES, axis, knows, rng=rng()) for axis in (0, 1)]
    monkeypatch.setattr(posterior, "MOST_SUMMED", 0)
    monkeypatch.setattr(posterior, "_kinds", lambda mechanism, axis: None)
    for axis, all_releases in enumerate(exact):
        drawn = certainty_in_table(mechanism, CODES, axis, knows, rng=rng())
        assert drawn.runs > 0
        assert drawn.before.mean == pytest.approx(all_releases.before.mean)
        for mark in MARKS:
            assert abs(drawn.guessed(mark)[1] - all_releases.guessed(mark)[1]) <= 5 * drawn.error(mark)
            assert abs(drawn.added(mark) - all_releases.added(mark)) <= 5 * drawn.error(mark)


@every_mechanism
@pytest.mark.parametrize("axis", range(3))
def test_who_knows_the_others_moves_the_odds_by_the_leakage_and_no_further(mechanism, axis):
    """On both sides of the promise: no certainty is beyond prior odds times e^L, and some prior has a release that attains it."""
    limit = float(mechanism.leakage[axis])
    for prior in ([0.5, 0.5], [0.9, 0.1], [0.99, 0.01]):
        belief = np.r_[prior, np.zeros(mechanism.sizes[axis] - 2)]
        found = certainty_assumed(mechanism, axis, belief, 1000, "others", rng=rng())
        odds = prior[0] / prior[1] * exp(limit)
        assert found.after.largest == pytest.approx(odds / (1 + odds), abs=1e-9)
    found = certainty_in_table(mechanism, CODES, axis, "others", rng=rng())
    beliefs, _ = posterior.beliefs_knowing(CODES, axis, mechanism.sizes[axis])
    best = max(max(row[v] / (row.sum() - row[v]) for v in range(row.size) if row[v] < 1) for row in beliefs if row.max() < 1)
    assert found.after.unsure(1).largest <= best * exp(limit) / (1 + best * exp(limit)) + 1e-9


@every_mechanism
@pytest.mark.parametrize("axis", range(3))
def test_one_answer_moves_the_odds_by_its_level_and_the_record_by_the_total(mechanism, axis):
    share = np.bincount(CODES[:, axis], minlength=mechanism.sizes[axis]) / len(CODES)
    for knows, limit in (("answer", abs(mechanism.levels[axis])), ("record", mechanism.total_level)):
        sure = certainty_in_table(mechanism, CODES, axis, knows, rng=rng()).after.largest
        odds = share.max() / (1 - share.max()) * exp(limit)
        assert sure <= odds / (1 + odds) + 1e-12
    found = certainty_assumed(mechanism, axis, np.r_[0.5, 0.5, np.zeros(len(share) - 2)], 10, "answer", rng=rng())
    assert found.after.largest == pytest.approx(1 / (1 + exp(-abs(mechanism.levels[axis]))))


@every_mechanism
def test_the_average_is_that_of_the_observer(mechanism):
    for axis, size in enumerate(SIZES):
        prior = np.random.default_rng(axis).dirichlet(np.ones(size))
        seen = observe(mechanism, axis, prior)
        for knows, expected in (("answer", seen.alone), ("record", seen.alone), ("others", seen.full)):
            found = certainty_assumed(mechanism, axis, prior, 500, knows, rng=rng())
            assert found.before.mean == pytest.approx(seen.before)
            assert found.after.mean == pytest.approx(expected, abs=1e-12)


def test_with_independent_uniform_others_the_record_tells_no_more_than_the_answer():
    """A table with every combination of the other answers equally often: what ``certainty_assumed`` takes for granted."""
    codes = np.array([cell for cell in oracles.cells(SIZES) for _ in range(1 + 3 * (cell[0] == 1))], dtype=np.int32)
    for mechanism in MECHANISMS.values():
        whole, answer = (certainty_in_table(mechanism, codes, 0, knows, rng=rng()) for knows in ("record", "answer"))
        for mark in MARKS:
            assert whole.guessed(mark) == pytest.approx(answer.guessed(mark), abs=1e-8)


def test_beyond_twenty_attributes_releases_are_drawn():
    """Forty coupled attributes, all alike: the optimum by counts of lies. Knowing the others one sees how many of them are lies."""
    mechanism = build("optimal", (2,) * 40, [1.0] * 40)
    assert isinstance(mechanism, Counted)
    found = certainty_assumed(mechanism, 0, [0.5, 0.5], 2000, "others", rng=rng())
    assert found.runs > 0
    assert found.after.largest == pytest.approx(1 / (1 + exp(-mechanism.leakage[0])), abs=1e-6)
    answer = certainty_assumed(mechanism, 0, [0.5, 0.5], 2000, "answer", rng=rng())
    assert found.after.mean >= answer.after.mean - 5 * 0.5 / np.sqrt(found.runs)


@pytest.mark.parametrize("k", [3, 25])
def test_records_are_weighed_alike_by_lists_by_counts_and_by_tables(k):
    """RR-Joint: ln X is known by hand; a uniform record has 1 / M, and the record itself what is left as well."""
    joint = Joint.from_levels((3,) * k, [1.5] * k)
    lies = np.random.default_rng(0).random((50, k)) < np.r_[0, 0.5 * np.ones(49)][:, None]
    floor = np.log(joint.uniform) - k * np.log(3)
    expected = np.where(lies.any(axis=1), floor, np.logaddexp(np.log1p(-joint.uniform), floor))
    np.testing.assert_allclose(Outputs.of(joint).log_of(lies), expected, rtol=1e-12)
    apart = Kronecker.from_levels((3,) * k, [1.5] * k)
    np.testing.assert_allclose(
        Outputs.of(apart).log_of(lies), np.where(lies, np.log(apart.lies / 2), np.log1p(-apart.lies)).sum(axis=1), rtol=1e-12
    )
    counted = build("optimal", (3,) * k, [1.5] * k)
    np.testing.assert_allclose(np.ptp(Outputs.of(counted).log_of(np.tri(k + 1, k, -1) > 0)), counted.total_level, rtol=1e-9)


def test_what_cannot_be_weighed_is_refused_in_a_sentence():
    mechanism = build("optimal", tuple(range(2, 32)), np.linspace(0.5, 2, 30))
    with pytest.raises(InputError, match=r"^This mechanism couples 30 attributes of too many kinds"):
        Outputs.of(mechanism)


def test_bands_add_up_and_a_mark_counts_as_reached():
    found = Certainty(
        "record", 100, CertaintySpread.of([0.4], [1]), CertaintySpread.of([0.75, 0.7, 0.95 - 1e-12, 1.0], [0.1, 0.2, 0.3, 0.4])
    )
    before, after = found.bands()
    assert before == (1, 0, 0, 0)
    assert after == pytest.approx((0, 0.2, 0.1, 0.7))
    assert found.guessed(0.75) == pytest.approx((0, 80))
    assert found.error(0.75) == 0


@pytest.mark.parametrize(
    ("after", "runs", "text"),
    [
        (
            [0.2, 0.8],
            0,
            "Of 2,000 people, 1,600 could have their answer to “a” guessed with 95 % certainty from their released record; before seeing "
            "anything: 0.",
        ),
        ([0.9999, 0.0001], 0, "Of 2,000 people, fewer than 1 could have"),
        ([0.2, 0.8], 400, "Of 2,000 people, about 1,600 (± 80) could have"),
        ([1.0, 0.0], 400, "Of 2,000 people, about 0 (± 10) could have"),
    ],
)
def test_one_sentence(after, runs, text):
    found = Certainty("record", 2000, CertaintySpread.of([0.4], [1]), CertaintySpread.of([0.5, 0.96], after), runs)
    assert found.sentence("a").startswith(text)
