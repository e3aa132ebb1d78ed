"""Extremes and rare categories are planted in a table and looked for in everything that goes out."""

import io
import re
import zipfile

import pytest

from pages.shared.category_names import SEEN
from rrcore.promise import MechanismFile

EXTREMES = ("90213", "18424")
RARE = ("lion tamer", "verger", "Reykjavik")
_BUTTON = "seen_columns"


def planted():
    """600 people: amounts with one lowest and one highest, ages with two, jobs and towns that one or two people have."""
    rows = []
    for i in range(600):
        amount = {0: -90213, 1: 18424}.get(i, 700 + 37 * (i % 150))
        job = {2: "lion tamer", 3: "verger", 4: "verger"}.get(i, ("clerk", "farmer", "nurse")[i % 3])
        town = {5: "Reykjavik"}.get(i, ("Ghent", "Turku")[i % 2])
        rows.append(f"{amount},{job},{town},{i % 2}")
    return ("amount,job,town,member\n" + "\n".join(rows) + "\n").encode()


def texts(content):
    """Every text in a file, and in the files that it holds."""
    if isinstance(content, str):
        return content
    if content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "\n".join(texts(archive.read(name)) for name in archive.namelist())
    return content.decode("utf-8", "replace")


def found(text, words=EXTREMES + RARE):
    """Those of the words that are in a text, with or without a separator of thousands; digests hold any digits."""
    plain = re.sub(r"[0-9a-f]{16,}|data:[^\"')]*|[0-9]*\.[0-9]+|(?<=\d),(?=\d{3})", "", text)
    return [word for word in words if re.search(rf"(?<![\w#.]){re.escape(word)}(?![\w%.]|px|mm|pt)", plain)]


def everything_out(session):
    """The text of each file that can be saved, by its name, and of the link."""
    out = {}

    def take(*names):
        out.update({name: texts(session.content(name)) for name in names})

    session.given(save=True).go("simulate")
    take("project.json", "report-before-collection.html", "simulated-trial.py", "simulated-trial.ipynb")
    out["link"] = str(session.at.query_params)
    session.given(save=False).go("survey")
    take("form.html", "mechanism.json", "survey.json")
    session.go("release").click("Randomize 600 rows")
    take("release.zip")
    return out


def offered(session):
    """The labels of the download buttons of the page."""
    return {button.label for button in session.at.get("download_button")}


def merge_all(session):
    """Press what is proposed for rare categories, one column after the other."""
    while pressed := [button for button in session.at.button if button.label == "Merge into (other)"]:
        pressed[0].click()
        session.run()
    return session


@pytest.mark.slow
def test_extremes_and_rare_categories_are_in_nothing_that_leaves(session):
    out = everything_out(merge_all(session.upload(planted())))
    assert {name: found(text) for name, text in out.items() if found(text)} == {}
    file = MechanismFile.from_json(out["mechanism.json"])
    assert [attribute.categories for attribute in file.schema.attributes] == [
        ("below 2,000", "2,000 to below 3,000", "3,000 to below 4,000", "4,000 to below 5,000", "5,000 and more"),
        ("clerk", "farmer", "nurse", "(other)"),
        ("Ghent", "Turku", "(other)"),
        ("0", "1"),
    ]
    for name in ("form.html", "report-before-collection.html"):
        assert "5,000 and more" in out[name]


def test_the_search_finds_them_if_they_are_there(session):
    session.upload(planted()).detail("amount").set("text_input", "Limits of the intervals, increasing", "-90213, 18424")
    session.go("survey")
    for name in ("mechanism.json", "form.html"):
        assert set(found(texts(session.content(name)))) == {*EXTREMES, *RARE}


def test_nothing_leaves_before_the_question_is_answered(session):
    session.upload(planted(), settled=False)
    assert session.has("button", SEEN)
    session.given(save=True).go("budget")
    assert offered(session) <= {"Script", "Notebook"}  # both read the table again and hold no categories
    session.given(save=False).go("survey")
    assert offered(session) <= {
        "Certificate",
        "Machine-readable certificate (JSON)",
        "Checking script",
    }  # with names of attributes only
    assert not found(texts(session.content("certificate.json")) + texts(session.content("certificate.txt")), RARE)
    session.go("release")
    assert not session.has("button", "Randomize 600 rows")
    session.click("seen_the_release_is_published")
    assert session.has("button", "Randomize 600 rows")
    assert "Download form" in offered(session.go("survey"))


def test_other_names_are_asked_about_again_and_a_project_remembers(session, open_session):
    session.upload(planted(), settled=False).click(_BUTTON)
    assert not session.has("button", SEEN)
    project = session.given(save=True).run().download("project.json")
    session.given(save=False).detail("town").set("text_area", "Categories, one per line, in order", "Turku\nGhent")
    assert session.has("button", SEEN)
    other = open_session()
    other._settled = False
    other.open_project(project).go("data").upload(planted(), settled=False)
    assert not other.has("button", SEEN)


def test_demo_tables_are_asked_nothing(session):
    session._settled = False
    assert session.go("survey").content("mechanism.json")
