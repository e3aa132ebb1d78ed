"""What inversion, independence and their blend are expected to be off by: against simulation, from the truth and from a release."""

from itertools import product

import numpy as np
import pytest

from rrcore.budget import build
from rrcore.channel import MatrixChannel, SubsetChannel, product_channel
from rrcore.estimate import estimated_blend, exact_blend, independent_shares, invert_counts
from rrcore.estimate.estimators import blended
from rrcore.mechanisms import Kronecker
from tests.estimate.coverage import draw, random_table

TRUTH = np.array([0.3, 0.1, 0.05, 0.15, 0.02, 0.08, 0.1, 0.05, 0.05, 0.03, 0.04, 0.03]).reshape(3, 2, 2)


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "level"), [("independent", 0.5), ("preserving-2", 2.0)])
def test_expected_errors_are_those_of_many_releases(mechanism, level):
    """Sums of squared errors over 600 releases; each is known to 10% at worst, products are right to first order only."""
    channel, n, rng = build(mechanism, (3, 2, 2), (level,) * 3).channel(range(3)), 20_000, np.random.default_rng(6)
    trade = exact_blend(TRUTH, channel, n, population=True)
    found = {"inversion": [], "independence": [], "blend": []}
    for counts in np.moveaxis(draw(channel, TRUTH, n, 600, population=True, rng=rng), -1, 0):
        released = counts / n
        shares = channel.invert(released)
        singles = [channel.marginal([i]).invert(released.sum(axis=tuple(j for j in range(3) if j != i))) for i in range(3)]
        product = independent_shares(singles, [(0,), (1,), (2,)])
        found["inversion"].append(((shares - TRUTH) ** 2).sum())
        found["independence"].append(((product - TRUTH) ** 2).sum())
        found["blend"].append(((blended(released, shares, channel, trade) - TRUTH) ** 2).sum())
    for stated, name in zip(trade.typical(12), found, strict=True):
        assert stated == pytest.approx(np.sqrt(np.mean(found[name]) / 12), rel=0.12)
    assert np.mean(found["blend"]) <= 1.02 * min(np.mean(found["inversion"]), np.mean(found["independence"]))


def test_half_a_nat_favours_independence_and_two_nats_inversion():
    for level, pays in ((0.5, False), (4.0, True)):
        channel = build("preserving-2", (3, 2, 2), (level,) * 3).channel(range(3))
        assert exact_blend(TRUTH, channel, 2000).pays is pays


def test_of_one_attribute_the_blend_is_the_projected_estimate():
    estimate = invert_counts(np.array([5, 60, 35]), build("independent", (3,), (1.0,)).channel((0,)))
    np.testing.assert_allclose(estimate.blend().shares, estimate.projected, atol=1e-12)


def test_designs_of_the_field_are_weighed_as_well():
    """A matrix next to sets of changes: the marginals' own channels are found, and what they know of the truth is what both do."""
    forced = MatrixChannel(np.array([[5 / 6, 1 / 6], [1 / 3, 2 / 3]]))
    channel = product_channel([forced, SubsetChannel.product((3,), np.array([0.3]))], [[1], [0]])
    truth = np.array([[0.3, 0.1], [0.1, 0.2], [0.05, 0.25]])
    trade, wanted = estimated_blend(channel.push(truth), channel, 10**9), exact_blend(truth, channel, 10**9)
    assert trade.blindness == pytest.approx(wanted.blindness, rel=1e-6)
    assert trade.noise == pytest.approx(wanted.noise, rel=1e-6)


def test_blindness_is_without_the_noise_of_the_interaction():
    """What is subtracted for the noise of a pair is that of its top interaction, which is found in another way."""
    channel = Kronecker.from_epsilon((2, 5), (1.5, 1.0)).channel([0, 1])
    truth = np.diag([0.3, 0.7]) @ np.array([[0.6, 0.1, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1, 0.6]])
    released, apart = channel.push(truth), np.multiply.outer(truth.sum(axis=1), truth.sum(axis=0))
    expected = ((truth - apart) ** 2).sum() - channel.top_noise(released)[0] / 5_000
    assert estimated_blend(released, channel, 5_000).blindness == pytest.approx(expected, rel=1e-9)


def test_products_put_every_axis_in_its_place():
    rng = np.random.default_rng(6)
    pair, single, last = random_table((2, 4), rng), random_table((3,), rng), random_table((5,), rng)
    joint = independent_shares([pair, single, last], [(3, 0), (1,), (2,)])
    assert joint.shape == (4, 3, 5, 2)
    for a, b, c, d in product(range(4), range(3), range(5), range(2)):
        assert joint[a, b, c, d] == pytest.approx(pair[d, a] * single[b] * last[c], abs=1e-16)


@pytest.mark.slow
def test_weighing_inversion_against_independence_agrees_with_simulation():
    """Expected sums of squared errors of both estimates of a dependent triple, over 4,000 releases: to 4%."""
    rng = np.random.default_rng(8)
    sizes, n = (3, 4, 2), 800
    pair = 0.35 * np.eye(3, 4) / 3 + 0.65 / 12
    truth = (pair[:, :, None] * np.array([0.7, 0.3])).astype(float)
    channel = Kronecker.from_epsilon(sizes, (1.5, 1.5, 1.0)).channel([0, 1, 2])
    people = np.round(truth * n).astype(int)
    n, runs = people.sum(), 4000
    shares = people / n
    released = draw(channel, shares, n, runs, population=False, rng=rng) / n
    singles = [channel.marginal([i]).invert(released.sum(axis=tuple({0, 1, 2} - {i}))) for i in range(3)]
    products = np.einsum("ar,br,cr->abcr", *singles)
    noise, blind = (np.square(found - shares[..., None]).sum(axis=(0, 1, 2)) for found in (channel.invert(released), products))
    guesses = [estimated_blend(released[..., run], channel, n) for run in range(0, runs, 40)]  # they vary far less than errors
    assert np.mean([guess.noise for guess in guesses]) == pytest.approx(np.mean(noise), rel=0.04)
    assert np.mean([guess.blindness + guess.own_noise for guess in guesses]) == pytest.approx(np.mean(blind), rel=0.04)
    assert all(0 <= guess.weight <= 1 for guess in guesses)


def test_independence_wins_where_there_is_nothing_to_see_and_loses_where_there_is_no_noise():
    channel = Kronecker.from_epsilon((4, 4), (0.5, 0.5)).channel([0, 1])
    flat = estimated_blend(np.full((4, 4), 1 / 16), channel, 500)
    assert (flat.pays, flat.weight) == (False, 0.0)
    dependent = estimated_blend(channel.push(np.eye(4) / 4), channel, 10**9)
    assert dependent.pays
    assert dependent.weight == pytest.approx(1, abs=1e-4)
