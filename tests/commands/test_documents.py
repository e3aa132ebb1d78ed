"""Reports from the command line: before collection by ``certify``, after it by ``read``."""

import pytest

from rrcore.__main__ import main
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups, randomise
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
