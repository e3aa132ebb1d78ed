"""What a sample refuses, and a release that has a sample."""

from dataclasses import replace

import numpy as np
import pytest

import rrcore as rr
from rrcore.errors import InputError
from rrcore.estimate import Release, Rows, Sample
from tests.estimate.sample.drawing import estimate


@pytest.mark.parametrize(("arguments", "message"), [
    ({"weights": [1.0, -2.0]}, "The weight of record 2 is -2"),
    ({"weights": [1.0, np.nan]}, "The weight of record 2 is nan"),
    ({"weights": [0.0, 0.0]}, "All weights are 0"),
    ({"weights": [[1.0]]}, r"shape \(1, 1\)"),
    ({"weights": [1.0, 1.0], "strata": np.array([0])}, "2 codes of strata .*, got 1"),
    ({"weights": [1.0, 1.0], "strata": np.array([0, -1])}, "strata are not"),
    ({"weights": [1.0, 1.0], "clusters": np.array([0.5, 1.0])}, "clusters are not"),
    ({"weights": [1.0, 1.0, 1.0], "strata": np.array([0, 0, 1]), "names": ("north", "south")}, "'south'.*one person"),
    ({"weights": [1.0, 1.0], "clusters": np.array([3, 3])}, "^(?!.*stratum).*one cluster"),
    ({"weights": [1.0, 1.0], "populations": np.array([1.0])}, "^(?!.*stratum).*1.*2 people"),
    ({"weights": [1.0, 1.0], "populations": np.array([5.0, 5.0])}, "^(?!.*stratum).*1 .*got 2"),
])  # fmt: skip
def test_a_sample_that_cannot_be_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        Sample(np.array(arguments.pop("weights")), **arguments)


def test_a_stratum_of_one_cluster_counts_as_one_says():
    """By its distance from the mean of all, whose residuals sum to 0, or not at all; and not at all where all of it was drawn."""
    weights, strata, reported = np.array([1.0, 2.0, 1.0, 2.0, 3.0]), np.array([0, 0, 0, 0, 1]), np.array([0, 1, 1, 0, 1])
    centre, certain = (estimate(reported, Sample(weights, strata=strata, lonely=way)) for way in ("centre", "certain"))
    complete = estimate(reported, Sample(weights, strata=strata, populations=np.array([np.inf, 1.0])))
    w = weights / weights.sum()
    z = w[4] * ((1 - 0.2) / 0.6 - centre.shares[1])
    yes = np.array([0.0, 1.0])
    found = [each.spread.variance(each.channel.invert_back(yes), each.channel) for each in (centre, certain, complete)]
    assert found[0] - found[1] == pytest.approx(z**2, rel=1e-9)
    r = (1 - 0.2) / 0.6
    assert found[2] - found[1] == pytest.approx(w[4] ** 2 * r * (r - 1), rel=1e-9)


@pytest.fixture(scope="module")
def release():
    table = rr.load_demo("titanic")
    plain = rr.simulate(table, rr.Plan(table, 2.0).build(), rng=np.random.default_rng(0))
    classes, names = table.codes[:, 0].astype(np.int64), table.schema.attributes[0].categories
    weights = np.array([3.0, 1.0, 2.0, 0.5])[classes]
    return Release(plain.dataset, plain.mechanism, sample=Sample(weights, strata=classes, names=names))


def test_a_release_estimates_by_its_weights(release):
    found = release.estimate(["Survived", "Sex"])
    w = release.sample.shares
    codes, rows = release.records.answered(["Survived", "Sex"])
    expected = np.zeros((2, 2))
    np.add.at(expected, tuple(codes.T), w[rows])
    np.testing.assert_allclose(found.released, expected, rtol=1e-9)
    np.testing.assert_allclose(found.shares, found.channel.invert(expected), rtol=1e-9)
    assert found.n == 2201
    assert 1.0 < found.design_effect < 2
    low, high = found.interval(population=True, simultaneous=True)
    one, other = found.interval(population=True)
    assert (low <= one).all()
    assert (high >= other).all()
    assert found.people_for(0.01) == pytest.approx(
        found.n * (1.96 * found.std_error(population=True).max() / 0.01) ** 2, rel=0.01
    )
    blend = found.blend()
    assert blend.shares.sum() == pytest.approx(1)
    assert "randomized" in found.to_arrow().column_names


