"""Sheets to print: the instructions, what they promise, and nothing loaded from anywhere."""

from __future__ import annotations

import re

import pytest

from rrcore.answers import nigeria
from rrcore.asking import LANGUAGES
from rrcore.asking.languages import language
from rrcore.asking.paper import DEVICES, nearest, read_device, sheets
from rrcore.designs import read_design
from rrcore.errors import InputError
from rrcore.promise import MechanismFile
from rrcore.table.schema import Attribute, Schema
from tests.asking.test_form import HOSTILE, Document


def survey(device: str):
    schema = Schema(
        (Attribute("used", ("no", "yes")), Attribute("region", ("north", "south", "east")), Attribute("paid", ("no", "yes")))
    )
    designs = (("forced", "2/3, 1/6, 1/6"), ("k-ary", "1/2"), ("warner", "1/5"))
    groups = tuple(
        ((place,), read_design(name, key, attribute.size, numbers))
        for place, (name, attribute, (key, numbers)) in enumerate(zip(schema.names, schema.attributes, designs, strict=True))
    )
    return nearest(MechanismFile(schema, groups), read_device(device))


def lines(html: str) -> list[str]:
    return [
        re.sub(r"<[^>]*>", "", item).replace("&nbsp;", " ")
        for item in re.findall(r"<li>(.*?)</li>", html.partition('class="cards"')[2])
    ]


def test_the_card_of_the_niger_delta_survey():
    html = sheets(nearest(nigeria().mechanism, read_device("die")), title="Niger Delta", questions={})
    assert lines(html) == ["1: say “no”", "2 to 5: give your true answer", "6: say “yes”"]
    assert nigeria().mechanism.sha256 in html
    assert "exactly as planned" in html
    assert "The reported answer is the true one 83.3&nbsp;% of the time." in html
    assert "by at most 5.00 times." in html


def test_a_design_that_is_only_near_says_what_it_costs():
    html = sheets(nearest(nigeria().mechanism, read_device("coins-2")), title="Niger Delta", language="fr")
    assert "il faut 1,78 fois le nombre de personnes prévu" in html
    assert lines(html)[0] == "pile, pile : dites « no »"
    assert nearest(nigeria().mechanism, read_device("coins-2")).mechanism.sha256 in html


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("device", [key for key in DEVICES if key not in ("coin", "coins-2")])
def test_every_device_has_sheets_in_every_language(code, device):
    made = survey(device)
    html = sheets(made, title="-", language=code)
    assert f'<html lang="{code}">' in html
    assert html.count('<article class="card">') == 3
    assert ("<svg" in html) == (device == "spinner")
    assert "$" not in html
    for other in set(LANGUAGES) - {code}:
        for key, text in language(other).sections["sheet"].items():
            words = max(re.split(r"\{\w+\}", text), key=len)
            assert len(words) < 12 or words == language(code).sections["sheet"][key] or words not in html, words


def test_long_lists_are_what_is_left():
    assert lines(sheets(survey("deck"), title="-"))[:3] == [
        "A, 2, 3♠: say “no”",
        "J♣, Q, K: say “yes”",
        "anything else: give your true answer",
    ]
    coins = lines(sheets(survey("coins-3"), title="-", language="es"))
    assert coins[:3] == [
        "cara, cara, cara: diga «no»",
        "cruz, cruz, cruz: diga «yes»",
        "cualquier otro resultado: dé su respuesta verdadera",
    ]


def test_paper_sizes_and_what_is_refused():
    assert "size: A4;" in sheets(survey("die"), title="-")
    assert "size: letter;" in sheets(survey("die"), title="-", paper="letter")
    with pytest.raises(InputError, match="There is no paper 'a5': choose among a4, letter"):
        sheets(survey("die"), title="-", paper="a5")
    with pytest.raises(InputError, match="The title of the form has 0 characters"):
        sheets(survey("die"), title=" ")


def test_hostile_texts_stay_texts_and_nothing_is_loaded():
    schema = Schema(tuple(Attribute(name, HOSTILE[:4]) for name in HOSTILE[:4]))
    groups = tuple(((place,), read_design(name, "k-ary", 4, "1/2")) for place, name in enumerate(schema.names))
    html = sheets(
        nearest(MechanismFile(schema, groups), read_device("cards-20")), title=HOSTILE[0], questions={HOSTILE[0]: HOSTILE[1]}
    )
    document = Document(html)
    assert not document.all("script")
    assert not document.all("img")
    assert document.policy["default-src"] == ["'none'"]
    assert document.policy["script-src"] == ["'none'"]
    assert document.text("title") == [HOSTILE[0]]


def test_each_question_may_have_a_device_of_its_own():
    planned = survey("spinner").mechanism
    kinds = {"used": read_device("die"), "region": read_device("cards-10"), "paid": read_device("deck")}
    mixed = nearest(planned, kinds)
    for place, question in enumerate(mixed.questions):
        alone = nearest(planned, kinds[question.name])
        assert (question.device.key, question.weights) == (kinds[question.name].key, alone.questions[place].weights)
        assert mixed.levels[place] == alone.levels[place]
    html = sheets(mixed, title="Pilot")
    rows, cards = html.partition('class="cards"')[::2]
    for told in ("Throw a die.", "Draw one of 10 cards", "Draw one of the 52 playing cards"):
        assert rows.count(told) == 1  # the interviewer brings all three
        assert cards.count(told) == 1
    assert "Throw a die." not in sheets(nearest(planned, kinds["used"]), title="Pilot").partition('class="cards"')[0]


@pytest.mark.parametrize("names", [("used", "region"), ("used", "region", "paid", "age")])
def test_devices_of_some_questions_or_of_strangers_are_refused(names):
    with pytest.raises(InputError, match=r"'(paid|age)' has no device, or is no question"):
        nearest(survey("spinner").mechanism, {name: read_device("die") for name in names})
