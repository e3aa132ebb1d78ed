"""What goes wrong on the way to a file: a full disk, a folder that is read only, an interrupt, two writers. One sentence, nothing lost."""

import resource
import signal
from pathlib import Path

import pytest

from rrcore.budget import Plan
from rrcore.collect import MechanismFile, integer_groups
from rrcore.table import load_demo
from tests.commands.terminal import run

TITANIC = load_demo("titanic")
HOME = Path(__file__).parents[2]


@pytest.fixture
def survey(tmp_path):
    """A mechanism file and the true answers to its questions."""
    mechanism = MechanismFile(TITANIC.schema, integer_groups(Plan(TITANIC.schema, (2.0,) * 4, TITANIC.n, "pair-safe").build()))
    (tmp_path / "m.json").write_text(mechanism.to_json(), encoding="utf-8")
    (tmp_path / "true.csv").write_text(TITANIC.to_csv(), encoding="utf-8")
    return tmp_path


def collect(survey, out, *more):
    """The arguments of a release to the file called ``out``."""
    return ["collect", "--mechanism", str(survey / "m.json"), "--in", str(survey / "true.csv"), "--out", str(survey / out), *more]


def left(folder):
    """The names in a folder besides what the survey began with."""
    return {path.name for path in folder.iterdir()} - {"m.json", "true.csv"}


@pytest.fixture
def full_disk():
    """Files of this process that may not grow beyond 20 kB, as on a disk that is full then."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, ignored)


def test_a_full_disk_leaves_no_release_behind(survey, capsys, full_disk):
    code, out, err = run(capsys, *collect(survey, "out.csv"))
    assert (code, out) == (2, "")
    assert err == f"The file '{survey / 'out.csv'}' cannot be written (File too large): choose another place.\n"
    assert left(survey) == set()


def test_a_full_disk_does_not_touch_the_release_before(survey, capsys, request):
    assert run(capsys, *collect(survey, "out.csv"))[0] == 0
    before = (survey / "out.csv").read_bytes()
    request.getfixturevalue("full_disk")
    code, out, _ = run(capsys, *collect(survey, "out.csv"))
    assert (code, out) == (2, "")
    assert (survey / "out.csv").read_bytes() == before
    assert left(survey) == {"out.csv"}


def test_a_second_run_does_not_draw_anew(survey, capsys):
    assert run(capsys, *collect(survey, "out.csv"))[0] == 0
    before = (survey / "out.csv").read_bytes()
    code, _, err = run(capsys, *collect(survey, "out.csv"))
    assert code == 2
    assert err == (
        f"There is already a file '{survey / 'out.csv'}', and nothing was written: choose another name, or move it away.\n"
    )
    assert (survey / "out.csv").read_bytes() == before
