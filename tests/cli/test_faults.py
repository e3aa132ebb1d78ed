"""What goes wrong on the way to a file: a full disk, a folder that is read only, an interrupt, two writers. One sentence, nothing lost."""

import errno
import io
import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from rrcore.answers import count_answers, read_answers
from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.executors import open_executor
from rrcore.files import UnwrittenError, new_file
from rrcore.ledger import Ledger
from rrcore.promise import MechanismFile, integer_groups
from rrcore.promise.randomizing import randomize_stream
from rrcore.promise.trailer import Trailer
from rrcore.table import Dataset, load_demo
from rrcore.table.opening import open_stream
from tests.cli.terminal import run

TITANIC = load_demo("titanic")
HOME = Path(__file__).parents[2]


def release(survey, out, *more):
    """The arguments of a release to the file called ``out``."""
    return ["release", "--mechanism", str(survey / "m.json"), "--in", str(survey / "true.csv"), "--out", str(survey / out), *more]


def left(folder):
    """The names in a folder besides what the survey began with."""
    return {path.name for path in folder.iterdir()} - {"plan.json", "m.json", "true.csv"}


class Disk:
    """A disk on which no file that is made grows beyond ``most`` bytes."""

    most = float("inf")

    def open(self, descriptor, mode):
        assert mode == "wb"
        return io.BufferedWriter(OnDisk(descriptor, self))


class OnDisk(io.FileIO):
    def __init__(self, descriptor, disk):
        super().__init__(descriptor, "wb")
        self.disk = disk

    def write(self, content):
        if self.tell() + len(content) > self.disk.most:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(content)


@pytest.fixture
def disk(monkeypatch):
    """The disk that files are written to; ``disk.most = FULL`` holds no more than the table of true answers."""
    disk = Disk()
    monkeypatch.setattr("rrcore.files.os.fdopen", disk.open)
    return disk


FULL = len(TITANIC.to_csv()) + 100


def test_neither_a_full_disk_nor_a_second_run_touches_a_release(survey, capsys, disk):
    disk.most = FULL
    code, out, err = run(capsys, *release(survey, "out.csv"))
    assert (code, out, left(survey)) == (2, "", set())
    assert f"'{survey / 'out.csv'}' cannot be written (No space left on device)" in err
    disk.most = float("inf")
    assert run(capsys, *release(survey, "out.csv"))[0] == 0
    before = (survey / "out.csv").read_bytes()
    for disk.most in (FULL, float("inf")):  # the second would be drawn again
        code, out, _ = run(capsys, *release(survey, "out.csv"))
        assert (code, out, left(survey)) == (2, "", {"out.csv"})
        assert (survey / "out.csv").read_bytes() == before


@pytest.mark.slow
def test_a_file_cut_anywhere_is_refused(survey, capsys):
    """Every place in the last two rows, in steps of seven, and some before; the last line break may go."""
    assert run(capsys, *release(survey, "out.csv"))[0] == 0
    mechanism = MechanismFile.from_json((survey / "m.json").read_bytes())
    whole = (survey / "out.csv").read_bytes()
    assert read_answers([(whole[:-1], "out.csv")], mechanism).n == TITANIC.n
    for end in [*range(len(whole) - 175, len(whole) - 1, 7), len(whole) - 2, *range(40, len(whole) - 200, 19_999)]:
        with pytest.raises(InputError) as refused:
            read_answers([(whole[:end], "out.csv")], mechanism)
        assert str(refused.value).endswith(".")
    lines = whole.split(b"\n")
    with pytest.raises(InputError, match=r"'out.csv' has 2,200 rows but should have 2,201"):
        read_answers([(b"\n".join([lines[0], *lines[2:]]), "out.csv")], mechanism)
    code, _, err = run(capsys, "analyze", "--mechanism", survey / "m.json", "--in", cut(survey, whole, len(lines[-2]) + 1))
    assert code == 2
    assert "'cut.csv'" in err


