"""Every file of the corpus ends as stated, within its memory and time: read by the library, by a command, and on the page."""

import time
from unittest.mock import ANY

import pytest

from rrcore.errors import InputError
from rrcore.table import Layout, open_file
from rrcore.work.bounded import Bounds, prepare, within
from tests.commands.terminal import run
from tests.hostile.cases import CASES

PATIENCE = 6  # times the time on an idle core: other tests run beside this one


@pytest.fixture(scope="module", autouse=True)
def _ready():
    prepare("rrcore.table.reading.apart")
    open_file(b"a,b\n1,2\n", "first.csv").read()


def marked(names):
    return [pytest.param(name, marks=[pytest.mark.long] if CASES[name].long else []) for name in names]


def values(column):
    return [None if code < 0 else column.values[code] for code in column.codes]


@pytest.mark.parametrize("name", marked(CASES))
def test_a_file_ends_as_stated(name):
    case, peaks, promised = CASES[name], [], 900
    data = case.make()
    start = time.perf_counter()
    with within(Bounds(ended=peaks.append)):
        try:
            table = open_file(data, "file").read(Layout(leave_uneven=case.uneven))
        except InputError as error:
            found = str(error)
            assert case.refused
            assert case.refused in found, found
            assert found.endswith(".")
        else:
            assert not case.refused, "it was read"
            assert (table.n if isinstance(case.table, int) else {c.name: values(c) for c in table.columns}) == case.table
            assert [case.left_out in told for told in table.left_out[:1]] == [True] * bool(case.left_out)
            assert [case.notes in told for told in table.notes[:1]] == ([True] if case.notes else [ANY] * len(table.notes[:1]))
    assert time.perf_counter() - start < case.seconds * PATIENCE
    assert max(peaks) < case.megabytes <= 900
    assert peaks[-1] <= promised


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.long])
def test_a_command_says_the_same(name, capsys, tmp_path):
    case = CASES[name]
    place = tmp_path / "file"
    place.write_bytes(case.make())
    code, _, err = run(
        capsys, "describe", "--in", place, "--header", "yes", "--totals", "keep", *["--uneven", "drop"] * case.uneven
    )
    assert (code == 2) == bool(case.refused), err
    assert case.refused in " ".join(err.split())
    assert "Traceback" not in err
    assert case.left_out in err