def test_a_sample_of_other_records_is_refused(release):
    with pytest.raises(InputError, match=r"3 records, .* 2,201"):
        Release(release.dataset, release.mechanism, sample=Sample(np.ones(3)))


def test_records_with_an_answer_missing_count_where_it_is_not_needed(release):
    codes = np.concatenate([release.dataset.codes, release.dataset.codes[:4]])
    codes[2201, 1] = codes[2202, 3] = -1
    rows = Rows(release.schema, codes)
    partial = Release((rows,), release.mechanism)
    assert partial.n == 2205
    assert [int(partial.counts([name]).sum()) for name in release.schema.names] == [2205, 2204, 2205, 2204]
    assert partial.estimate([release.schema.names[1], release.schema.names[3]]).n == 2203
    sample = Sample(np.r_[release.sample.weights, np.full(4, 9.0)])
    weighted = Release((replace(rows, sample=sample),), release.mechanism)
    found = weighted.estimate(["Survived"])
    assert found.n == 2204
    _, used = rows.answered(["Survived"])
    assert np.setdiff1d(np.arange(2205), used).tolist() == [2202]


@pytest.mark.parametrize("sample", [
    Sample(np.ones(1)), Sample(np.array([2.0, 1.0, 3.0])).take(np.array([1])), Sample(np.array([2.0, 0.0, 3.0])).take(np.array([0, 1])),
    Sample(np.ones(3), clusters=np.array([0, 0, 1])).take(np.array([0, 1])),
])  # fmt: skip
def test_of_one_person_or_cluster_little_is_known(sample):
    found = estimate(np.zeros(sample.n, dtype=np.int64), sample)
    low, high = found.interval(population=True)
    assert (low <= high).all()
    assert np.isfinite(found.interval()).all()
    assert found.blend().shares.sum() == pytest.approx(1)
    assert found.interval(population=True, simultaneous=True)[0].shape == (2,)
    assert "design effect" in found._repr_html_()


def test_a_part_within_one_cluster_is_read_as_people_drawn_from_it():
    rng = np.random.default_rng(3)
    sample, reported = Sample(rng.uniform(1, 2, 90), clusters=np.arange(90) // 30), rng.integers(0, 2, 90)
    rows = np.arange(30)
    found, alone = (estimate(reported[rows], each) for each in (sample.take(rows), Sample(sample.weights[rows])))
    np.testing.assert_allclose(found.std_error(population=True), alone.std_error(population=True), rtol=1e-9)
    assert found.spread.freedom == 29


def test_those_who_answered_are_a_part_of_what_was_drawn_and_a_group_is_not():
    strata, sizes = np.repeat([0, 1], 4), np.array([4.0, 8.0])
    everybody = Sample(np.ones(8), strata=strata, populations=sizes)
    rows = np.array([0, 1, 2, 4])
    assert everybody.take(rows).fractions.tolist() == [1.0, 0.5]
    part = everybody.answering(rows)
    assert part.fractions.tolist() == [0.75, 0.125]
    assert part.drawn.tolist() == [4, 4]
    assert everybody.fractions.tolist() == [1.0, 0.5]
    many = Sample(np.ones(2), populations=np.array([8.0]), times=np.array([1, 3]), squares=np.ones(2))
    assert many.answering(np.array([1])).fractions.tolist() == [3 / 8]
    assert Sample(np.ones(4)).answering(np.array([1, 2])).answered is None


def test_a_stratum_whose_only_cluster_was_certain_is_not_refused_where_some_of_it_did_not_answer():
    sample = Sample(
        np.ones(6), strata=np.array([0, 0, 1, 1, 1, 1]), clusters=np.array([0, 0, 1, 1, 2, 2]), populations=np.array([1.0, 9.0])
    )
    assert sample.answering(np.array([0, 2, 3, 4, 5])).fractions.tolist() == pytest.approx([0.5, 2 / 9])
