"""What a class can learn: against Warner's variance in closed form, sampling without replacement, and what cannot be."""

import math
from fractions import Fraction

import pytest

from rrcore.designs.classroom import ANSWERS, PollDesign, least_truth, poll_design
from rrcore.errors import InputError


def by_hand(people, truth):
    """Half of the 95% interval of a share of these people: Warner (1965) without the variance of who was asked."""
    return 1.959964 * math.sqrt(truth * (1 - truth) / people) / (2 * truth - 1)


def test_the_numbers_that_a_teacher_is_told():
    assert [round(100 * PollDesign(30, truth).error) for truth in (75, 90)] == [31, 13]
    assert PollDesign(30, 75).epsilon == pytest.approx(math.log(3))


@pytest.mark.parametrize("people", [5, 30, 200, 1000])
@pytest.mark.parametrize("truth", [55, 75, 95])
def test_the_error_is_warners(people, truth):
    assert PollDesign(people, truth).error == pytest.approx(by_hand(people, truth / 100), rel=1e-6)


@pytest.mark.parametrize(("people", "within"), [(30, 0.2), (200, 0.1), (1000, 0.05), (12, 0.35)])
def test_the_least_truth_that_is_precise_enough_is_chosen(people, within):
    chosen = poll_design(people, within)
    assert by_hand(people, chosen.truth / 100) <= within < by_hand(people, (chosen.truth - 1) / 100)


def test_where_no_truth_is_precise_enough_the_most_is_taken_and_its_error_says_so():
    chosen = poll_design(8, 0.05)
    assert (chosen.truth, chosen.error > 0.05) == (95, True)
    assert chosen.shortfall(0.05)
    assert chosen.shortfall(chosen.error) == ""
    assert poll_design(1000, 1.0).truth == least_truth(2) == 55


@pytest.mark.parametrize("truth", [60, 75, 90])
def test_as_many_asked_openly_tell_as_much(truth):
    """Hypergeometric variance of m of n, share 1/2, compared with that of all randomized: m reaches it and m - 1 does not."""
    people = 30
    design, noise = PollDesign(people, truth), (by_hand(people, truth / 100) / 1.959964) ** 2

    def spread(asked):
        return 0.25 / asked * (people - asked) / (people - 1)

    assert spread(design.direct) <= noise * (1 + 1e-9)
    assert design.direct == 1 or spread(design.direct - 1) > noise


def test_more_answers_than_two():
    design = PollDesign(40, 70, ("never", "once", "often"))
    assert (design.others, design.odds) == (15, Fraction(14, 3))
    assert design.file().sizes == (3,)
    assert "often" in design.sentences()[0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((4, 75), "is 4"),
        ((1001, 75), "is 1,001"),
        ((30, 54), "Expected 55% to 95%"),
        ((30, 96), "Expected 55% to 95%"),
        ((30, 75, ("yes",)), "1 answer"),
        ((30, 75, tuple("abcdefg")), "7 answers"),
        ((30, 75, ("a", "a")), "'a'"),
    ],
)
def test_what_cannot_be_asked(given, message):
    with pytest.raises(InputError, match=message):
        PollDesign(*given)


@pytest.mark.parametrize("within", [0, -0.1, 1.01, math.nan])
def test_a_precision_that_is_none(within):
    with pytest.raises(InputError, match="margin of error"):
        poll_design(30, within, ANSWERS)