def cut(survey, whole, less):
    (survey / "cut.csv").write_bytes(whole[:-less])
    return survey / "cut.csv"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_same_draw_twice_counts_once(survey, capsys, ending):
    assert run(capsys, *release(survey, f"out.{ending}"))[0] == 0
    (survey / f"copy.{ending}").write_bytes((survey / f"out.{ending}").read_bytes())
    files = (survey / f"out.{ending}", survey / f"copy.{ending}")
    code, out, _ = run(capsys, "analyze", "--mechanism", survey / "m.json", "--in", *files, "--json")
    found = json.loads(out)
    assert (code, found["n"]) == (0, TITANIC.n)


def test_what_is_randomised_already_is_not_randomised_again(survey, capsys):
    assert run(capsys, *release(survey, "out.csv"))[0] == 0
    (survey / "true.csv").write_bytes((survey / "out.csv").read_bytes())
    code, _, err = run(capsys, *release(survey, "again.csv"))
    assert (code, "already randomized" in err) == (2, True)


def test_a_workbook_may_sort_the_rows(survey, capsys):
    assert run(capsys, *release(survey, "out.csv"))[0] == 0
    mechanism = MechanismFile.from_json((survey / "m.json").read_bytes())
    first, *rows = (survey / "out.csv").read_text().splitlines(keepends=True)
    assert read_answers([((first + "".join(sorted(rows))).encode(), "a.csv")], mechanism).n == TITANIC.n


def test_files_may_be_put_below_one_another(survey, capsys):
    """Two draws count twice; one draw twice in a file, or in part in two files, is refused."""
    mechanism = MechanismFile.from_json((survey / "m.json").read_bytes())
    for name in ("a.csv", "b.csv"):
        assert run(capsys, *release(survey, name))[0] == 0
    one, other = ((survey / name).read_bytes() for name in ("a.csv", "b.csv"))
    both = one + other.partition(b"\n")[2]
    assert read_answers([(both, "both.csv")], mechanism).n == 2 * TITANIC.n
    with pytest.raises(InputError, match=r"The file 'twice\.csv' .* twice"):
        read_answers([(one + one.partition(b"\n")[2], "twice.csv")], mechanism)
    with pytest.raises(InputError, match=r"The file 'both\.csv'"):
        read_answers([(one, "a.csv"), (both, "both.csv")], mechanism)


@pytest.fixture
def ledger(survey, capsys):
    assert run(capsys, "ledger", "create", "--db", survey / "ledger.db")[0] == 0
    return ("--ledger", str(survey / "ledger.db"), "--population", "crew and passengers")


def recorded(survey):
    return [(entry.people, entry.note) for entry in Ledger.open(str(survey / "ledger.db")).entries()]


def test_a_release_and_its_record_stand_and_fall_together(survey, capsys, ledger, disk, monkeypatch):
    disk.most = FULL
    assert run(capsys, *release(survey, "out.csv", *ledger))[0] == 2
    assert (recorded(survey), left(survey)) == ([], {"ledger.db"})
    disk.most = float("inf")

    class Failing(sqlite3.Connection):
        def execute(self, statement, *values):
            if statement == "COMMIT":
                raise OSError(28, "No space left on device")
            return super().execute(statement, *values)

    with monkeypatch.context() as patch:  # the file is placed, and the ledger then cannot be written
        patch.setattr("rrcore.database.sqlite3.connect", partial(sqlite3.connect, factory=Failing))
        with pytest.raises(OSError, match="No space"):
            run(capsys, *release(survey, "out.csv", *ledger))
    assert (recorded(survey), left(survey)) == ([], {"ledger.db"})
    code, out, _ = run(capsys, *release(survey, "out.csv", *ledger))
    assert code == 0
    assert "4.49" in out
    assert recorded(survey) == [(2201, f"draw {trailer_of(survey / 'out.csv').draw}")]
    code, _, err = run(capsys, *release(survey, "again.csv", *ledger))
    assert code == 2
    assert err.endswith("--again.\n")
    assert left(survey) == {"ledger.db", "out.csv"}
    assert run(capsys, *release(survey, "again.csv", *ledger, "--again"))[0] == 0
    assert len(recorded(survey)) == 2


