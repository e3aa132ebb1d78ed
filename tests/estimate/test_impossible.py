"""Combinations that cannot occur are 0 in every reader, without bias elsewhere and with intervals that cover (theory.md section 27)."""

import itertools
from functools import cache

import numpy as np
import pytest
from scipy.stats import norm

import rrcore as rr
from rrcore.channel import ConfinedChannel
from rrcore.errors import InputError
from rrcore.estimate import Sample, cell_variance, half_l1, invert_counts
from rrcore.estimate.independent import possible_product
from rrcore.promise import MechanismFile
from rrcore.promise.weights import MatrixWeights
from rrcore.table import Attribute, Dataset, Impossible, Schema

AGE = Attribute("age", ("child", "young", "adult", "old"), "ordinal")
STATE = Attribute("state", ("single", "married", "widowed"))
WORK = Attribute("work", ("school", "job", "none", "pension"))
HOME = Attribute("home", ("north", "south"))
RULES = (
    Impossible(("age", "state"), (("child", "married"), ("child", "widowed"), ("young", "widowed"))),
    Impossible(("age", "work"), (("child", "job"), ("child", "pension"), ("young", "pension"), ("old", "school"))),
    Impossible(("age", "state", "work"), (("young", "married", "school"),)),
)
PLAIN = Schema((AGE, STATE, WORK, HOME))
RULED = Schema(PLAIN.attributes, RULES)
SETS = [("age", "state"), ("work", "age"), ("age", "state", "work"), ("state", "home", "age")]
MECHANISMS = ["kronecker", "pair-safe", "3-safe", "joint"]


@cache
def people():
    """3,000 people of whom none has what cannot occur; other answers depend on age."""
    rng = np.random.default_rng(7)
    weights = np.ones(PLAIN.sizes)
    weights *= (
        rng.dirichlet(np.full(4, 4.0))[:, None, None, None]
        * rng.gamma(1.0, size=(4, 3, 1, 1))
        * rng.gamma(1.0, size=(4, 1, 4, 1))
    )
    weights[RULED.impossible_cells()] = 0
    cells = rng.choice(weights.size, 3_000, p=weights.ravel() / weights.sum())
    return Dataset(RULED, np.stack(np.unravel_index(cells, PLAIN.sizes), axis=1))


@cache
def built(mechanism, eps):
    """The same one for all releases."""
    return rr.Plan.for_levels(people(), eps).with_mechanism(mechanism).build()


def released(mechanism="pair-safe", eps=1.5, seed=0, ruled=True):
    own = people() if ruled else Dataset(PLAIN, people().codes)
    return rr.perturb(own, built(mechanism, eps), rng=np.random.default_rng(seed))


once = cache(released)
"""The same release for all who ask, and its model, which takes longest."""
model_of = cache(rr.Release.model)


def readings(release, names):
    found = release.estimate(names)
    return {
        "unbiased": found.shares,
        "projected": found.projected,
        "nearest probabilities": found.simplex().shares,
        "shrinkage": release.estimate(names, reader="shrinkage").shares,
        "blend": found.blend().shares,
        "EM": found.likeliest().shares,
        "model": model_of(release).marginal(names),
    }


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("names", SETS, ids="-".join)
def test_every_reader_has_zeros_there_and_all_people_elsewhere(mechanism, names):
    release, impossible = once(mechanism, 0.7), RULED.impossible_cells(names)
    for reader, shares in readings(release, names).items():
        assert (shares[impossible] == 0).all(), reader
        assert abs(shares.sum() - 1) < 1e-9, reader
        assert reader == "unbiased" or (shares >= 0).all(), reader
    found = release.estimate(names)
    for one in (found, found.closest(), found.blend()):
        for options in ({}, {"population": True}, {"simultaneous": True}):
            low, high = one.interval(**options)
            assert (low[impossible] == 0).all()
            assert (high[impossible] == 0).all()
            assert (low < high)[~impossible].all()
    assert (found.standard_error()[impossible] == 0).all()
    assert (found.standard_error()[~impossible] > 0).all()


