"""On the command line one sentence says with which option a text in two encodings is read; both roads take it."""

import io

import pytest

from rrcore import MechanismFile, build, integer_groups
from rrcore.__main__ import main
from rrcore.answers import read_answers
from rrcore.commands.files import say
from rrcore.table import Attribute, Schema, opening

NAMES = ("Jürgen", "Zoë")
SCHEMA = Schema((Attribute("name", NAMES), Attribute("smokes", ("no", "yes"))))
MECHANISM = MechanismFile(SCHEMA, integer_groups(build("kronecker", SCHEMA.sizes, [30.0, 30.0])))
MIXED = b"name,smokes\n" + ("Zoë,yes\n".encode() + "Jürgen,no\n".encode("cp1252")) * 3


@pytest.fixture(params=["whole", "in batches"])
def folder(request, tmp_path, monkeypatch):
    """Where a table in two encodings lies, which is read whole or in batches."""
    if request.param == "in batches":
        monkeypatch.setattr(opening, "MAX_ROWS", 3)
    (tmp_path / "people.csv").write_bytes(MIXED)
    (tmp_path / "mechanism.json").write_text(MECHANISM.to_json(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments):
    code = main(list(map(str, arguments)))
    told = capsys.readouterr()
    return code, told.out, told.err


def test_describe_says_which_option_decides(folder, capsys):
    code, out, err = run(capsys, "describe", "--in", "people.csv")
    assert (code, out) == (2, "")
    assert "'Zoë / Jürgen' as mixed" in err
    assert "with --encoding mixed or windows-1252" in err
    assert run(capsys, "describe", "--in", "people.csv", "--encoding", "mixed")[0] == 0


def test_a_release_says_so_before_anything_is_drawn_and_quotes_no_answer(folder, capsys):
    arguments = ("collect", "--mechanism", "mechanism.json", "--in", "people.csv", "--out", "out.csv")
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert "with --encoding mixed or windows-1252" in err
    assert "Zo" not in err
    assert sorted(path.name for path in folder.iterdir()) == ["mechanism.json", "people.csv"]
    assert run(capsys, *arguments, "--encoding", "mixed")[0] == 0
    released = read_answers([((folder / "out.csv").read_bytes(), "out.csv")], MECHANISM)
    assert released.counts(["name"]).tolist() == [3, 3]


def test_collected_answers_are_read_as_is_said(folder, capsys):
    arguments = ("read", "--mechanism", "mechanism.json", "--in", "people.csv", "--by", "smokes")
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert "with --encoding mixed or windows-1252" in err
    code, out, _ = run(capsys, *arguments[:-2], "--encoding", "mixed", "--json")
    assert code == 0
    assert '"answers": 6' in out


def test_the_sign_of_a_number_is_a_hyphen_where_the_terminal_has_no_other(monkeypatch):
    told = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr("sys.stdout", told)
    say("−21 to 69 × ω")
    assert told.buffer.getvalue().decode("cp1252").strip() == r"-21 to 69 × \u03c9"