def folder_of_answers(survey, files=6, rows=400):
    """The true answers as a folder of files, each a piece of its own, the first of all answers in a separate file."""
    (survey / "true").mkdir()
    codes = np.tile(TITANIC.codes, (files * rows // TITANIC.n + 1, 1))
    for number in range(files):
        own = Dataset(TITANIC.schema, codes[number * rows : (number + 1) * rows])
        (survey / "true" / f"{number}.csv").write_text(own.to_csv(), encoding="utf-8")
    return survey / "true"


def stop(fraction, text):
    if fraction > 0.5:
        raise KeyboardInterrupt


@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor(2)])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_interrupted_run_leaves_nothing_and_is_drawn_again(survey, ending, executor):
    true, out = folder_of_answers(survey), survey / f"out.{ending}"
    mechanism = MechanismFile.from_json((survey / "m.json").read_bytes())
    with pytest.raises(KeyboardInterrupt):
        randomize_stream(mechanism, open_stream(true), out, executor=executor, report=stop)
    assert left(survey) == {"true"}
    found = randomize_stream(mechanism, open_stream(true), out, executor=executor)
    assert (found.trailer.rows, found.left_out, trailer_of(out)) == (2400, 0, found.trailer)
    assert count_answers([open_stream(out)], mechanism, [("Sex",)]).n == 2400
    assert left(survey) == {"true", out.name}


def trailer_of(path):
    """What the last row says."""
    if path.suffix == ".parquet":
        return Trailer.of(pq.read_table(path)["rr_release"][-1].as_py())
    return Trailer.of(path.read_text().splitlines()[-1].rpartition(",")[2])


@pytest.mark.slow
def test_a_killed_run_leaves_no_file_under_its_name(survey, capsys, ledger):
    """SIGKILL when half is drawn; the next run draws all again, and only that is recorded."""
    true, out = folder_of_answers(survey), survey / "out.csv"
    script = (
        "import os, signal, sys; from rrcore.promise import MechanismFile, randomizing; from rrcore.table.opening import open_stream\n"
        "from pathlib import Path\n"
        "folder = Path(sys.argv[1])\n"
        "def report(fraction, text):\n"
        "    if fraction > 0.5: os.kill(os.getpid(), signal.SIGKILL)\n"
        "mechanism = MechanismFile.from_json((folder / 'm.json').read_bytes())\n"
        "randomizing.randomize_stream(mechanism, open_stream(folder / 'true'), folder / 'out.csv', report=report)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, survey], cwd=HOME, env=os.environ | {"PYTHONPATH": str(HOME)}, check=False
    )
    assert (done.returncode, out.exists()) == (-signal.SIGKILL, False)
    assert run(capsys, *release(survey, "out.csv")[:3], "--in", true, "--out", out, *ledger)[0] == 0
    assert recorded(survey) == [(2400, f"draw {trailer_of(out).draw}")]


@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor(2)])
def test_a_full_disk_leaves_nothing_of_a_large_table(survey, disk, executor):
    true, out = folder_of_answers(survey), survey / "out.csv"
    mechanism = MechanismFile.from_json((survey / "m.json").read_bytes())
    disk.most = FULL
    with pytest.raises(UnwrittenError, match="No space left on device"):
        randomize_stream(mechanism, open_stream(true), out, executor=executor)
    assert left(survey) == {"true"}


def test_a_record_that_cannot_be_randomised_leaves_nothing(survey, capsys):
    true, out = folder_of_answers(survey), survey / "out.csv"
    (true / "3.csv").write_text("Class,Sex,Age,Survived\n1st,Male,Adult,Yes\n1st,Male,PLANTED,Yes\n", encoding="utf-8")
    code, _, err = run(capsys, *release(survey, "out.csv")[:3], "--in", true, "--out", out)
    assert code == 2
    assert all(word in err for word in (f"Record 2 of '{true / '3.csv'}'", "'Age'", "--missing drop"))
    assert "PLANTED" not in err
    assert left(survey) == {"true"}


