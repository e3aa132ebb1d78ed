"""Break-even denial: the values of section 28 of the theory, an oracle that counts on reports, and edges."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rrcore as rr
from rrcore.channel import MatrixChannel
from rrcore.designs import DESIGNS, design_facts
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import DENIAL_RATES, BreakEven

FORCED = MatrixChannel(np.array([[5, 1], [1, 5]]) / 6)


def level_of_1(people: int, share: float = 0.1) -> BreakEven:
    return BreakEven.of(rr.build("kronecker", (2,), [1.0]).marginal_channel((0,)), 1, people=people, share=share)


@pytest.mark.parametrize(("people", "forced", "level"), [(200, 4.0, 6.8), (1_000, 1.8, 3.0)])
def test_break_even_denial_is_that_of_the_theory(people: int, forced: float, level: float) -> None:
    points = 100 * BreakEven.of(FORCED, 1, people=people, share=0.1).denial, 100 * level_of_1(people).denial
    assert tuple(round(each, 1) for each in points) == (forced, level)


@pytest.mark.parametrize("name", ["warner", "crosswise", "forced", "mangat"])
def test_a_design_of_the_field_has_the_break_even_denial_of_its_channel(name: str) -> None:
    design = DESIGNS[name]
    facts = design_facts(design, design.example, people=400, share=0.15)
    channel = MatrixChannel(facts.channel.matrices[0])
    assert facts.break_even.denial == pytest.approx(BreakEven.of(channel, 1, people=400, share=0.15).denial, rel=1e-6)


@pytest.mark.parametrize("mechanism", ["kronecker", "pair-safe", "optimal"])
@pytest.mark.parametrize(("axes", "cell"), [((0,), 2), ((1,), 0), ((0, 1), (1, 3))])
def test_noise_is_the_variance_of_what_single_reports_add(
    mechanism: str, axes: tuple[int, ...], cell: int | tuple[int, ...]
) -> None:
    """An oracle without formulas: the channel as a matrix, its inverse, and the variance of one person's part given the truth."""
    channel = rr.build(mechanism, (3, 4, 2), [1.0, 1.5, 0.7]).marginal_channel(axes)
    cells = math.prod(channel.sizes)
    place = int(np.ravel_multi_index(np.atleast_1d(cell), channel.sizes))
    matrix = np.array([channel.push(row.reshape(channel.sizes)).ravel() for row in np.eye(cells)])  # row: truth, column: report
    weights = np.linalg.inv(matrix)[:, place]
    truth = np.full(cells, 0.8 / (cells - 1))
    truth[place] = 0.2
    given = matrix @ weights**2 - (matrix @ weights) ** 2
    found = BreakEven.of(channel, cell, people=300, share=0.2)
    assert found.noise == pytest.approx(float(truth @ given), rel=1e-9)


def test_at_break_even_both_ways_are_off_by_the_same() -> None:
    found = BreakEven.of(FORCED, 1, people=1_000, share=0.1)
    directly, randomised = found.off_by(found.denial)
    assert directly == pytest.approx(randomised, rel=1e-12)
    assert found.off_by(found.denial / 2)[0] < randomised < found.off_by(2 * found.denial)[0]


def test_the_people_for_a_denial_are_the_first_for_whom_it_costs_more() -> None:
    found = BreakEven.of(FORCED, 1, people=200, share=0.1)
    enough = found.people_for(0.03)
    assert BreakEven(0.1, enough, found.noise).denial <= 0.03 < BreakEven(0.1, enough - 1, found.noise).denial


def test_where_even_all_denying_costs_less_it_is_said() -> None:
    found = level_of_1(20, share=0.01)
    assert found.never
    assert found.deniers > 1
    assert "even if all 1.0 %" in found.sentence


def test_the_sentence_says_points_and_people() -> None:
    assert BreakEven.of(FORCED, 1, people=200, share=0.1).sentence == (
        "Asked directly, more than 4.0 % of all must deny before this design pays: 40 of 100 people whom it is true of."
    )


def test_nothing_is_gained_where_nothing_is_randomised() -> None:
    assert BreakEven.of(MatrixChannel(np.eye(3)), 1, people=10, share=0.5).denial == 0


def test_intervals_stay_between_0_and_1() -> None:
    found = level_of_1(20, share=0.05)
    assert found.randomised()[1][0] == 0
    assert found.directly(0.05) == (0.0, (0.0, 0.0))


def test_a_share_that_is_erased_cannot_be_asked_at_random() -> None:
    with pytest.raises(NotIdentifiableError, match="raise the levels, or ask directly"):
        BreakEven.of(MatrixChannel(np.full((2, 2), 0.5)), 1, people=10, share=0.5)


@pytest.mark.parametrize(
    ("share", "people", "message"),
    [(0.0, 10, "The expected share is 0: give a number between 0 and 1"), (0.5, 0, "0 people are to be asked")],
)
def test_shares_and_people_that_are_none(share: float, people: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        BreakEven(share, people, 1.0)


def test_no_more_than_the_share_can_be_denied() -> None:
    with pytest.raises(InputError, match=r"The denial is 20\.0 points: give one from 0 to the share itself, 10\.0 points"):
        level_of_1(100).directly(0.2)


def test_published_rates_have_their_sources_in_order() -> None:
    rates = [each.rate for each in DENIAL_RATES]
    assert rates == sorted(rates)
    assert all(0 < rate < 1 for rate in rates)
    assert all(each.source and each.read_in and each.measured for each in DENIAL_RATES)
