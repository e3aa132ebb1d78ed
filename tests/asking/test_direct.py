"""A form that deals people out: what it draws with, what either part reads, and the survey file that says so."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import numpy as np
import pytest

import rrcore as rr
from rrcore.asking import LANGUAGES, SurveyFile
from rrcore.asking.languages import language as language_of
from rrcore.asking.screens import PLAIN
from rrcore.errors import InputError
from rrcore.promise import DIRECTLY, RANDOMISED, MechanismFile, direct_file, randomise
from rrcore.promise.weights import MatrixWeights
from rrcore.table import Attribute, Dataset, Schema

SCHEMA = Schema((Attribute("cheated", ("no", "yes")), Attribute("age", ("young", "middle", "old"))))
FILE = MechanismFile(SCHEMA, rr.integer_groups(rr.build("kronecker", (2, 3), [1.5, 1.0])))


def survey(directly: int, **more: object) -> SurveyFile:
    return SurveyFile(FILE, "Pilot", directly=directly, **more)  # type: ignore[arg-type]


def data(form: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', form, re.DOTALL)
    assert found
    return dict(json.loads(found[1]))


@pytest.mark.parametrize("directly", [1, 25, 90])
def test_people_are_dealt_out_with_exactly_the_stated_probability(directly: int) -> None:
    direct = data(survey(directly).form())["direct"]
    assert isinstance(direct, dict)
    assert direct["mechanism"]["sha256"] == direct_file(SCHEMA).sha256
    (group,) = direct["deal"]["randomization"]
    rows = [[int(weight) for weight in row] for row in group["matrix"]]
    assert Fraction(rows[0][1], sum(rows[0])) == Fraction(directly, 100)


def test_the_sampler_deals_as_many_as_it_says() -> None:
    """The deal as a mechanism file, by the sampler whose draws the form's equal: 4,000 of 16,000 but for 5 standard deviations of 55."""
    schema = Schema((Attribute("part", ("randomised", "directly")),))
    deal = MechanismFile(schema, (((0,), MatrixWeights(((75, 25), (25, 75)))),))
    drawn = randomise(deal, Dataset(schema, np.zeros((16_000, 1), dtype=np.int32)))
    assert abs(int(drawn.codes.sum()) - 4_000) < 5 * 55


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("screens", [PLAIN, None])
def test_who_is_asked_directly_reads_that_nothing_protects_them(language: str, screens: object) -> None:
    more = {} if screens is None else {"screens": screens}
    form = survey(25, language=language, **more).form()
    before = form[form.index('<section id="before"') : form.index("</section>")]
    heading, told = re.findall(r'<(?:span|div) data-arm="directly" hidden>(.*?)</(?:span|div)>', before, re.DOTALL)[-2:]
    assert heading == language_of(language).html("form", "directly")
    assert told.startswith(f'<p class="notice">{language_of(language).html("form", "directly_told", share="25")}</p>')


def test_without_a_direct_part_nothing_of_it_is_in_the_form() -> None:
    form = survey(0).form()
    assert "data-arm=" not in form
    assert "direct" not in data(form)
    assert form != survey(1).form()


def test_a_survey_file_keeps_it_and_a_survey_without_stays_as_it_was() -> None:
    asked = survey(25)
    assert SurveyFile.from_json(asked.to_json()) == asked
    assert "directly" not in json.loads(survey(0).to_json())


def test_answers_are_read_by_both_files() -> None:
    assert [name for name, _ in survey(25).read_by.files] == [RANDOMISED, DIRECTLY]
    assert survey(0).read_by is FILE


@pytest.mark.parametrize(
    ("directly", "more", "message"),
    [
        (91, {}, "Of 100 people 91 are to be asked directly: give 1 to 90"),
        (-1, {}, "Of 100 people -1 are to be asked directly"),
    ],
)
def test_what_cannot_be_dealt_is_refused(directly: int, more: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        survey(directly, **more)


def test_a_file_that_randomises_nothing_has_no_direct_part() -> None:
    with pytest.raises(InputError, match="randomises nothing"):
        SurveyFile(direct_file(SCHEMA), "Pilot", directly=25)
