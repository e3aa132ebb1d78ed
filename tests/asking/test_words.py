"""The words that respondents read: few, none of them technical before the numbers are asked for, and none about lying."""

from __future__ import annotations

import re
from html import unescape

import pytest

from rrcore.asking import LANGUAGES, Screens, respondent_form
from rrcore.asking.languages import language
from rrcore.asking.preview import Part
from rrcore.promise.weights import MatrixWeights
from rrcore.table.schema import Attribute
from tests.asking.test_form import one

DIE = one(MatrixWeights(((5, 1), (1, 5))))
MOST_WORDS = 120

TECHNICAL = {
    "en": "odds|random|randomi[sz]|probabilit|mechanism|algorithm|checksum|fingerprint|SHA|hash|statistic|estimat|privacy|encrypt|matrix|bit|"
    "nats?|epsilon|differential|distribution|sampl|percent|entropy|server|JSON",
    "es": "posibilidades|aleatori|probabilid|mecanismo|algoritmo|huella|SHA|estad[ií]stic|estimaci|privacidad|cifrad|matriz|entrop|JSON",
    "de": "Chancen|Wahrscheinlich|Mechanismus|Algorithm|Fingerabdruck|SHA|Statisti|Schätz|verschlüssel|Matrix|Entropie|JSON",
    "it": "scommess|probabilit|meccanismo|algoritmo|impronta|SHA|statistic|stim[ae]|cifrat|matrice|entropia|JSON",
    "fr": "cote|aléatoire|brouill|probabilit|mécanisme|algorithme|empreinte|SHA|statisti|estimati|chiffr|matrice|entropie|JSON",
    "pt": "chances|aleat[oó]ri|probabilid|mecanismo|algoritmo|impressão|SHA|estatístic|estimat|privacidade|criptograf|matriz|entropia|JSON",
}
"""Beginnings of technical words."""

LYING = {
    "en": r"lie|lies|lied|lying|liar\w*|false\w*|untrue|untruth\w*|decei\w*|cheat\w*|fake\w*",
    "es": r"ment\w+|fals\w+|engañ\w+",
    "de": r"lüg\w*|gelogen|falsch\w*|unwahr\w*|täusch\w*|betrüg\w*|schwindel\w*",
    "it": r"ment(?:ire|e|ito)|menzogn\w+|bugi\w+|fals\w+|ingann\w+",
    "fr": r"ment(?:ir|euse|eur|onge)\w*|mens\w+|faux|fauss\w*|tromp\w+",
    "pt": r"ment(?:ir|e|iu|ira)\w*|fals\w+|engan\w+",
}
"""Words about lying."""


def read(code: str, part: Part, screens: Screens = Screens(), **more: object) -> str:  # noqa: B008
    """What is seen of a screen, of the form's own: without the survey's title and introduction."""
    form = respondent_form(DIE, title="-", language=code, screens=screens, **more)
    section = re.search(rf'<section id="{part}"[^>]*>(.*?)</section>', form, re.DOTALL)[1]
    unseen = r'<p id="unready".*?</p>|<noscript>.*?</noscript>|<(\w+)[^>]* hidden>.*?</\1>'
    below = re.search(r"<footer>.*?(<summary>.*?</summary>)", form, re.DOTALL)[1]
    return unescape(re.sub(r"<[^>]*>", " ", re.sub(unseen, "", section, flags=re.DOTALL) + below))


def words(text: str) -> list[str]:
    return re.findall(r"\w[\w’'-]*", text)


@pytest.mark.parametrize("code", LANGUAGES)
def test_few_words_come_before_the_practice_item(code):
    assert 60 < len(words(read(code, "before"))) < len(words(read(code, "before", Screens(common=10)))) <= MOST_WORDS
    marked = read(code, "before", Screens(common=10), unrandomized=[Attribute("region", ("north", "south"))])
    assert len(words(marked)) <= MOST_WORDS


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_technical_word_comes_before_the_questions(code):
    found = {part: re.findall(rf"\b(?:{TECHNICAL[code]})\w*", read(code, part), re.IGNORECASE) for part in ("before", "practice")}
    assert found == {"before": [], "practice": []}
    assert len(words(read(code, "practice"))) > 25


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_list_of_technical_words_finds_them_in_the_part_with_the_numbers(code):
    form = respondent_form(DIE, title="-", language=code)
    numbers = form[form.index('<details id="numbers">') : form.index("</footer>")]
    assert len(set(re.findall(rf"\b(?:{TECHNICAL[code]})\w*", re.sub("<[^>]*>", " ", numbers)))) > 2


@pytest.mark.parametrize("code", LANGUAGES)
def test_nothing_that_respondents_read_speaks_of_lying(code):
    """Form, script, sheet, invitation, pages of the receiver and forms of other tools alike."""
    said = [(section, key, text) for section, texts in language(code).sections.items() for key, text in texts.items()]
    assert [entry for entry in said if re.search(rf"\b(?:{LYING[code]})\b", entry[2], re.IGNORECASE)] == []
    assert len(said) > 60


def test_sentences_before_the_practice_item_are_short():
    """At most 26 words each."""
    text = read("en", "before", Screens(common=10))
    sentences = [words(sentence) for sentence in re.split(r"[.:?]\s", text)]
    assert max(map(len, sentences)) <= 26


def test_the_explanation_can_be_read_at_the_age_of_twelve():
    """Grade 6.5 of Flesch and Kincaid (Kincaid et al. 1975) at most, which is for people of about twelve; syllables are runs of vowels."""
    text = " ".join(read("en", part) for part in ("before", "practice"))
    sentences = [sentence for sentence in re.split(r"[.:?!]\s|\s{2,}", text) if len(words(sentence)) > 2]
    spoken = [word.lower() for sentence in sentences for word in words(sentence)]
    syllables = sum(max(1, len(re.findall("[aeiouy]+", re.sub("e$", "", word)))) for word in spoken)
    grade = 0.39 * len(spoken) / len(sentences) + 11.8 * syllables / len(spoken) - 15.59
    assert 1 < grade <= 6.5
