"""Medians, bands and winners by hand; outcomes as CSV that parses back and runs nothing in a spreadsheet."""

import csv
import io
import math

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.estimate import METRICS, expected_error, published_independent_bound
from rrcore.mechanisms import Kronecker
from rrcore.schemes import (
    STUDY_METRICS,
    Outcome,
    Study,
    Summary,
    close_up,
    mean_reasons,
    reasons_beforehand,
    summaries_closer_than,
    summarise,
    summary_missing_sets,
    summary_outcomes_csv,
    summary_winners,
)
from rrcore.schemes.reasons import reason
from rrcore.table import load_demo

METRIC = "half L1 (total variation)"


def outcome(release, error, *, scheme="em", axes=(0, 1), value=math.nan, reason=""):
    return Outcome(value, release, scheme, axes, {} if error is None else {METRIC: error}, reason)


def summary(scheme, median, *, low=None, high=None, ways=2, value=math.nan):
    return Summary(scheme, value, ways, median, median if low is None else low, median if high is None else high, 3)


# summaries


def test_median_and_band_over_releases_of_means_over_sets():
    """Means 1, 2, 4, 8, 16; tenth and ninetieth percentile lie 0.4 of the way between the first and the last two."""
    found = []
    for release, mean in enumerate((4.0, 1.0, 16.0, 2.0, 8.0)):
        found += [outcome(release, mean - 0.5), outcome(release, mean + 0.5, axes=(0, 2))]
    (one,) = summarise(found, METRIC)
    assert (one.scheme, one.ways, one.releases, one.reason) == ("em", 2, 5, "")
    assert math.isnan(one.value)
    assert (one.median, one.low, one.high) == pytest.approx((4.0, 1.4, 12.8))


def test_points_are_kept_apart_and_sorted_by_scheme_as_met_value_and_ways():
    found = [
        outcome(0, 1.0, scheme="truncated", value=8.0, axes=(0, 1, 2)),
        outcome(0, 2.0, scheme="truncated", value=8.0),
        outcome(0, 3.0, scheme="blend", value=2.0),
        outcome(0, 4.0, scheme="truncated", value=2.0),
    ]
    assert [(one.scheme, one.value, one.ways, one.median) for one in summarise(found, METRIC)] == [
        ("truncated", 2.0, 2, 4.0),
        ("truncated", 8.0, 2, 2.0),
        ("truncated", 8.0, 3, 1.0),
        ("blend", 2.0, 2, 3.0),
    ]


def test_outcomes_without_an_estimate_are_left_out_and_the_reason_is_kept():
    found = [
        outcome(0, 1.0),
        outcome(0, None, axes=(0, 2), reason="Too many cells."),
        outcome(0, math.nan, axes=(1, 2)),
        outcome(1, 3.0),
        outcome(1, 5.0, axes=(0, 2)),
        outcome(2, math.nan),
    ]
    (one,) = summarise(found, METRIC)
    assert (one.median, one.releases, one.reason) == (2.5, 2, "Too many cells.")


@pytest.mark.filterwarnings("error")
def test_nothing_but_reasons_gives_no_figures():
    (one,) = summarise([outcome(0, None, reason="No such mechanism."), outcome(1, None, reason="No such mechanism.")], METRIC)
    assert math.isnan(one.median)
    assert math.isnan(one.low)
    assert math.isnan(one.high)
    assert (one.releases, one.reason) == (0, "No such mechanism.")
    assert summarise([], METRIC) == []


# common sets


def test_only_sets_that_every_scheme_has_are_averaged_and_release_by_release():
    """By hand: of release 0 both have (0, 1); of release 1 both sets; the easy set that only "em" has in release 0 does not help it."""
    found = [
        outcome(0, 6.0),
        outcome(0, 1.0, axes=(0, 2)),
        outcome(1, 2.0),
        outcome(1, 4.0, axes=(0, 2)),
        outcome(0, 5.0, scheme="blend"),
        outcome(0, math.nan, scheme="blend", axes=(0, 2)),
        outcome(1, 7.0, scheme="blend"),
        outcome(1, 9.0, scheme="blend", axes=(0, 2)),
    ]
    em, blend = summarise(found, METRIC)
    assert (em.median, blend.median) == (4.5, 6.5)  # releases: 6 and 3; 5 and 8
    assert (em.sets, em.asked, em.releases) == (blend.sets, blend.asked, blend.releases) == (3, 4, 2)
    assert em.reason == ""
    assert "is not known" in blend.reason


