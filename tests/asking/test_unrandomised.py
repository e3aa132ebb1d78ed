"""Which questions may be asked unrandomised, and what is said of how far they tell people apart."""

from __future__ import annotations

import pytest

from rrcore.asking.unrandomised import all_asked, told_apart_sentence
from rrcore.errors import InputError
from rrcore.limits import MAX_UNRANDOMISED
from rrcore.mark import simulation_mark
from rrcore.table.schema import Attribute, Schema

SMOKES = Schema((Attribute("smokes", ("no", "yes")),))


def known(*names: str, size: int = 3) -> list[Attribute]:
    return [Attribute(name, tuple(map(str, range(size)))) for name in names]


@pytest.mark.parametrize("name", ["smokes", "mechanism", "rr_release", simulation_mark(3)])
def test_a_name_that_means_something_else_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"is called like .*: give it a name of its own"):
        all_asked(SMOKES, known(name))
    with pytest.raises(InputError, match="is called like another one"):
        all_asked(SMOKES, known("region", "region"))


def test_they_stand_behind_the_randomised_ones_and_are_limited() -> None:
    assert all_asked(SMOKES, known("region", "day")).names == ("smokes", "region", "day")
    all_asked(SMOKES, known(*map(str, range(MAX_UNRANDOMISED))))
    with pytest.raises(InputError, match=f"the limit is {MAX_UNRANDOMISED}"):
        all_asked(SMOKES, known(*map(str, range(MAX_UNRANDOMISED + 1))))


def test_the_number_of_kinds_of_people_is_said_before_anybody_answers() -> None:
    assert told_apart_sentence([], 100) == ""
    few = told_apart_sentence(known("region", "sex", size=4), 1_000)
    assert few.startswith("region and sex tell 16 kinds of people apart, of 1,000 people about 62 in each")
    many = told_apart_sentence(known("postcode", "age", "sex", size=20), 1_000)
    assert many.startswith("postcode, age and sex tell 8,000 kinds of people apart, more than the 1,000 people who are to answer")
