"""Extremes and rare categories are planted in a table and looked for in everything that goes out."""

import io
import re
import zipfile

import pytest

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
    """Those of the words that stand in a text as such, with or without a separator of thousands; digests hold any digits."""
    plain = re.sub(r"[0-9a-f]{16,}|data:[^\"')]*|[0-9]*\.[0-9]+|(?<=\d),(?=\d{3})", "", text)
    return [word for word in words if re.search(rf"(?<![\w#.]){re.escape(word)}(?![\w%.]|px|mm|pt)", plain)]


def everything_out(session):
    """What leaves, by the page that it leaves from and its name."""
    out = {}

    def take(page, *names):
        out.update({(page, name): texts(session.content(name)) for name in names})

    session.go("budget").click("pin_plan").go("budget")
    take("budget", "plan.json", "report-before-collection.html", "project.json")
    session.go("plans")
    take("plans", "pinned-plans.json")
    session.go("perturb")
    take("perturb", "plan.json", "simulated-trial.py", "simulated-trial.ipynb")
    session.go("collect")
    take(
        "collect",
        "form.html",
        "mechanism.json",
        "certificate.txt",
        "certificate.json",
        "check.py",
        "report-before-collection.html",
    )
    session.go("field")
    take("field", "mechanism.json")
    session.go("release").click("Randomise the answers of 600 people")
    take("release", "release.zip")
    session.click("Read it as a recipient would")
    take("read", "report-of-findings.html")
    session.go("release").click("Record in the ledger")
    out["ledger", "page"] = session.text
    out["address", "link"] = str(session.at.query_params)
    return out


def offered(session):
    """What the download buttons of the page are called."""
    return {button.label for button in session.at.get("download_button")}


def merge_all(session):
    """Press what is proposed for rare categories, one column after the other."""
    while pressed := [button for button in session.at.button if button.label == "Merge into (other)"]:
        pressed[0].click()
        session.run()
    return session


@pytest.mark.slow
def test_neither_extremes_nor_rare_categories_are_in_anything_that_leaves(session):
    merge_all(session.upload(planted()))
    session.click(_BUTTON)
    out = everything_out(session)
    assert {name: found(text) for name, text in out.items() if found(text)} == {}
    file = MechanismFile.from_json(out["collect", "mechanism.json"])
    assert [attribute.categories for attribute in file.schema.attributes] == [
        ("below 2,000", "2,000 to below 3,000", "3,000 to below 4,000", "4,000 to below 5,000", "5,000 and more"),
        ("clerk", "farmer", "nurse", "(other)"),
        ("Ghent", "Turku", "(other)"),
        ("0", "1"),
    ]
    for name in ("form.html", "report-before-collection.html"):
        assert "5,000 and more" in out["collect", name]  # what is looked through does hold the names


def test_what_looks_for_them_finds_them(session):
    """The same search where edges are those of the data, rare ones are kept and all that is let out."""
    session.upload(planted()).detail("amount").set("text_input", "Edges, increasing", "-90213, 18424")
    session.go("collect")
    assert set(found(texts(session.content("mechanism.json")))) == {*EXTREMES, *RARE}
    assert set(found(texts(session.content("form.html")))) == {*EXTREMES, *RARE}
    assert set(found(texts(session.content("report-before-collection.html")))) == {*EXTREMES, *RARE}


def test_nothing_leaves_before_the_question_is_answered(session):
    session.upload(planted(), settled=False)
    assert "May others read the names of the categories of " in session.text
    session.go("budget").click("pin_plan")
    assert "Before the plan or a report leaves: may others read these names?" in session.text
    assert not {"Download plan", "Report for the ethics board", "Save project"} & offered(session)
    assert "Download pinned plans" not in offered(session.go("plans"))
    assert "Plan (JSON)" not in offered(session.go("perturb"))
    assert offered(session.go("collect")) == offered(session.go("field")) == set()
    session.go("release")
    assert not session.has("button", "Randomise the answers of 600 people")
    assert "**Fewer than 5 people:** 'lion tamer' (1), 'verger' (2)" in session.text
    session.click("seen_the_release_leaves")
    assert session.has("button", "Randomise the answers of 600 people")
    assert "Download form" in offered(session.go("collect"))
    assert "Download pinned plans" in offered(session.go("plans"))
    assert "Plan (JSON)" in offered(session.go("perturb"))


def test_data_is_named_as_the_way_to_change_names_only_where_they_stand_there(session):
    session.upload(b"pet,sex\n" + b"dog,f\ncat,m\n" * 30, settled=False).go("budget").click("pin_plan")
    assert "data" in session.go("plans").links
    session.go("data").upload(b"town,sex\n" + b"Oslo,f\nRome,m\n" * 30, settled=False).click(_BUTTON)
    session.go("plans")
    assert "Before these plans leave: may others read these names?" in session.text
    assert "pet is not of the table in play: to change names there, put that table into play again and pin" in session.text
    assert "data" not in session.links


def test_other_names_are_asked_about_again_and_a_project_remembers(session, open_session):
    session.upload(planted(), settled=False).click(_BUTTON)
    project = session.download("project.json")
    session.detail("town").set("text_area", "Categories, one per line, in order", "Turku\nGhent")
    assert "May others read the names of the categories of " in session.text  # (other): somebody gave a third answer
    other = open_session()
    other._settled = False
    other.open_project(project).go("collect")
    assert "may others read these names" not in other.text
    other.upload(planted(), settled=False).go("collect")
    assert "may others read these names" not in other.text


def test_values_that_were_made_one_are_asked_about_before_a_project_leaves(session):
    """The categories are settled, and the project says how they were spelt."""
    rows = "\n".join(["Male,yes"] * 40 + ["male,no"] * 30 + ["female,yes"] * 30)
    session.upload(f"sex,member\n{rows}\n".encode(), settled=False)
    (key,) = (each.key for each in session.at.data_editor if each.key and each.key.startswith("called_sex"))
    session.at.session_state[key] = {"edited_rows": {2: {"called": "Male"}}, "added_rows": [], "deleted_rows": []}
    session.run().click(_BUTTON)
    assert "These values were renamed or made one." in session.text
    assert "Save project" not in offered(session)
    session.click("seen_saving")
    assert "Save project" in offered(session)
    assert '"male"' in session.download("project.json")


def test_demo_and_declared_tables_are_asked_nothing(session):
    session._settled = False
    session.go("collect")
    assert "may others read these names" not in session.text
    assert session.content("mechanism.json")
