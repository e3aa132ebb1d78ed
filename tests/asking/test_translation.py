"""What a team typed in further languages: checked against the questions, and shown in place of what was typed first."""

from __future__ import annotations

import pytest

from rrcore.asking.translation import Translation
from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT
from rrcore.table.schema import Attribute

ASKED = (Attribute("smokes", ("no", "yes")), Attribute("region", ("north", "south", "east")))


def test_what_is_blank_is_shown_as_it_was_typed_first() -> None:
    french = Translation("Santé", " ", {"smokes": "Fumez-vous ?", "region": " "}, {"region": ("nord", " ", "est")})
    french.check("fr", ASKED)
    assert french.over("Health", "Thank you", {"region": "Where?"}) == (
        "Santé", "Thank you", {"region": "Where?", "smokes": "Fumez-vous ?"},
    )  # fmt: skip
    assert [french.shown(each) for each in ASKED] == [("no", "yes"), ("nord", "south", "est")]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Translation(title="x" * (MAX_TEXT + 1)), "Use at most"),
        (Translation(questions={"age": "Âge ?"}), "has the question 'age'"),
        (Translation(categories={"age": ("a", "b")}), "has the question 'age'"),
        (Translation(categories={"region": ("nord", "sud")}), "has 2 answers to 'region', but the survey has 3"),
        (Translation(categories={"region": ("nord", "nord", "est")}), "has the answer 'nord' to 'region' twice"),
        (Translation(categories={"region": ("south", "", "est")}), "has the answer 'south' to 'region' twice"),
        (Translation(categories={"smokes": ("non", "x" * (MAX_TEXT + 1))}), "has an answer to 'smokes' of 501 characters"),
    ],
)
def test_what_does_not_fit_the_questions_is_refused(wrong: Translation, message: str) -> None:
    with pytest.raises(InputError) as caught:
        wrong.check("fr", ASKED)
    assert str(caught.value).startswith("The translation 'fr' ")
    assert message in str(caught.value)