def test_a_scheme_without_any_estimate_does_not_empty_the_others():
    found = [outcome(0, 1.0), outcome(0, None, scheme="blend", reason="No such mechanism.")]
    em, blend = summarise(found, METRIC)
    assert (em.median, em.sets) == (1.0, 1)
    assert (blend.sets, blend.reason) == (0, "No such mechanism.")


def test_every_missing_set_is_listed_with_its_reason_and_how_often():
    found = [
        outcome(0, 1.0),
        outcome(0, None, axes=(0, 2), reason="Too many cells."),
        outcome(1, None, axes=(0, 2), reason="Too many cells."),
        outcome(0, None, scheme="blend", reason="Erased."),
    ]
    assert [(one.scheme, one.axes, one.releases, one.reason) for one in summary_missing_sets(found, METRIC)] == [
        ("em", (0, 2), 2, "Too many cells."),
        ("blend", (0, 1), 1, "Erased."),
    ]


@pytest.mark.slow
def test_raw_hellinger_ranks_no_scheme_first_by_the_sets_it_leaves_out():
    """Census, level 1: raw inversion has a Hellinger distance on few sets only; on those it is behind, and the others are listed."""
    study = Study(("rr-ind-joint", "rr-independent", "pair-safe"), (2,), repeats=3)
    found = [one for release in study.run(load_demo("census"), np.full(8, 1.0)) for one in release]
    raw, independent, safe = summarise(found, "Hellinger distance")
    assert raw.sets in (0, independent.sets)
    assert independent.sets == safe.sets
    left_out = sum(one.releases for one in summary_missing_sets(found, "Hellinger distance") if one.scheme == "rr-ind-joint")
    assert 0 < left_out <= raw.asked
    assert (
        left_out + sum(not math.isnan(one.errors["Hellinger distance"]) for one in found if one.scheme == "rr-ind-joint")
        == raw.asked
    )
    assert summary_winners([raw, independent, safe])[0].best.scheme != "rr-ind-joint"
    assert "below 0" in raw.reason


def test_where_one_scheme_is_closer_than_another():
    found = [
        summary("a", 1.0),
        summary("b", 2.0),
        summary("a", 3.0, ways=3),
        summary("b", 2.0, ways=3),
        summary("a", 1.0, ways=4),
    ]
    ((one, other),) = summaries_closer_than(found, "a", "b")
    assert (one.scheme, other.scheme, one.ways) == ("a", "b", 2)
    assert [(one.ways) for one, _ in summaries_closer_than(found, "b", "a")] == [3]


# winners


def test_the_smallest_median_wins_and_the_lead_is_over_the_runner_up():
    (one,) = summary_winners([summary("a", 3.0), summary("b", 1.0), summary("c", 1.5)])
    assert (one.best.scheme, one.second.scheme, one.lead, one.ways) == ("b", "c", 1.5, 2)
    assert math.isnan(one.value)


@pytest.mark.parametrize(("high", "clear"), [(1.9, True), (2.0, False), (2.5, False)])
def test_a_win_is_clear_where_the_bands_do_not_overlap(high, clear):
    (one,) = summary_winners([summary("a", 3.0, low=2.0, high=4.0), summary("b", 1.0, low=0.5, high=high)])
    assert one.clear is clear


def test_a_winner_at_every_point_sorted_by_ways_and_value():
    found = summary_winners(
        [
            summary("a", 1.0, ways=3, value=10.0),
            summary("a", 1.0, ways=2, value=10.0),
            summary("a", 5.0, ways=2, value=2.0),
            summary("b", 4.0, ways=2, value=2.0),
        ]
    )
    assert [(one.ways, one.value, one.best.scheme) for one in found] == [(2, 2.0, "b"), (2, 10.0, "a"), (3, 10.0, "a")]


def test_schemes_without_an_estimate_do_not_win_nor_come_second():
    (one,) = summary_winners([summary("a", math.nan), summary("b", 7.0)])
    assert (one.best.scheme, one.second, one.lead, one.clear) == ("b", None, math.inf, True)
    assert summary_winners([summary("a", math.nan)]) == []
    assert summary_winners([]) == []


# CSV


def parse(text):
    return list(csv.reader(io.StringIO(text)))


