"""The languages of respondents: complete, alike, and numbers written as each of them does."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from string import Formatter

import pytest

import rrcore.asking.languages as languages
from rrcore.asking import LANGUAGES, respondent_form
from rrcore.asking.languages import HEAD, Language, language, read_file
from rrcore.asking.shared_parts import asset
from rrcore.designs import read_question
from rrcore.errors import InputError
from rrcore.promise import MechanismFile
from rrcore.promise.weights import MatrixWeights
from rrcore.table import Attribute, Schema
from tests.asking.make_form_vectors import planned
from tests.asking.test_form import one

FOLDER = Path(languages.__file__).parent
ASSETS = FOLDER.parent / "assets"
OTHERS = [code for code in LANGUAGES if code != "en"]


def placeholders(text):
    """The placeholders of a text, as they are written; a lone brace where it cannot be filled."""
    try:
        parts = list(Formatter().parse(text))
    except ValueError:
        return {"{"}
    return {
        f"{{{name}{'!' + how if how else ''}{':' + spec if spec else ''}}}" for _, name, spec, how in parts if name is not None
    }


def test_every_language_has_a_code_and_its_own_name_and_english_is_the_first():
    assert next(iter(LANGUAGES.items())) == ("en", "English")
    assert all(re.fullmatch("[a-z]{2}", code) for code in LANGUAGES)
    assert len(set(LANGUAGES.values())) == len(LANGUAGES)
    for code, name in LANGUAGES.items():
        assert language(code).name == name


@pytest.mark.parametrize("code", OTHERS)
def test_all_languages_say_the_same_things_with_the_same_placeholders(code):
    english, other = (json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")) for name in ("en", code))
    assert list(other) == list(english)
    assert list(other["numbers"]) == list(english["numbers"])
    for section in english.keys() - set(HEAD):
        assert list(other[section]) == list(english[section])
        for key, entry in english[section].items():
            text = other[section][key]["text"]
            assert placeholders(text) == placeholders(entry["text"]), (section, key)
            assert text.strip(" ") == text != ""


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_translator_reads_what_each_text_is_for_and_how_long_it_may_be(code):
    """The same in every file, so that a translator needs no other; the room is enough for all languages that there are."""
    english, own = read_file("en"), read_file(code)
    assert (own["code"], own["direction"]) == (code, "ltr")
    for section in english.keys() - set(HEAD):
        for key, entry in own[section].items():
            assert set(entry) == {"text", "context", "length", "reviewed_by"}
            assert entry["context"].endswith(".")
            assert (entry["context"], entry["length"]) == (english[section][key]["context"], english[section][key]["length"])
            assert len(entry["text"]) <= entry["length"], (section, key)
            known = placeholders(re.sub(r"[^{}a-z]", "", entry["context"]))
            assert entry["context"].startswith("As '") or placeholders(entry["text"]) <= known, (section, key)


def test_what_no_native_speaker_has_read_says_so_until_every_text_is_signed_off():
    assert language("en").status == ""
    document = read_file("it")
    assert Language.of(document).unread == sum(map(len, language("it").sections.values()))
    form = respondent_form(planned("independent", (2,), (1,)), title="-", language="it")
    assert '<meta name="translation" content="Italiano (it): ' in form
    texts = [entry for section in document.keys() - set(HEAD) for entry in document[section].values()]
    for entry in texts[1:]:
        entry["reviewed_by"] = "Ada"
    assert Language.of(document).status.startswith("Italiano (it): ")
    texts[0]["reviewed_by"] = "Ada"
    assert Language.of(document).status == ""
    form = respondent_form(planned("independent", (2,), (1,)), title="-", sentences=Language.of(document))
    assert "native speaker" not in form


@pytest.mark.parametrize("code", OTHERS)
def test_no_sentence_is_left_in_english(code):
    english, other = language("en"), language(code)
    for section, texts in english.sections.items():
        alike = {
            key
            for key, text in texts.items()
            if other.sections[section][key] == text and re.search(r"[a-z]{3}.* ", re.sub(r"{.*?}", "", text))
        }
        assert not alike, section


def test_what_a_design_has_people_report_is_said_in_their_language_and_sent_as_the_mechanism_file_says():
    asked = [Attribute("smokes", ("nein", "ja")), Attribute("drinks", ("nein", "ja"))]
    weights, reports = zip(
        read_question(asked[0], "triangular", "1/4"), read_question(asked[1], "kuk", "3/5, 1/5, 2"), strict=True
    )
    file = MechanismFile(Schema(tuple(asked)), (((0,), weights[0]), ((1,), weights[1])), reports=Schema(reports))
    for code, expected in (
        ("de", ["0 rote", "1 rote", "2 rote"]),
        ("fr", [f"rouges\N{NO-BREAK SPACE}: {number}" for number in range(3)]),
    ):
        form = respondent_form(file, title="-", language=code)
        data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', form, re.DOTALL)[1])
        assert data["languages"][code]["shown"][1] == expected
        assert [each["name"] for each in data["mechanism"]["attributes"]] == ["smokes", "drinks"]
        assert json.dumps(["circle", "triangle"]) in json.dumps(data["mechanism"])


def test_french_is_set_with_its_apostrophe_and_spaces_that_do_not_break():
    for texts in language("fr").sections.values():
        for text in texts.values():
            assert "'" not in text
            assert not re.search(r" [:;?!»]|« ", text), text


def test_screens_and_scripts_hold_no_words_of_their_own():
    pages = [asset("form.html"), *(path.read_text("utf-8") for path in (ASSETS / "screens").iterdir())]
    for html in pages:
        page = re.sub(r"<style>.*?</style>|<script.*?</script>|<[^>]*>|\$\w+", "", html, flags=re.DOTALL)
        assert not re.search(r"[^\W\d_]", page), page.split()
    scripts = {
        path.name: re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL) for path in ASSETS.glob("*.js")
    }
    shown = "\n".join(scripts[name] for name in ("form.js", "submission.js", "next_person.js", "languages.js", "practice.js"))
    quoted = re.findall(r"\"[^\"\n]*\"|`[^`\n]*`", shown)
    sentences = {text for text in quoted if re.search(r"[a-z]+ [a-z]+", text)}
    assert sentences <= {'"use strict"', '"main > section"'}
    assert set(re.findall(r"\btext\(\"(\w+)\"", shown)) == set(language("en").sections["script"])


@pytest.mark.parametrize("code", OTHERS)
def test_a_form_speaks_one_language_only(code):
    kinds = [
        planned("optimal", (2, 2, 13), (0.5, 0.7, 0.9)),
        one(MatrixWeights(((2, 0), (1, 1)))),
        one(MatrixWeights(((5, 1), (2, 4)))),
    ]
    for file in kinds:
        form = respondent_form(file, title="-", address="https://example.org/in", language=code)
        assert f'<html lang="{code}">' in form
        for texts in language("en").sections.values():
            for text in texts.values():
                words = max(re.split(r"\{\w+\}", text), key=len)
                assert len(words.split()) < 3 or words not in form, words
        assert "$" not in re.sub(r"<script>.*?</script>", "", form, flags=re.DOTALL)


def test_numbers_are_written_as_each_language_does():
    def written(code: str) -> list[str]:
        lang = language(code)
        factors = [
            Fraction(3, 2),
            Fraction(2490),
            Fraction(22_000),
            Fraction(1_230_000),
            Fraction(12_300_000),
            Fraction(25 * 10**11),
        ]
        return [lang.percent(0.8333), lang.percent(0.9999), *map(lang.factor, factors)]

    assert written("en") == [
        "83.3%", "> 99.9%", "1.50", "2,490", "22,000", "1.23 million", "12.3 million", "2.50 × 10^12",
    ]  # fmt: skip
    assert written("es") == [
        "83,3\u00a0%", "> 99,9\u00a0%", "1,50", "2490", "22\u202f000", "1,23 millones", "12,3 millones", "2,50 × 10^12",
    ]  # fmt: skip
    assert written("fr") == [
        "83,3\u00a0%", "> 99,9\u00a0%", "1,50", "2\u202f490", "22\u202f000", "1,23 million", "12,3 millions", "2,50 × 10^12",
    ]  # fmt: skip
    for code, percent in (("de", "\u00a0%"), ("it", "%")):
        one, more = {"de": ("Million", "Millionen"), "it": ("milione", "milioni")}[code]
        assert written(code)[:5] == [f"83,3{percent}", f"> 99,9{percent}", "1,50", "2490", "22.000"]
        assert written(code)[5:] == [f"1,23 {more}", f"12,3 {more}", "2,50 × 10^12"]
        assert language(code).factor(Fraction(10**6)) == f"1 {one}"
    assert written("pt") == [
        "83,3%", "> 99,9%", "1,50", "2.490", "22.000", "1,23 milhão", "12,3 milhões", "2,50 × 10^12",
    ]  # fmt: skip


def test_an_unknown_language_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match=rf"'xx' .* {', '.join(LANGUAGES)}\."):
        respondent_form(planned("independent", (2,), (1,)), title="Survey", language="xx")
