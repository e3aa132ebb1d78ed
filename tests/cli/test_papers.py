"""The command papers run: values as text, as JSON, in the stored form and as a document."""

import json

from rrcore.papers import stored_results
from tests.cli.terminal import result, run

SMALL = ("papers", "run", "multidimensional", "--repeats", "0.1")


def test_values_of_one_paper_as_text_json_and_files(capsys, tmp_path):
    out, document = tmp_path / "results.json", tmp_path / "papers.md"
    code, text, _ = run(capsys, *SMALL, "--out", out)
    assert code == 0
    assert "Proposition 1" in text
    assert run(capsys, *SMALL, "--out", document)[0] == 0
    stored = json.loads(out.read_text(encoding="utf-8"))["checks"]["multidimensional"]
    rows = result(capsys, *SMALL)["rows"]
    assert [row["measured"] for row in rows] == [one["measured"] for one in stored]
    assert document.read_text(encoding="utf-8").count("\n| ") == len(stored) + 3
    printed = {one.what: one.printed for one in stored_results().checks["multidimensional"]}
    assert all(row["printed"] == printed[row["what"]] for row in rows)


def test_any_table_serves_castells_figures(capsys, tmp_path):
    (tmp_path / "clinic.csv").write_text("age,sex,smokes\n" + "31,f,no\n45,m,yes\n62,f,no\n18,m,no\n" * 50)
    rows = result(capsys, "papers", "run", "castell", "--in", tmp_path / "clinic.csv", "--repeats", "0.1")["rows"]
    assert any(row["place"] == "Figure 5, clinic" for row in rows)