def oracle(channel, impossible, centre, table):
    """Generalised least squares over the cells that can be, written out: reports vary as a multinomial draw of ``centre`` does."""
    cells = impossible.size
    pushed = np.stack([channel.push(unit.reshape(channel.sizes)).ravel() for unit in np.eye(cells)], axis=1)
    expected = pushed @ centre.ravel()
    design = pushed[:, ~impossible.ravel()] / np.sqrt(expected)[:, None]
    found, *_ = np.linalg.lstsq(design, table.ravel() / np.sqrt(expected), rcond=None)
    shares = np.zeros(cells)
    shares[~impossible.ravel()] = found
    return shares.reshape(channel.sizes)


@pytest.mark.parametrize("eps", [0.3, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("names", SETS, ids="-".join)
def test_conditioning_is_generalised_least_squares_over_what_can_be(eps, names):
    release, impossible = released("pair-safe", eps), RULED.impossible_cells(names)
    channel, table = release.channel(names), release.released(names)
    tables = [table.sum(axis=tuple(j for j in range(table.ndim) if j != i)) for i in range(table.ndim)]
    singles = [rr.estimate.simplex(channel.marginal([i]).invert(each)) for i, each in enumerate(tables)]
    wanted = oracle(channel, impossible, possible_product(singles, impossible), table)
    assert np.abs(release.estimate(names).shares - wanted).max() < 1e-7


def test_quasi_independence_has_the_margins_and_odds_ratios_of_one():
    singles = [np.array([0.2, 0.3, 0.5]), np.array([0.1, 0.4, 0.3, 0.2])]
    impossible = np.zeros((3, 4), dtype=bool)
    impossible[0, 3] = impossible[1, 0] = True
    found = possible_product(singles, impossible)
    assert (found[impossible] == 0).all()
    assert np.abs(found.sum(axis=1) - singles[0]).max() < 1e-9
    assert np.abs(found.sum(axis=0) - singles[1]).max() < 1e-9
    assert found[0, 1] * found[2, 2] == pytest.approx(found[0, 2] * found[2, 1])
    assert found[1, 1] * found[2, 3] == pytest.approx(found[1, 3] * found[2, 1])


def test_people_whom_no_possible_cell_has_room_for_are_spread_over_the_others():
    impossible = np.array([[False, True], [False, False]])
    lost = possible_product([np.array([1.0, 0.0]), np.array([0.0, 1.0])], impossible)  # everybody in the impossible cell
    assert lost.tolist() == [[1 / 3, 0.0], [1 / 3, 1 / 3]]
    few = possible_product([np.array([1.0, 0.0]), np.array([0.3, 0.7])], impossible)
    assert few.sum() == pytest.approx(1)
    assert few[0, 1] == 0


@pytest.mark.parametrize("seed", range(12))
def test_shares_sum_to_1_whatever_few_people_report(seed):
    """Of 30 people at a level of .3 single shares seldom fit together."""
    names, impossible = ("age", "state", "work"), RULED.impossible_cells(("age", "state", "work"))
    some = Dataset(RULED, people().codes[30 * seed : 30 * seed + 30])
    release = rr.perturb(some, rr.build("3-safe", PLAIN.sizes, [0.3] * 4), rng=np.random.default_rng(seed))
    for reader, shares in readings(release, names).items():
        assert shares.sum() == pytest.approx(1, abs=1e-9), reader
        assert (shares[impossible] == 0).all(), reader


def test_weights_from_elsewhere_give_no_bias_and_the_variance_that_is_told_by_enumeration():
    """All releases of three people with their probabilities: mean and variance of the estimate, exactly."""
    whole = rr.build("kronecker", (2, 2), [1.0, 0.5]).marginal_channel((0, 1))
    channel = ConfinedChannel(whole, np.array([[False, True], [False, False]]))
    truth = np.array([[1, 0], [1, 1]]) / 3
    chances = whole.push(np.eye(4).reshape(2, 2, 4)).reshape(4, 4)  # report, true cell
    cells = [0, 2, 3]
    mean, square = np.zeros((2, 2)), np.zeros((2, 2))
    for reports in itertools.product(range(4), repeat=3):
        chance = np.prod([chances[u, v] for u, v in zip(reports, cells, strict=True)])
        found = channel.invert(np.bincount(reports, minlength=4).reshape(2, 2) / 3)
        mean, square = mean + chance * found, square + chance * found**2
    assert np.abs(mean - truth).max() < 1e-12
    assert np.abs(square - mean**2 - cell_variance(channel.push(truth), truth, channel, 3, population=False)).max() < 1e-12


@pytest.mark.parametrize("eps", [0.5, 1.0, 2.0, 5.0])
def test_no_share_varies_more_than_without_the_rule(eps):
    names = ("age", "state", "work")
    truth, impossible = people().shares(names), RULED.impossible_cells(names)
    whole = rr.build("kronecker", truth.shape, [eps] * 3).marginal_channel((0, 1, 2))
    channel = ConfinedChannel(whole, impossible, truth)
    lam = whole.push(truth)
    for population in (False, True):
        before, after = (cell_variance(lam, truth, each, 1_000, population=population) for each in (whole, channel))
        assert (after <= before * (1 + 1e-9)).all()
        assert after.sum() < 0.99 * before.sum()


RELEASES = 200


@cache
def repeated(eps, ruled):
    """Estimates of 200 releases of the same 3,000 people."""
    return [released("kronecker", eps, seed, ruled).estimate(("age", "state")) for seed in range(RELEASES)]


@pytest.mark.parametrize("eps", [0.5, 2.5])
def test_the_estimate_is_not_biased_as_far_as_many_releases_tell(eps):
    """False alarm: once in 10,000 runs over all 9 cells."""
    shares = np.array([each.shares for each in repeated(eps, True)])
    possible = ~RULED.impossible_cells(("age", "state"))
    off = (shares.mean(axis=0) - people().shares(("age", "state")))[possible]
    error = shares.std(axis=0, ddof=1)[possible] / np.sqrt(RELEASES)
    assert (np.abs(off) < norm.isf(1e-4 / 2 / possible.sum()) * error).all()


@pytest.mark.parametrize("eps", [0.5, 2.5])
@pytest.mark.parametrize("population", [False, True])
def test_intervals_cover_as_often_as_they_say(eps, population):
    """Between 93 % and 97 % of the cells that can be; of these people, and of those they might have been drawn from."""
    possible = ~RULED.impossible_cells(("age", "state"))
    truth, held = people().shares(("age", "state")), []
    for seed, found in enumerate(repeated(eps, True)):
        if population:
            drawn = people().resample(3_000, rng=np.random.default_rng(1_000 + seed))
            found = rr.perturb(drawn, built("kronecker", eps), rng=np.random.default_rng(seed)).estimate(("age", "state"))
        low, high = found.interval(population=population)
        held.append(((low <= truth) & (truth <= high))[possible].mean())
    assert 0.93 < np.mean(held) < 0.97


@pytest.mark.parametrize("eps", [0.5, 2.5])
def test_standard_errors_are_those_of_many_releases(eps):
    shares = np.array([each.shares for each in repeated(eps, True)])
    told = np.array([each.standard_error() for each in repeated(eps, True)]).mean(axis=0)
    possible = ~RULED.impossible_cells(("age", "state"))
    ratio = told[possible] / shares.std(axis=0, ddof=1)[possible]
    assert (np.abs(ratio - 1) < 5 / np.sqrt(2 * RELEASES)).all()  # five standard errors of a standard deviation


@pytest.mark.parametrize("names", [SETS[0], SETS[2]], ids="-".join)
def test_all_readers_come_closer(names):
    """By more than three standard errors over 16 releases; the unbiased estimate also in the cells that can be alone."""
    impossible, truth = RULED.impossible_cells(names), people().shares(names)
    gained: dict[str, list[float]] = {}
    for seed in range(16):
        with_rule, without = (readings(once("3-safe", 0.6, seed, ruled), names) for ruled in (True, False))
        for reader, shares in with_rule.items():
            gained.setdefault(reader, []).append(half_l1(without[reader], truth) - half_l1(shares, truth))
        own, other = (half_l1(each["unbiased"][~impossible], truth[~impossible]) for each in (with_rule, without))
        gained.setdefault("elsewhere", []).append(other - own)
    for reader, each in gained.items():
        assert np.mean(each) > 3 * np.std(each, ddof=1) / np.sqrt(len(each)), reader


def test_marginals_that_no_rule_is_about_are_read_as_before():
    with_rules, without = released(), released(ruled=False)
    for names in (("age",), ("state", "work"), ("home", "age")):
        one, other = with_rules.estimate(names), without.estimate(names)
        assert (one.shares == other.shares).all()
        assert all((x == y).all() for x, y in zip(one.interval(), other.interval(), strict=True))


def test_shrinkage_is_consistent_with_what_it_reads_of_one_attribute():
    release = released("kronecker", 2.0)
    for names in (("age", "state"), ("age", "work")):
        shares = release.estimate(names, reader="shrinkage").shares
        for axis, name in enumerate(names):
            single = release.estimate((name,), reader="shrinkage").shares
            assert half_l1(shares.sum(axis=1 - axis), single) < 1e-4


def test_weighted_samples_are_conditioned_too():
    rng, release = np.random.default_rng(1), released()
    sample = Sample(rng.uniform(0.5, 2, release.n), strata=rng.integers(0, 3, release.n))
    found = rr.Release(release.dataset, release.mechanism, sample=sample).estimate(("age", "state"))
    impossible = RULED.impossible_cells(("age", "state"))
    assert (found.shares[impossible] == 0).all()
    low, high = found.interval(population=True)
    assert ((low < found.shares) & (found.shares < high))[~impossible].all()


def test_answers_that_are_never_changed_are_read_as_they_are():
    small = Schema((AGE, STATE), RULES[:1])
    kept = [MatrixWeights(tuple(tuple(int(x == y) for y in range(a)) for x in range(a))) for a in (4, 3)]
    file = MechanismFile(small, (((0,), kept[0]), ((1,), kept[1])))
    counts = people().counts(("age", "state"))
    found = invert_counts(counts, file.marginal_channel((0, 1)), schema=small)
    assert np.abs(found.shares - people().shares(("age", "state"))).max() < 1e-9


def test_too_many_combinations_are_refused():
    names = [f"q{i}" for i in range(4)]
    attributes = tuple(Attribute(name, tuple(map(str, range(7)))) for name in names)
    schema = Schema(attributes, (Impossible(("q0", "q1"), (("0", "0"),)),))
    channel = rr.build("kronecker", schema.sizes, [2.0] * 4).marginal_channel((0, 1, 2, 3))
    with pytest.raises(
        InputError, match="for at most 2,000 combinations at a time, and there are 2,401: choose fewer attributes"
    ):
        invert_counts(np.ones(schema.sizes, dtype=np.int64), channel, schema=schema)


def test_a_table_in_which_somebody_has_what_cannot_occur_is_not_randomised():
    codes = people().codes.copy()
    codes[5] = 0, 1, 0, 0
    with pytest.raises(
        InputError, match="1 person has a combination that was declared impossible: age 'child' with state 'married'"
    ):
        rr.perturb(Dataset(RULED, codes), rr.build("kronecker", PLAIN.sizes, [1.0] * 4), rng=np.random.default_rng(0))


def test_no_synthetic_record_has_what_cannot_occur():
    model = released("pair-safe", 0.5).model()
    drawn = model.sample(20_000, rng=np.random.default_rng(0))
    assert not RULED.impossible_rows(drawn.codes).any()
    assert RULED.impossible_rows(
        released("pair-safe", 0.5, ruled=False).model().sample(20_000, rng=np.random.default_rng(0)).codes
    ).any()
