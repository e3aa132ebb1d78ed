"""People who always say the same: the mixture taken apart exactly, intervals that cover, and what the answers contradict."""

import numpy as np
import pytest
from scipy.stats import binom

from rrcore import plots
from rrcore.channel import MatrixChannel, StackedChannel, product_channel
from rrcore.errors import InputError
from rrcore.estimate import Always, invert_counts, refusals_course
from rrcore.table import Attribute, Schema

DIE = np.array([[5 / 6, 1 / 6], [1 / 6, 5 / 6]])
THREE = np.array([[0.7, 0.2, 0.1], [0.1, 0.5, 0.4], [0.2, 0.2, 0.6]])


def released(matrix, truth, x, said):
    return (1 - x) * truth @ matrix + x * np.eye(len(matrix))[said]


def read(matrix, counts, said):
    return Always(invert_counts(np.asarray(counts), MatrixChannel(matrix)), said)


@pytest.mark.parametrize(("matrix", "truth"), [(DIE, [0.7, 0.3]), (THREE, [0.2, 0.5, 0.3])])
@pytest.mark.parametrize("x", [0.0, 0.1, 0.25])
def test_the_mixture_is_taken_apart_exactly(matrix, truth, x):
    truth = np.array(truth)
    for said in range(len(truth)):
        counts = np.round(released(matrix, truth, x, said) * 1e12).astype(np.int64)
        always = read(matrix, counts, said)
        assert np.allclose(always.shares(x), truth, atol=1e-9)
        assert np.isclose(always.shares(x).sum(), 1)
        low, high = always.everybody(x)
        assert np.allclose(high - low, x)
        assert np.allclose(low, (1 - x) * truth, atol=1e-9)


def test_the_largest_possible_share_is_where_another_answer_becomes_impossible():
    always = read(DIE, [700, 300], 0)
    x = always.possible
    assert always.shares(x).min() == pytest.approx(0, abs=1e-12)
    assert always.shares(x - 0.01).min() > 0
    assert always.shares(x + 0.01).min() < 0
    assert always.compatible() > x
    high = always.interval(always.compatible())[1]
    assert high.min() == pytest.approx(0, abs=1e-9)


def test_nobody_can_always_say_no_where_even_fewer_said_it_than_chance_would():
    always = read(DIE, [100, 900], 0)  # a sixth of all say no by chance alone
    assert always.possible == 0
    assert "contradict it: they allow at most" in always.sentence(0.2, 1)


def covered(matrix, truth, x, said, counts):
    """Whether the interval of every share holds the truth, one row for each row of counts."""
    distinct, where = np.unique(counts, axis=0, return_inverse=True)
    ends = np.array([read(matrix, row, said).interval(x) for row in distinct])
    return ((ends[:, 0] <= truth) & (truth <= ends[:, 1]))[where.ravel()]


@pytest.mark.slow
def test_intervals_cover_where_the_share_is_right():
    """1,200 people, 15 % of whom always say no: the exact coverage of a yes-or-no question, all surveys within 6 standard errors."""
    truth, x = np.array([0.75, 0.25]), 0.15
    yes = released(DIE, truth, x, 0)[1]
    spread = 6 * np.sqrt(1200 * yes * (1 - yes))
    counts = np.arange(int(1200 * yes - spread), int(1200 * yes + spread))
    chance = binom.pmf(counts, 1200, yes)
    assert chance.sum() == pytest.approx(1, abs=1e-7)
    cover = chance @ covered(DIE, truth, x, 0, np.stack([1200 - counts, counts], axis=1))
    assert (cover >= 0.93).all()
    assert (cover <= 0.97).all()


@pytest.mark.long
def test_intervals_of_three_answers_cover_where_the_share_is_right():
    """2,000 surveys of 1,200 people: coverage within 93 to 97 %, false alarms about 4e-5 a cell."""
    truth, x = np.array([0.3, 0.5, 0.2]), 0.15
    counts = np.random.default_rng(11).multinomial(1200, released(THREE, truth, x, 2), size=2000)
    cover = covered(THREE, truth, x, 2, counts).mean(axis=0)
    assert (cover >= 0.93).all()
    assert (cover <= 0.97).all()


def test_the_course_ends_where_the_answers_contradict_it():
    short = refusals_course(read(DIE, [230, 770], 0), 1)
    assert short.x[-1] == pytest.approx(short.limit)
    assert short.limit < 0.3
    long = refusals_course(read(DIE, [700, 300], 0), 1)
    assert long.x[-1] == pytest.approx(0.3)
    assert (np.diff(long.share) > 0).all()
    assert (long.all_of_them[1:] > long.share[1:]).all()
    figure = plots.refusal_intervals_figure(short, plots.LIGHT, said="no", of="<b>yes", at=0.05)
    assert len(figure.layout.shapes) == 2
    assert "&lt;b&gt;" in figure.layout.yaxis.title.text
    assert len(plots.refusal_intervals_figure(long, plots.LIGHT, said="no", of="yes").layout.shapes) == 0


def test_the_sentence_tells_both_shares_and_the_limit():
    told = read(DIE, [700, 300], 0).sentence(0.1, 1)
    assert told == (
        "If 10.0 % of the people always say “1”, the share of “2” among the others is 25 % (20 to 30) instead of 20.0 %. "
        "The answers allow at most 67.3 % of such people."
    )


def test_the_sentence_names_reports_that_are_not_answers():
    schemas = [Schema((Attribute("used", answers),)) for answers in (("no", "yes"), ("0 red", "1 red", "2 red"))]
    channel = MatrixChannel(np.array([[0.64, 0.32, 0.04], [0.16, 0.48, 0.36]]))
    estimate = invert_counts(np.array([500, 390, 110]), channel, schema=schemas[0], reports=schemas[1])
    assert Always(estimate, 2).sentence(0.05, 1).startswith("If 5.0 % of the people always say “2 red”")


def test_what_makes_no_sense_is_refused():
    always = read(DIE, [700, 300], 0)
    with pytest.raises(InputError, match="give one from 0 to below 1"):
        always.shares(1.0)
    with pytest.raises(InputError, match="no report number 2"):
        read(DIE, [7, 3], 2)
    two = product_channel([MatrixChannel(DIE)] * 2, [(0,), (1,)])
    with pytest.raises(InputError, match="one attribute at a time"):
        Always(invert_counts(np.array([[5, 3], [2, 4]]), two), 0)
    groups = StackedChannel((MatrixChannel(DIE), MatrixChannel(DIE[::-1])), np.array([0.5, 0.5]))
    with pytest.raises(InputError, match="read the groups one by one"):
        Always(invert_counts(np.array([5, 3, 2, 4]), groups), 0)
