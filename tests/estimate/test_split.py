"""Split samples: closed forms that they come to with many people, brute force over all splits, and refusals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.estimate import BreakEven, SplitSample

ASKED = BreakEven(0.2, 1_000, 0.5)
Z = 1.959964 + 0.841621


@pytest.mark.parametrize("denial", [0.002, 0.0005])
def test_the_fewest_people_are_those_of_the_closed_form_where_they_are_many(denial: float) -> None:
    found = SplitSample.fewest_people(ASKED, denial)
    direct, randomised = math.sqrt((0.2 - denial) * (0.8 + denial)), math.sqrt(0.16 + 0.5)
    assert found.part == pytest.approx(direct / (direct + randomised), rel=0.002)
    assert found.people == pytest.approx((Z * (direct + randomised) / denial) ** 2, rel=0.01)


def test_the_fewest_people_asked_directly_are_those_of_the_closed_form_where_they_are_many() -> None:
    denial, people = 0.002, 4 * SplitSample.fewest_people(ASKED, 0.002).people
    found = SplitSample.fewest_directly(replace(ASKED, people=people), denial)
    direct, randomised = (0.2 - denial) * (0.8 + denial), 0.16 + 0.5
    t = people * (denial / Z) ** 2
    middle = t + direct - randomised
    assert found.part == pytest.approx((middle - math.sqrt(middle**2 - 4 * t * direct)) / (2 * t), rel=0.01)


@pytest.mark.parametrize("denial", [0.05, 0.1, 0.2])
def test_no_other_split_finds_it_with_clearly_fewer_people_or_fewer_asked_directly(denial: float) -> None:
    best = SplitSample.fewest_people(ASKED, denial)
    fewer = replace(ASKED, people=math.floor(0.97 * best.people))
    assert max(SplitSample(fewer, denial, part).power for part in np.linspace(0.01, 0.9, 90)) < 0.8 <= best.power
    twice = replace(ASKED, people=2 * best.people)
    least = SplitSample.fewest_directly(twice, denial)
    assert least.power == pytest.approx(0.8)
    assert least.part < best.part
    assert SplitSample(twice, denial, 0.98 * least.part).power < 0.8


def test_more_power_takes_more_people() -> None:
    assert SplitSample.fewest_people(ASKED, 0.1, power=0.9).people > SplitSample.fewest_people(ASKED, 0.1).people


def test_the_price_stands_in_its_sentence() -> None:
    assert SplitSample(ASKED, 0.1, 0.25).text.endswith("Price: about 250 people whose answers are not protected at all.")


def test_a_denial_that_nobody_can_find_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"^To find a denial of .* more than 10,000,000,000 people would be needed: look for a larger one"
    ):
        SplitSample.fewest_people(BreakEven(0.1, 1_000, 0.3), 1e-320)


def test_too_few_people_are_refused_with_how_many_are_needed() -> None:
    needed = SplitSample.fewest_people(ASKED, 0.05)
    with pytest.raises(InputError, match=f"however they are split: {needed.people:,} can"):
        SplitSample.fewest_directly(ASKED, 0.05)


@pytest.mark.parametrize(
    ("denial", "part", "power", "message"),
    [
        (0.0, 0.2, 0.8, "give one above 0, at most the share itself"),
        (0.3, 0.2, 0.8, "give one above 0, at most the share itself"),
        (0.1, 1.0, 0.8, "The part asked directly is 1: give a number between 0 and 1"),
        (0.1, 0.2, 1.0, "The power is 1: give a number from 0.5 to below 1"),
    ],
)
def test_what_is_no_split_is_refused(denial: float, part: float, power: float, message: str) -> None:
    with pytest.raises(InputError, match=message):
        SplitSample.fewest_people(SplitSample(ASKED, denial, part).asked, denial, power=power)