def test_csv_parses_back():
    errors = {name: (i + 1) / 7 for i, name in enumerate(STUDY_METRICS)}
    found = [
        Outcome(2.5, 0, "em", (0, 2), errors),
        Outcome(math.nan, 1, "pair-safe", (1,), {}, 'No "such", mechanism;\nor none.'),
    ]
    head, first, second = parse(summary_outcomes_csv(found, ["age", "sex", 'in"come'], "eps"))
    assert head == ["eps", "release", "scheme", "attributes", *STUDY_METRICS, "why not"]
    assert first[:4] == ["2.5", "0", "em", 'age; in"come']
    assert [float(cell) for cell in first[4:-1]] == pytest.approx(list(errors.values()), rel=1e-7)
    assert first[-1] == ""
    assert second[:4] == ["", "1", "pair-safe", "sex"]
    assert second[4:-1] == [""] * len(STUDY_METRICS)
    assert second[-1] == 'No "such", mechanism;\nor none.'


def test_errors_that_are_not_known_are_blank():
    errors = dict.fromkeys(STUDY_METRICS, 0.5) | {"Hellinger distance": math.nan}
    row = dict(zip(*parse(summary_outcomes_csv([Outcome(math.nan, 0, "em", (0,), errors)], ["age"])), strict=True))
    assert row["Hellinger distance"] == ""
    assert row[METRIC] == "0.5"


@pytest.mark.parametrize("name", ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\tx", "=HYPERLINK(1)"])
@pytest.mark.parametrize("axes", [(0,), (0, 1)])
def test_no_cell_is_a_formula(name, axes):
    text = summary_outcomes_csv([Outcome(math.nan, 0, "em", axes, {}, name)], [name, "=other"])
    for row in parse(text):
        assert not any(cell[:1] in set("=+-@\t\r") for cell in row)
    assert parse(text)[1][3] == "'" + "; ".join([name, "=other"][: len(axes)])


# one scheme closely


def test_a_close_look_is_the_first_release_of_the_study():
    demo = load_demo("titanic")
    study = Study(("rr-ind-joint", "rr-independent"), (2,), repeats=1, seed=4)
    levels = np.full(4, 2.0)
    found = close_up(study, demo, levels, "rr-ind-joint", (1, 3))
    np.testing.assert_array_equal(found.truth, demo.counts(["Sex", "Survived"]) / demo.n)
    assert found.total == pytest.approx(1)
    assert found.released.sum() == pytest.approx(1)
    (outcomes,) = study.run(demo, levels)
    (measured,) = [one for one in outcomes if one.scheme == "rr-ind-joint" and one.axes == (1, 3)]
    assert METRICS[METRIC](found.truth, found.shares) == pytest.approx(measured.errors[METRIC], rel=1e-12)


def test_a_close_look_at_a_scheme_that_cannot_be_says_why():
    demo = load_demo("titanic")
    refused = "No joint mechanism here."
    study = Study(("rr-joint",), (2,))
    object.__setattr__(study, "designs", lambda *arguments: {"joint": refused})
    with pytest.raises(InputError, match=refused):
        close_up(study, demo, np.full(4, 2.0), "rr-joint", (0, 1))


# beforehand


def test_mean_reasons_are_means_of_reasons():
    demo = load_demo("titanic")
    mechanisms = {"kronecker": Kronecker.from_levels(demo.schema.sizes, np.full(4, 2.0))}
    sets = [(0, 1), (1, 2, 3), (2, 3)]
    found = mean_reasons(demo, mechanisms, sets, n=500)
    assert list(found) == [2, 3]
    pairs = [reason(demo, mechanisms["kronecker"], axes, n=500) for axes in ((0, 1), (2, 3))]
    assert found[2]["kronecker"].noise == pytest.approx(np.mean([one.noise for one in pairs]))
    assert found[2]["kronecker"].blindness == pytest.approx(np.mean([one.blindness for one in pairs]))
    assert found[3]["kronecker"] == reason(demo, mechanisms["kronecker"], (1, 2, 3), n=500)


def test_errors_beforehand_are_means_of_the_papers_figures():
    found = reasons_beforehand((2, 3, 4), np.array([1.0, 2.0, 3.0]), [(0, 1), (0, 2), (0, 1, 2)], 1000)
    bounds = [published_independent_bound(sizes) for sizes in ((2, 3), (2, 4))]
    assert found[2]["RR-Independent: published bound (Castell, Theorem 5)"] == pytest.approx(np.mean(bounds))
    exact = expected_error(Kronecker.from_levels((2, 3, 4), (1.0, 2.0, 3.0)).marginal_channel((0, 1, 2)), 1000)
    assert found[3]["RR-Ind-Joint: exact standard error of a share"] == pytest.approx(exact)
    assert len(found[3]) == 5
