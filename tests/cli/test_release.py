"""The command release: nothing true is left behind, and nothing is randomized twice by accident."""

import subprocess
import sys
from pathlib import Path

import pytest

from rrcore.cli import main
from rrcore.table.opening import read_text_table
from tests.cli.terminal import refused, result, run

PLANTED = ("zanzibar-7f3a", "quagmire-91bc")
"""True answers that occur nowhere else."""
TAILS = (
    f"yes,{PLANTED[0]},x\n",
    f"{PLANTED[1]},a,x\n",
    f"yes,a,{PLANTED[0]},{PLANTED[1]}\n",
    f'"{PLANTED[0]}\n',
)
"""Last lines that make the table of true answers a wrong one."""


def planted(folder, tail=""):
    mech, table = folder / "mech.json", folder / "true.csv"
    designs = ("--design", "q=k-ary:3/4", "--categories", "q=no|yes", "--design", "free=k-ary:3/4", "--categories", "free=a|b")
    main(["mechanism", *designs, "--out", str(mech)])
    rows = "".join(f"{'yes' if i % 2 else 'no'},{'a' if i % 3 else 'b'},{PLANTED[i % 2]}\n" for i in range(40))
    table.write_text(f"q,free,name\n{rows}{tail}")
    return mech, table


def traces(folder, home, tail, release):
    """Of the files, output and messages of a release none holds a planted true answer, be the table right or wrong."""
    mech, table = planted(folder, tail)
    before = set(folder.rglob("*"))
    code, *printed = release(["release", "--mechanism", str(mech), "--in", str(table), "--out", str(folder / "out.csv")])
    assert code == (0 if not tail else 2)
    written = [path for path in set(folder.rglob("*")) - before if path.is_file()]
    assert {path.name for path in written} <= {"out.csv"}
    assert home in before
    for content in (*printed, *(path.read_text() for path in written)):
        assert not any(word in content for word in PLANTED)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty directory for whatever is cached or written on the way."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setattr("tempfile.tempdir", None)
    return home


@pytest.mark.parametrize("tail", ["", *TAILS])
def test_nothing_true_is_written_logged_or_cached(tmp_path, home, capfd, caplog, tail):
    def release(arguments):
        capfd.readouterr()
        code = main(arguments)
        return code, *capfd.readouterr()

    caplog.set_level(0)
    traces(tmp_path, home, tail, release)
    assert not any(word in caplog.text for word in PLANTED)


@pytest.mark.slow
@pytest.mark.long
def test_a_program_of_its_own_leaves_no_trace_either(tmp_path, home):
    def release(arguments):
        command = [sys.executable, "-m", "rrcore", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=60)
        return done.returncode, done.stdout, done.stderr

    traces(tmp_path, home, TAILS[-1], release)


@pytest.mark.parametrize("text", [f"{PLANTED[0]},yes\nno,a\n", f"{PLANTED[0]},{PLANTED[0]}\nno,a\n"])
def test_the_first_row_of_a_table_without_names_is_not_quoted(tmp_path, capsys, text):
    mech, table = planted(tmp_path)
    capsys.readouterr()
    table.write_text(text)
    err = refused(capsys, "release", "--mechanism", mech, "--in", table, "--out", tmp_path / "out.csv")
    assert not any(word in err for word in PLANTED)


def test_only_randomized_answers_and_chosen_columns_are_released(tmp_path, capsys):
    """All 80 answers stay as they are with a probability of 1e-10."""
    mech, table = planted(tmp_path)
    arguments = ("release", "--mechanism", mech, "--in", table, "--out")
    assert run(capsys, *arguments, tmp_path / "out.csv")[0] == 0
    released, true = (read_text_table(path.read_bytes(), path.name) for path in (tmp_path / "out.csv", table))
    assert released.names == ("q", "free", "rr_release")
    assert any((released.column(name).codes != true.column(name).codes).any() for name in ("q", "free"))
    assert run(capsys, *arguments, tmp_path / "kept.csv", "--keep-columns", "name")[0] == 0
    assert (tmp_path / "kept.csv").read_text().count(PLANTED[0]) == 20
    assert "'q'" in refused(capsys, *arguments, tmp_path / "x.csv", "--keep-columns", "q")


def test_two_releases_differ_and_there_is_no_seed(survey, capsys):
    arguments = ("release", "--mechanism", "m.json", "--in", "true.csv", "--out")
    for name in ("a.csv", "b.csv"):
        assert run(capsys, *arguments, name)[0] == 0
    assert (survey / "a.csv").read_bytes() != (survey / "b.csv").read_bytes()
    assert "--rng" in refused(capsys, *arguments, "c.csv", "--rng", "1")
    assert not (survey / "c.csv").exists()


def test_rows_without_an_answer_are_left_out_on_request_only(survey, capsys):
    (survey / "gap.csv").write_text((survey / "true.csv").read_text().replace("Crew,Male", "Crew,", 1))
    arguments = ("release", "--mechanism", "m.json", "--in", "gap.csv", "--out", "x.csv")
    assert "Record 712" in refused(capsys, *arguments)
    assert not (survey / "x.csv").exists()
    found = result(capsys, *arguments, "--missing", "drop")
    assert (found["n"], found["left_out"]) == (2200, 1)


@pytest.mark.parametrize("name", ["true.csv", "m.json"])
def test_an_input_is_not_overwritten(survey, capsys, name):
    before = (survey / name).read_bytes()
    refused(capsys, "release", "--mechanism", "m.json", "--in", "true.csv", "--out", name)
    assert (survey / name).read_bytes() == before


def test_answers_pass_through_pipes(survey):
    command = [sys.executable, "-m", "rrcore", "release", "--mechanism", "m.json", "--in", "/dev/stdin", "--out", "/dev/stdout"]
    done = subprocess.run(
        command,
        input=(survey / "true.csv").read_bytes(),
        capture_output=True,
        env={"PYTHONPATH": str(Path(__file__).parents[2])},
        check=True,
    )
    assert done.stdout.count(b"\n") == 2202
    assert b"2,201 records" in done.stderr
