"""Forms in several languages with questions that are not randomized; a team's own texts, also from right to left."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from rrcore.asking import LANGUAGES, Screens, SurveyFile, form_fingerprint, respondent_form
from rrcore.asking.languages import Language, language, read_file
from rrcore.asking.more_languages import further_texts
from rrcore.asking.picture import declined, picture_of
from rrcore.asking.preview import preview
from rrcore.asking.translation import Translation
from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.promise import MechanismFile, integer_groups
from rrcore.table.schema import Attribute, Schema
from tests.asking.test_form import Document
from tests.asking.twin import in_language
from tests.programs import node

ASKED = Schema((Attribute("smokes", ("no", "yes")), Attribute("health", ("good", "fair", "poor"))))
MECHANISM = MechanismFile(ASKED, integer_groups(build("preserving-2", ASKED.sizes, (1.0, 1.5))))
REGION = Attribute("region", ("north", "the whole of the <south>"))
FRENCH = Translation("Santé", "Merci.", {"smokes": "Fumez-vous ?"}, {"smokes": ("non", "oui"), "region": ("nord", "sud")})
SURVEY = SurveyFile(
    MECHANISM, "Health", order=("region", "health", "smokes"), unrandomized=(REGION,), translations={"fr": FRENCH}
)


def test_an_unrandomized_question_is_marked_where_it_is_asked_and_where_numbers_are_told() -> None:
    form = SURVEY.form()
    asked = [each for each in Document(form).all("fieldset") if each["id"] != "questionpractice"]
    assert [each["id"] for each in asked] == ["question2", "question1", "question0"]
    assert ["unrandomized" in str(each["class"]) for each in asked] == [True, False, False]
    own = form.partition('<script type="application/json"')[0]
    say = language("en").sections["form"]
    assert own.count(say["sent_as_is"]) == 1  # the report's is said by the script
    assert own.count(say["except_marked"]) == 3  # where the form begins, where the report is, and above the exact numbers
    total = own.index(language("en").text("form", "whole_record"))
    assert say["total_without"] in own[total:]
    plain = SurveyFile(MECHANISM, "Health").form()
    assert not any(say[key] in plain for key in ("except_marked", "total_without"))
    assert '"unrandomized":[]' in plain


def test_picture_and_promise_are_those_of_the_randomized_questions_alone() -> None:
    found, plain = (
        Document(survey.form()).data for survey in (SURVEY, SurveyFile(MECHANISM, "Health", order=("health", "smokes")))
    )
    assert found["mechanism"] == plain["mechanism"]
    assert found["practice"] == plain["practice"]
    assert found["languages"]["en"]["notes"][:2] == plain["languages"]["en"]["notes"]
    assert found["unrandomized"] == [{"name": "region", "categories": list(REGION.categories)}]


def test_each_language_has_all_texts_and_the_same_numbers_of_answers() -> None:
    form = SURVEY.form()
    own, french = Document(form), Document(in_language(form, "fr"))
    for tag in ("section", "fieldset", "input"):
        kept = ("id", "name", "value")
        assert [[each.get(key) for key in kept] for each in own.all(tag)] == [
            [each.get(key) for key in kept] for each in french.all(tag)
        ]
    assert {"Fumez-vous ?", "region", "oui", "sud"} <= set(french.text("span"))
    assert french.text("h1") == ["Santé"]
    said = own.data["languages"]
    assert list(said) == ["en", "fr"]
    assert [each["shown"][0] for each in said.values()] == [["no", "yes"], ["non", "oui"]]
    assert [each["shown"][2] for each in said.values()] == [list(REGION.categories), ["nord", "sud"]]
    assert said["fr"]["texts"].items() <= language("fr").sections["script"].items()
    assert [button["lang"] for button in own.all("button") if "lang" in button] == ["en", "fr"]
    assert "page" not in said["en"]


def test_texts_that_are_the_same_are_written_once() -> None:
    first = '<p title="a">one <b>2</b></p>\n<noscript>none</noscript><p>three</p><p>one </p><p>\u00a0</p><p> </p>'
    further = first.replace("one", "<i>".replace("<", "&lt;")).replace("three", "trois\r\nquatre").replace("\u00a0", "&nbsp;cinq")
    assert further_texts(first, further) == ["<i> ", "", "trois\nquatre", 0, "\u00a0cinq"]


def test_a_form_in_all_languages_is_light() -> None:
    """Below 120 kB with picture and every script, for whatever the team chooses; a further language is 10 kB of it."""
    unrandomized = (REGION, Attribute("age", ("under 30", "30 to 59", "60 and more")))
    asked = {name: f"What do you say about {name}, all in all?" for name in ("smokes", "health", "region", "age")}
    typed = {code: Translation("Santé", "Merci.", asked, FRENCH.categories) for code in LANGUAGES if code != "en"}
    texts = {
        "title": "Health",
        "introduction": "Thank you.",
        "questions": asked,
        "translations": typed,
        "unrandomized": unrandomized,
    }
    sent = {"address": "https://survey.example.org/answers", "invitations": "ab" * 256}
    handed_on = respondent_form(MECHANISM, **texts, **sent, screens=Screens(common=10, interviewer=True))
    assert len(LANGUAGES) > 5
    for form in (handed_on, respondent_form(MECHANISM, **texts)):
        assert list(Document(form).data["languages"]) == list(LANGUAGES)
        assert len(form.encode()) < 120_000
    alone = len(SurveyFile(MECHANISM, "Health").form().encode())
    assert 7_000 < len(SurveyFile(MECHANISM, "Health", translations={"fr": Translation()}).form().encode()) - alone < 12_000


def test_an_introduction_that_only_a_translation_has_is_seen_there_alone() -> None:
    form = SURVEY.form()
    assert '<p class="introduction" dir="auto" hidden>&nbsp;</p>' in form
    assert '<p class="introduction" dir="auto">Merci.</p>' in in_language(form, "fr")
    assert 'class="introduction"' not in SurveyFile(MECHANISM, "Health").form()
    assert '<p class="introduction" dir="auto">Thanks.</p>' in SurveyFile(MECHANISM, "Health", "Thanks.\n").form()


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_title_that_was_left_as_it_is_and_declining_are_said_in_each_language(code) -> None:
    bribe = declined(Attribute("bribe", ("no", "yes")), "fr")
    file = MechanismFile(Schema((bribe,)), integer_groups(build("independent", (3,), (1.0,))))
    own = language(code).text("form", "untitled")
    forms = [respondent_form(file, title="Survey", language=code)]
    if code != "en":
        assert own != "Survey"
        forms.append(in_language(respondent_form(file, title="Survey", translations={code: Translation()}), code))
    for form in forms:
        assert Document(form).text("h1") == [own]
        label = form[form.index('id="question0"') :].partition('class="choice declining"')[2]
        assert re.findall(r'<span dir="auto">(.*?)</span>', label)[0] == language(code).text("form", "prefer_not")
        assert Document(form).data["mechanism"]["attributes"][0]["categories"] == list(
            bribe.categories
        )  # handed in as it was declared
    assert Document(respondent_form(file, title="Pilot", language=code)).text("h1") == ["Pilot"]


def test_a_word_in_any_language_is_another_fingerprint() -> None:
    other = Translation("Santé", "Merci.", {"smokes": "Fumez-vous ?"}, {"smokes": ("non", "ouais"), "region": ("nord", "sud")})
    forms = {
        form_fingerprint(SurveyFile(MECHANISM, "Health", unrandomized=(REGION,), translations={"fr": each}).form())
        for each in (FRENCH, other, Translation())
    }
    assert len(forms) == 3


def test_a_preview_is_seen_in_each_language() -> None:
    seen = preview(SURVEY.form(first="fr"), "questions")
    assert '<html lang="fr"' in seen
    assert "Fumez-vous ?" in seen
    assert "Fumez-vous ?" not in preview(SURVEY.form())


def test_what_cannot_be_offered_is_refused() -> None:
    with pytest.raises(InputError, match="language 'en'"):
        SurveyFile(MECHANISM, "Health", translations={"en": FRENCH})
    with pytest.raises(InputError, match="language 'xx'"):
        SurveyFile(MECHANISM, "Health", translations={"xx": Translation()})
    with pytest.raises(InputError, match="'fr' has 3 answers to 'smokes'"):
        SurveyFile(MECHANISM, "Health", translations={"fr": Translation(categories={"smokes": ("non", "oui", "parfois")})})
    with pytest.raises(InputError, match="'smokes' has the same name"):
        SurveyFile(MECHANISM, "Health", unrandomized=(ASKED.attributes[0],))


def arabic() -> dict:
    """The English file with some sentences in Arabic, as a team would begin."""
    document = read_file("en") | {"code": "ar", "name": "العربية", "direction": "rtl"}
    for key, text in {
        "start": "ابدأ",
        "next": "التالي",
        "sent_as_is": "تُرسل هذه الإجابة كما هي. لا يغيّرها الحظ.",
        "picture": "من بين 100 شخص إجابتهم «{other}»، يرسل {share} «{answer}».",
    }.items():
        document["form"][key] = document["form"][key] | {"text": text}
    return document


def test_texts_of_a_team_are_shown_from_right_to_left_where_they_are_written_so() -> None:
    own = Language.of(arabic())
    form = SurveyFile(MECHANISM, "صحة", unrandomized=(REGION,), translations={"fr": FRENCH}).form(sentences=own)
    assert '<html lang="ar" dir="rtl">' in form
    assert Document(form).data["languages"]["fr"]["direction"] == "ltr"
    assert "تُرسل هذه الإجابة كما هي" in form
    share = picture_of(MECHANISM, SURVEY.screens).share
    assert f"من بين 100 شخص إجابتهم «no»، يرسل {own.of_100(share)} «yes»." in form
    assert '<meta name="translation" content="العربية (ar): not yet read by a native speaker.">' in form
    left_or_right = re.findall(r"(?:margin|padding|border)-(?:left|right)|text-align: (?:left|right)", form)
    assert left_or_right == []  # sides are named by where a line begins and ends


def test_what_is_handed_in_has_one_length_whatever_is_known() -> None:
    """Also where unrandomized answers are long, in other scripts, or hold quotes."""
    unrandomized = [
        {"name": REGION.name, "categories": list(REGION.categories)},
        {"name": 'a "b"', "categories": ["日本語", "\u2028", "x"]},
    ]
    script = """
      const { readFileSync } = require("node:fs");
      const { runInThisContext } = require("node:vm");
      runInThisContext(readFileSync(process.argv[1], "utf8"));
      const [mechanism, unrandomized] = JSON.parse(readFileSync(0, "utf8"));
      const lines = [];
      for (let i = 0; i < 12; i++) {
        lines.push(recordLine(mechanism, [i % 2, i % 3], { receipt: "ab" }, unrandomized, [Math.floor(i / 6), i % 3]));
      }
      process.stdout.write(JSON.stringify(lines));
    """
    record = Path(__file__).parents[2] / "rrcore/asking/assets/record.js"
    given = json.dumps([json.loads(MECHANISM.to_json()), unrandomized]).encode()
    done = subprocess.run([node(), "-e", script, str(record)], input=given, capture_output=True, check=True)
    lines = json.loads(done.stdout)
    assert len(lines) == 12
    assert len({len(line.encode()) for line in lines}) == 1
    read = [json.loads(line) for line in lines]
    assert {each["unrandomized"]["region"] for each in read} == set(REGION.categories)
    assert {tuple(each) for each in read} == {("mechanism", "answers", "unrandomized", "receipt")}
