"""Reports from the command line: before collection by ``certify``, after it by ``read``."""

import pytest

import rrcore as rr
from rrcore.__main__ import main
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups, randomise
from rrcore.report import r_script
from rrcore.table import load_demo

TABLE = load_demo("titanic").select(["Sex", "Survived"])
TYPED = ("--title", "Lives", "--author", "A. Purser", "--reasons", "Asked.", "--wording", "Sex=Man, or <woman>?")


@pytest.fixture
def survey(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = MechanismFile(TABLE.schema, integer_groups(build("kronecker", (2, 2), [1.0, 1.0])))
    (tmp_path / "m.json").write_text(file.to_json(), encoding="utf-8")
    (tmp_path / "a.csv").write_text(randomise(file, TABLE).to_csv() + "Female,Perhaps\n", encoding="utf-8")
    return tmp_path


def test_a_report_before_and_after_with_what_was_typed(survey, capsys):
    assert main(["certify", "--mechanism", "m.json", "--report", "before.html", "--people", "900", *TYPED]) == 0
    assert (
        main(["read", "--mechanism", "m.json", "--in", "a.csv", "--marginal", "Sex,Survived", "--report", "after.html", *TYPED])
        == 0
    )
    assert main(["read", "--mechanism", "m.json", "--in", "a.csv", "--report", "inside.html", "--internal", *TYPED]) == 0
    before, after, inside = ((survey / f"{name}.html").read_text(encoding="utf-8") for name in ("before", "after", "inside"))
    for page in (before, after, inside):
        assert "<title>" in page
        assert "Lives</title>" in page
        assert "A. Purser" in page
        assert "Man, or &lt;woman&gt;?" in page
    assert "900 people are asked 2 questions" in before
    for heading in ("Man, or &lt;woman&gt;?</h3>", "Survived</h3>", "Man, or &lt;woman&gt;? · Survived</h3>"):
        assert heading in after
    assert "record 2202 of a.csv" in inside
    assert "a.csv" not in after


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("certify", "--report", "r.html"), "add --people, for example --people 1000."),
        (("certify", "--report", "r.html", "--people", "0"), "The number of people is '0': give a whole number of at least 1."),
        (("read", "--in", "a.csv", "--internal"), "--internal is for a report, and none is written: add --report FILE"),
        (("model", "--in", "a.csv", "--outcome", "Sex", "--predictors", "Age", "--internal"), "--internal is for a report"),
        (
            ("read", "--in", "a.csv", "--report", "r.html", "--wording", "Age=How old?"),
            "write --wording 'attribute=question', with one of Sex",
        ),
        (("read", "--in", "a.csv", "--report", "r.html", "--title", "x" * 600), "The title of the document has 600 characters"),
    ],
)
def test_what_is_missing_or_wrong_is_said_and_nothing_is_written(survey, capsys, arguments, said):
    command, *options = arguments
    assert main([command, "--mechanism", "m.json", *options]) == 2
    assert said in capsys.readouterr().err
    assert not (survey / "r.html").exists()


def test_documents_for_others_are_written_by_their_kind_and_ending(survey, capsys):
    plan = rr.Plan.for_levels(TABLE.schema, 1.0, respondents=321)
    (survey / "plan.json").write_text(plan.to_json(), encoding="utf-8")
    common = ("--mechanism", "m.json", "--people", "900", *TYPED)
    assert main(["document", "registration", *common, "--hypothesis", "More men.", "--out", "r.md"]) == 0
    assert main(["document", "registration", *common, "--out", "r.docx"]) == 0
    assert main(["document", "data-management", "--plan", "plan.json", "--out", "d.md"]) == 0
    assert main(["document", "registry", *common, "--region", "Atlantic", "--out", "e.yaml"]) == 0
    assert main(["document", "r", "--mechanism", "m.json", "--out", "s.R"]) == 0
    assert main(["document", "stata", "--mechanism", "m.json", "--out", "s.do"]) == 0
    capsys.readouterr()
    text = (survey / "r.md").read_text(encoding="utf-8")
    assert "More men." in text
    assert "900 answers are planned" in text
    assert (survey / "r.docx").read_bytes()[:2] == b"PK"
    assert "321 rows" in (survey / "d.md").read_text(encoding="utf-8")
    assert '"Atlantic"' in (survey / "e.yaml").read_text(encoding="utf-8")
    assert (survey / "s.R").read_text(encoding="utf-8") == r_script()
    assert (survey / "s.do").read_text(encoding="utf-8").count("mean ") == 3  # two questions, and what the head says of svy


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("registration", "--mechanism", "m.json", "--out", "r.md"), "add --people"),
        (("registration", "--mechanism", "m.json", "--people", "9", "--out", "r.txt"), "end in .md or .docx"),
        (("registration", "--people", "9", "--out", "r.md"), "either --mechanism or --plan"),
        (
            ("registry", "--mechanism", "m.json", "--people", "9", "--hypothesis", "x", "--out", "r.yaml"),
            "--hypothesis is for another",
        ),
        (("r", "--mechanism", "m.json", "--title", "x", "--out", "r.R"), "--title is for another document"),
        (("stata", "--mechanism", "m.json", "--people", "9", "--out", "r.do"), "--people is for another document"),
    ],
)
def test_a_document_is_refused_with_a_sentence(survey, capsys, words, why):
    assert main(["document", *words]) == 2
    assert why in capsys.readouterr().err
