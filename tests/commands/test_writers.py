"""Every file that a command writes: on a disk that is full, in a folder that may not be written to, and where a file is already."""

import argparse
import errno
import os
from pathlib import Path

import pytest

from rrcore import __main__ as main_module
from rrcore.files import new_file
from tests.commands.terminal import run
from tests.commands.test_faults import Disk
from tests.commands.test_output import files, nobody_is_served  # noqa: F401  # fixtures

WRITERS = {
    ("plan", "out"): "plan --sizes 2,2 --eps 1,1 --people 9 --out {new}",
    ("simulate", "out"): "simulate --in {table} --attributes Gefühl --eps 1 --marginal Gefühl --out {new}",
    ("lopub", "out"): "lopub --in {table} --source pair-safe --eps 2 --out {new}",
    ("mechanism", "out"): "mechanism --plan {plan} --out {new}",
    ("certify", "report"): "certify --mechanism {mechanism} --people 100 --report {new}",
    ("form", "out"): "form --mechanism {mechanism} --out {new}",
    ("collect", "out"): "collect --mechanism {mechanism} --in {table} --out {new}",
    ("invite", "out"): "invite --db {invited} --number 2 --out {new}",
    ("answers", "out"): "answers --db {survey} --out {new}",
    ("read", "report"): "read --mechanism {mechanism} --in {table} --report {new}",
    ("model", "csv"): "model --mechanism {one} --in {grouped} --formula Gefühl~town --csv {new}",
    ("close", "report"): "close --db {survey} --report {new}",
    ("ledger", "csv"): "ledger --db {ledger} list --csv {new}",
    ("learn", "out"): "learn --out {new}.html",
    ("papers", "out"): "papers run castell-theorem-4 --fast --markdown {new}",
}
"""(Command, option) -> a cheap way to have it write; {new} is what that option names."""

LATE = {("poll", "out"), ("poll", "mechanism_out")}
"""Which are written when a poll ends: tests/receiver/test_poll.py."""

NAMES = {"out", "report", "csv", "mechanism_out", "stem"}
"""What options are called that name a file to be written."""


@pytest.mark.slow
def test_no_file_is_forgotten():
    parser = main_module._parser(main_module.COMMANDS)
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    found = {(name, action.dest) for name, command in commands.choices.items() for action in command._actions}
    assert {pair for pair in found if pair[1] in NAMES} == set(WRITERS) | LATE


@pytest.fixture
def asked(files, tmp_path):  # noqa: F811
    """The arguments of a command, and the folder that it writes to."""

    def arguments(pair):
        return [word.format(**files, new=tmp_path / "new", other=tmp_path / "other") for word in WRITERS[pair].split()]

    return arguments


@pytest.mark.slow
@pytest.mark.parametrize("pair", sorted(WRITERS), ids=" ".join)
def test_what_cannot_be_written_is_a_sentence_and_leaves_nothing(pair, asked, tmp_path, capsys, monkeypatch):
    disk = Disk()
    disk.most = 20
    with monkeypatch.context() as patch:
        patch.setattr("rrcore.files.os.fdopen", disk.open)
        assert_refused(run(capsys, *asked(pair)), "No space left on device")
    assert list(tmp_path.iterdir()) == []

    opens = os.open

    def forbids(path, *how, **more):
        if str(path).endswith(".part"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return opens(path, *how, **more)

    with monkeypatch.context() as patch:
        patch.setattr("rrcore.files.os.open", forbids)
        assert_refused(run(capsys, *asked(pair)), "Permission denied")
    assert list(tmp_path.iterdir()) == []


def assert_refused(outcome, why):
    code, _, err = outcome
    assert code == 2
    assert err.count("\n") == 1
    assert f"cannot be written ({why}): choose another place." in err


@pytest.mark.parametrize("pair", WRITERS, ids=" ".join)
def test_a_file_that_is_there_stays(pair, asked, tmp_path, capsys):
    arguments = asked(pair)
    place = tmp_path / f"{os.path.basename(arguments[-1])}{'-2.json' if pair[1] == 'stem' else ''}"
    place.write_bytes(b"there before")
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"There is already a file '{place}'")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"there before"]


@pytest.mark.parametrize("pair", WRITERS, ids=" ".join)
def test_a_link_is_never_written_through(pair, asked, tmp_path, capsys):
    """To nothing, to itself, to a file and to a folder."""
    aims = tmp_path / "aims"
    (aims / "folder").mkdir(parents=True)
    (aims / "file").write_bytes(b"there before")
    arguments = asked(pair)
    place = tmp_path / f"{os.path.basename(arguments[-1])}{'-2.json' if pair[1] == 'stem' else ''}"
    for aim, leads in ((aims / "none", False), (place, False), (aims / "file", True), (aims / "folder", True)):
        place.unlink(missing_ok=True)
        place.symlink_to(aim)
        code, out, err = run(capsys, *arguments)
        assert (code, out) == (2, ""), aim
        assert err.count("\n") == 1, aim
        assert err.startswith(f"There is {'already a file' if leads else 'a link'} '{place}'"), aim
        assert place.is_symlink(), aim
        assert sorted(tmp_path.iterdir()) == sorted([aims, place]), aim
        assert [each.name for each in sorted(aims.iterdir())] == ["file", "folder"], aim
    assert (aims / "file").read_bytes() == b"there before"
    assert not any((aims / "folder").iterdir())
    assert (aims / "file").read_bytes() == b"there before"
    assert list((aims / "folder").iterdir()) == []


def test_databases_are_not_made_through_a_link(tmp_path, capsys):
    (tmp_path / "new").symlink_to(tmp_path / "none")
    code, _, err = run(capsys, "ledger", "--db", tmp_path / "new", "create")
    assert code == 2
    assert err.startswith("There is already a file")
    assert [each.name for each in tmp_path.iterdir()] == ["new"]


def test_codes_that_could_not_be_written_are_no_codes(files, asked, capsys, monkeypatch):  # noqa: F811
    """They were known to the survey, and to nobody else."""
    from rrcore.receiver import open_store
    from rrcore.receiver.invitations import used_codes

    store = open_store(files["invited"])
    before = used_codes(store)
    disk = Disk()
    disk.most = 20
    monkeypatch.setattr("rrcore.files.os.fdopen", disk.open)
    assert run(capsys, *asked(("invite", "out")))[0] == 2
    assert used_codes(store) == before
    disk.most = 10_000
    assert run(capsys, *asked(("invite", "out")))[0] == 0
    assert used_codes(store) == (before[0], before[1] + 2)


def test_what_a_killed_program_leaves_is_no_table(files, tmp_path, capsys):  # noqa: F811
    """The hidden part of a file beside the others, as after SIGKILL."""
    (tmp_path / "true").mkdir()
    (tmp_path / "true" / "a.csv").write_bytes(Path(files["table"]).read_bytes())
    whole = run(capsys, "describe", "--in", tmp_path / "true", "--json")
    (tmp_path / "true" / f".{'0' * 24}.part").write_bytes(b"Gef\xc3\xbchl,b\nhalf")
    assert run(capsys, "describe", "--in", tmp_path / "true", "--json") == whole
    assert whole[0] == 0


def test_what_is_no_file_is_written_into_and_stays_what_it_is(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    end = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with new_file(tmp_path / "pipe") as out:
        out.write(b"whole")
    assert os.read(end, 100) == b"whole"
    os.close(end)
    assert [each.is_fifo() for each in tmp_path.iterdir()] == [True]
