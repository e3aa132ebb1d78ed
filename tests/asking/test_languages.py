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
from rrcore.asking.languages import language
from rrcore.asking.page import asset
from rrcore.errors import InputError
from rrcore.promise.weights import MatrixWeights
from tests.asking.make_form_vectors import planned
from tests.asking.test_form import one

FOLDER = Path(languages.__file__).parent
ASSETS = FOLDER.parent / "assets"
OTHERS = [code for code in LANGUAGES if code != "en"]


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


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
    for section in english:
        if section == "name":
            continue
        assert list(other[section]) == list(english[section])
        for key, text in english[section].items():
            assert placeholders(other[section][key]) == placeholders(text), (section, key)
            assert other[section][key].strip(" ") == other[section][key]
            assert bool(other[section][key]) == bool(text)


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
    shown = "\n".join(scripts[name] for name in ("form.js", "handing.js", "handing_on.js", "practice.js"))
    quoted = re.findall(r"\"[^\"\n]*\"|`[^`\n]*`", shown)
    sentences = {text for text in quoted if re.search(r"[a-z]+ [a-z]+", text)}
    assert sentences <= {'"use strict"', '"main > section"'}
    assert set(re.findall(r"\btext\(\"(\w+)\"", shown)) == set(language("en").sections["script"])


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize("address", ["", "https://example.org/in"])
def test_a_form_speaks_one_language_only(code, address):
    kinds = [
        planned("optimal", (2, 2, 13), (0.5, 0.7, 0.9)),
        one(MatrixWeights(((2, 0), (1, 1)))),
        one(MatrixWeights(((5, 1), (2, 4)))),
    ]
    for file in kinds:
        form = respondent_form(file, title="-", address=address, language=code)
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
        "83.3\u00a0%", "> 99.9\u00a0%", "1.50", "2,490", "22,000", "1.23 million", "12.3 million", "2.50 × 10^12",
    ]  # fmt: skip
    assert written("es") == [
        "83,3\u00a0%", "> 99,9\u00a0%", "1,50", "2490", "22\u202f000", "1,23 millones", "12,3 millones", "2,50 × 10^12",
    ]  # fmt: skip
    assert written("fr") == [
        "83,3\u00a0%", "> 99,9\u00a0%", "1,50", "2\u202f490", "22\u202f000", "1,23 million", "12,3 millions", "2,50 × 10^12",
    ]  # fmt: skip
    assert written("pt") == [
        "83,3%", "> 99,9%", "1,50", "2.490", "22.000", "1,23 milhão", "12,3 milhões", "2,50 × 10^12",
    ]  # fmt: skip


def test_an_unknown_language_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match=rf"no texts in the language 'xx': choose among {', '.join(LANGUAGES)}\."):
        respondent_form(planned("kronecker", (2,), (1,)), title="Survey", language="xx")