def randomised_by(survey, executor):
    """A mechanism that hardly ever lies: the order of the table does not depend on the workers. False alarm: 1.3e-9."""
    true, out = folder_of_answers(survey), survey / "out.parquet"
    mechanism = MechanismFile(TITANIC.schema, integer_groups(build("independent", TITANIC.schema.sizes, [30.0] * 4)))
    found = randomize_stream(mechanism, open_stream(true), out, executor=executor)
    codes = read_answers([(out.read_bytes(), out.name)], mechanism).dataset.codes
    assert found.trailer.rows == 2400
    np.testing.assert_array_equal(codes, np.tile(TITANIC.codes, (2, 1))[:2400])


def test_workers_randomise_every_record_once(survey):
    with ThreadPoolExecutor(2) as executor:
        randomised_by(survey, executor)


@pytest.mark.long
def test_processes_randomise_every_record_once(survey):
    with open_executor(workers=2) as executor:
        executor.head_start = 0
        randomised_by(survey, executor)


def test_a_folder_that_is_read_only():
    """Tried as somebody who may not write there, since root may everywhere."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o555)
        own = os.geteuid()
        if own == 0:
            os.seteuid(65_534)
        try:
            with pytest.raises(UnwrittenError) as refused, new_file(Path(folder) / "out.csv") as out:
                out.write(b"never")
        finally:
            os.seteuid(own)
        assert str(refused.value) == f"The file '{folder}/out.csv' cannot be written (Permission denied). Choose another place."
        assert os.listdir(folder) == []
        os.chmod(folder, 0o700)


def test_two_writers_to_one_file(survey, capsys):
    """The one that ends second is refused; what the first wrote stands."""
    true, out = folder_of_answers(survey), survey / "out.csv"
    mechanism = MechanismFile.from_json((survey / "m.json").read_bytes())
    words = []

    def overtake(fraction, text):
        if not words and fraction > 0.5:
            words.append(None)
            words[0] = randomize_stream(mechanism, open_stream(true), out).trailer

    with pytest.raises(InputError, match="already exists"):
        randomize_stream(mechanism, open_stream(true), out, report=overtake)
    assert trailer_of(out) == words[0]
    assert left(survey) == {"true", "out.csv"}


@pytest.mark.slow
def test_an_interrupt_ends_a_command_and_leaves_nothing(survey):
    """Ctrl+C while the release is written: neither a file nor a part of one, and no traceback."""
    script = (
        "import os, signal, sys, time; from rrcore.cli import main; from rrcore.promise import randomizing\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def interrupted(out, *arguments, **more):\n"
        "    out.write(b'half'); out.flush(); os.kill(os.getpid(), signal.SIGINT); time.sleep(20)\n"
        "randomizing.write_release = interrupted\n"
        "sys.exit(main())\n"
    )
    command = [sys.executable, "-c", script, *release(survey, "out.csv")]
    done = subprocess.run(
        command, cwd=HOME, env=os.environ | {"PYTHONPATH": str(HOME)}, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
    assert left(survey) == set()


def test_who_places_a_file_second_is_refused_and_takes_nothing_away(tmp_path):
    """Both have looked before either has written."""

    def overtaken():
        with new_file(tmp_path / "a") as out:
            out.write(b"second")
            (tmp_path / "a").write_bytes(b"first")

    with pytest.raises(InputError, match="already exists"):
        overtaken()
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"first"]


def test_a_file_is_on_disk_before_it_has_its_name_and_then_its_name_is(tmp_path, monkeypatch):
    synced = []

    def fsync(number):
        found = os.fstat(number)
        synced.append((found.st_size if stat.S_ISREG(found.st_mode) else "folder", (tmp_path / "a").exists()))

    monkeypatch.setattr("rrcore.files.os.fsync", fsync)
    with new_file(tmp_path / "a") as out:
        out.write(b"whole")
    assert synced == [(5, False), ("folder", True)]


def test_a_file_goes_again_where_its_record_fails(tmp_path):
    """The file has its name already when the ledger cannot be written after all."""

    @contextmanager
    def recording():
        yield
        assert (tmp_path / "a").exists()
        raise InputError("The ledger cannot be written.")

    with pytest.raises(InputError, match="ledger"), new_file(tmp_path / "a", within=recording()) as out:
        out.write(b"never")
    assert list(tmp_path.iterdir()) == []
