"""The command papers: its list, one entry in words and as JSON, and the document."""

import json

import pytest

from rrcore.research.papers import ENTRIES
from rrcore.research.papers.markdown import published_part
from tests.commands.terminal import run


def test_the_list_names_every_entry(capsys):
    code, out, _ = run(capsys, "papers", "list")
    assert code == 0
    assert all(f"  {name}: " in out for name in ENTRIES)
    _, out, _ = run(capsys, "papers", "list", "--json")
    assert [each["id"] for each in json.loads(out)["entries"]] == list(ENTRIES)


def test_one_entry_in_words_and_as_json(capsys):
    code, out, _ = run(capsys, "papers", "run", "multidimensional-proposition-1", "--fast")
    assert code == 0
    assert out.startswith("multidimensional-proposition-1: agree (")
    assert "printed covariance after / before: 0.1: 0.01, 0.3: 0.09" in out
    _, out, err = run(capsys, "papers", "run", "multidimensional-proposition-1", "--fast", "--json")
    (result,) = json.loads(out)["results"]
    assert result["verdict"] == "agree"
    assert [one["y"] for one in result["published"]] == [[0.01, 0.09, 0.25, 0.49]]
    assert "multidimensional-proposition-1: agree" in err


def test_the_document_can_go_to_a_file_and_to_standard_output(capsys, tmp_path):
    name = "multidimensional-corollary-1"
    code, out, _ = run(capsys, "papers", "run", name, "--fast", "--markdown", tmp_path / "papers.md")
    written = (tmp_path / "papers.md").read_text(encoding="utf-8")
    assert code == 0
    assert published_part(ENTRIES[name]) in written
    assert out.startswith(f"{name}: agree")
    _, out, err = run(capsys, "papers", "run", name, "--fast", "--markdown", "-")
    assert out == written
    assert err == f"{name}: agree\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "nothing"), "There is no entry 'nothing'"),
        (("run", "multidimensional-figure-2", "--adult", "nowhere.csv"), "cannot be read"),
        (("run", "multidimensional-figure-1", "--seed", "x"), "The seed is 'x'"),
        (("sing",), "was not understood"),
    ],
)
def test_bad_input_ends_in_one_sentence(capsys, arguments, message):
    code, out, err = run(capsys, "papers", *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_a_table_without_the_columns_of_adult_is_refused(capsys, tmp_path):
    (tmp_path / "t.csv").write_text("sex,income\nf,1\nm,2\n")
    code, _, err = run(capsys, "papers", "run", "multidimensional-figure-2", "--adult", tmp_path / "t.csv")
    assert code == 2
    assert err.startswith("The table has no column 'workclass': give a file of UCI Adult with a header that names workclass, ")


def test_what_needs_adult_says_so_without_it(capsys):
    code, out, _ = run(capsys, "papers", "run", "multidimensional-table-1", "--fast")
    assert code == 0
    assert "cannot be run" in out
    assert "It needs the table UCI Adult" in out


def test_a_list_takes_nothing_that_is_for_measuring(capsys, tmp_path):
    arguments = ("papers", "list", "--markdown", tmp_path / "x.md", "--seed", "7", "--fast")
    code, out, err = run(capsys, *arguments)
    assert (code, out, list(tmp_path.iterdir())) == (2, "", [])
    assert err == "'papers list' measures nothing: leave out --fast, --seed and --markdown.\n"
