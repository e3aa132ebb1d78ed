"""Which questions may be asked unrandomized, and what is said of how far they tell people apart."""

from __future__ import annotations

import pytest

from rrcore.asking.unrandomized import all_asked, identifying_sentence
from rrcore.errors import InputError
from rrcore.limits import MAX_UNRANDOMIZED
from rrcore.mark import simulation_mark
from rrcore.table.schema import Attribute, Schema

SMOKES = Schema((Attribute("smokes", ("no", "yes")),))


def known(*names: str, size: int = 3) -> list[Attribute]:
    return [Attribute(name, tuple(map(str, range(size)))) for name in names]


@pytest.mark.parametrize("name", ["smokes", "mechanism", "rr_release", simulation_mark(3)])
def test_a_name_that_means_something_else_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="has the same name as"):
        all_asked(SMOKES, known(name))
    with pytest.raises(InputError, match="has the same name as another question"):
        all_asked(SMOKES, known("region", "region"))


def test_they_stand_behind_the_randomized_ones_and_are_limited() -> None:
    assert all_asked(SMOKES, known("region", "day")).names == ("smokes", "region", "day")
    all_asked(SMOKES, known(*map(str, range(MAX_UNRANDOMIZED))))
    with pytest.raises(InputError, match=f"at most {MAX_UNRANDOMIZED}"):
        all_asked(SMOKES, known(*map(str, range(MAX_UNRANDOMIZED + 1))))


def test_the_number_of_kinds_of_people_is_said_before_anybody_answers() -> None:
    assert identifying_sentence([], 100) == ""
    few = identifying_sentence(known("region", "sex", size=4), 1_000)
    assert few.startswith("region and sex form 16 groups, each of about 62 of 1,000 people")
    many = identifying_sentence(known("postcode", "age", "sex", size=20), 1_000)
    assert many.startswith("postcode, age and sex form 8,000 groups, more than the sample size of 1,000")
