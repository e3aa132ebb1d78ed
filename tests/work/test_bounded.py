"""Bounded work: what comes back, what memory and time end, and how it is stopped."""

import os
import re
import sys
import threading
import time
from pathlib import Path

import pytest

from rrcore.errors import InputError
from rrcore.table import read_text_table
from rrcore.table.reading.file import open_file, read_apart
from rrcore.table.reading.layout import Layout
from rrcore.work import bounded as module
from rrcore.work import process
from rrcore.work.bounded import Bounds, CrashedError, OutgrownError, Returned, bounded, within

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has anonymous memory and bounds it")


def attempt(name, content=b"", *, bounds=None, **asked):
    with within(bounds or Bounds()):
        return bounded(f"tests.work.attempts:{name}", content, asked, what="The attempt", action="Try less.")


def test_what_a_function_returns_comes_back():
    peaks = []
    found = attempt("echo", b"12345", bounds=Bounds(ended=peaks.append), times=2)
    assert found.about == {"size": 5, "times": 2}
    assert [table.to_pydict() for table in found.tables] == [{"a": [1, None, 3]}, {"b": [["x", "y"]]}]
    assert 20 < peaks[0] < 250


def test_nothing_that_comes_back_is_unpickled():
    for name in ("bounded", "apart", "pipe", "process", "server"):
        text = Path(module.__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
        assert not re.search(r"\b(import pickle|cloudpickle|marshal|eval\(|exec\()", text)


def test_too_much_memory_is_one_sentence():
    with pytest.raises(OutgrownError, match=r"^The attempt needs more memory than the 200 MB allowed\. Try less\.$"):
        attempt("grow", bounds=Bounds(megabytes=200), megabytes=500)
    with pytest.raises(OutgrownError, match="needs more memory"):
        attempt("hand_back", bounds=Bounds(megabytes=200), megabytes=300)
    assert attempt("grow", bounds=Bounds(megabytes=200), megabytes=20).about == 20
    assert attempt("hand_back", bounds=Bounds(megabytes=1000), megabytes=80).tables[0].num_rows == 80


def test_a_library_that_gives_up_is_one_sentence_that_claims_neither_cause():
    """As pyarrow does over a footer of Parquet whose statistics contradict its schema."""
    with pytest.raises(
        OutgrownError, match=r"^The attempt ended before its end: its content is damaged, or it needs more memory "
    ):
        attempt("abort")


@pytest.mark.slow
def test_too_much_time_is_one_sentence():
    for name in ("spin", "sleep"):  # time of the processor, and by the clock
        with pytest.raises(OutgrownError, match=r"^The attempt takes longer than the 1 seconds? allowed\. Try less\.$"):
            attempt(name, bounds=Bounds(seconds=1))


def test_a_refusal_comes_back_with_what_it_quotes():
    with pytest.raises(InputError, match="Row 3 says 'secret'") as caught:
        attempt("refuse")
    assert caught.value.quoted == "secret"


@pytest.mark.parametrize("name", ["stumble", "crash", "lie", "unknown"])
def test_work_that_comes_to_no_end_is_told_from_a_refusal(name):
    with pytest.raises(CrashedError):
        attempt(name)


def test_who_is_left_behind_keeps_nobody_waiting():
    start = time.perf_counter()
    with pytest.raises(CrashedError):
        attempt("leave_behind")
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("sent", ["40", "ff" * 8, "02" + "00" * 7 + "ff" * 16, "01" + "00" * 7 + "04" + "00" * 7])
def test_a_message_that_is_none_or_never_ends(sent):
    """A buffer too few, too many of them, too large ones, and one that does not come."""
    with pytest.raises((CrashedError, OutgrownError)):
        attempt("send", bounds=Bounds(seconds=1), sent=sent)


@pytest.mark.parametrize("name", ["spin", "sleep"])  # when it is told how far the work is, and while nothing comes
def test_a_report_may_refuse_by_itself(name):
    def report(fraction, text):
        raise InputError("No longer.")

    with pytest.raises(InputError, match=r"^No longer\.$"):
        attempt(name, bounds=Bounds(report=report))


def test_a_crash_of_a_library_is_a_damaged_file(monkeypatch):
    monkeypatch.setattr("rrcore.table.reading.file.__name__", "tests.work.crashing")
    with pytest.raises(InputError, match=r"The file is damaged or cut short\. Save or download it again\."):
        read_text_table(b"a,b\n1,2\n", "a.sav")


GOOD = {"title": "a", "notes": [], "left_out": [], "columns": [["a", [], "", False]]}


@pytest.mark.parametrize(
    "about", [None, [], {}, GOOD, GOOD | {"columns": 7}, GOOD | {"columns": [["a"]]}, {"uneven": {"message": ""}}]
)
def test_what_comes_back_and_is_not_what_was_asked_for_is_a_damaged_file(monkeypatch, about):
    monkeypatch.setattr("rrcore.table.reading.file.bounded", lambda *_, **__: Returned(about))
    for read in (lambda: open_file(b"a", "a.csv", ""), lambda: read_apart(b"a", "a.csv", Layout())):
        with pytest.raises(InputError, match=r"The file is damaged or cut short\."):
            read()


class Stop(Exception):  # noqa: N818
    pass


def test_work_is_stopped_at_once_and_its_process_ends():
    before = children()

    def report(fraction, text):
        if text == "on and on":
            raise Stop

    start = time.perf_counter()
    with pytest.raises(Stop):
        attempt("spin", bounds=Bounds(report=report))
    assert time.perf_counter() - start < 5
    for _ in range(100):
        if children() <= before:
            break
        time.sleep(0.05)
    assert children() <= before


def children():
    """Processes that the server has forked and that are at work."""
    own = [name for name in os.listdir("/proc") if name.isdigit()]
    found = set()
    for name in own:
        try:
            line = Path(f"/proc/{name}/cmdline").read_bytes()
            parent = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1]
            if b"rrcore.work.server" in line and parent != str(os.getpid()) and f"/proc/{parent}" and is_ours(parent):
                found.add(name)
        except OSError:
            pass
    return found


def is_ours(parent):
    return Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()[1] == str(os.getpid())


def test_the_process_is_modest_and_sees_no_other_file():
    found = attempt("look_around").about
    assert found["core"] == [0, 0]
    assert found["nice"] >= 10
    assert all(name.startswith(("/dev/null", "socket:")) for name in found["files"])


def test_a_server_that_was_killed_is_started_again():
    attempt("echo")
    module._SERVER._process.kill()
    module._SERVER._process.wait()
    assert attempt("echo").about["size"] == 0


def test_several_pieces_of_work_at_once_do_not_mix():
    found = {}

    def one(i):
        found[i] = attempt("echo", bytes(i), times=i).about

    threads = [threading.Thread(target=one, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: {"size": i, "times": i} for i in range(8)}


@pytest.mark.slow
def test_where_nothing_forks_a_process_is_started_for_each_piece_of_work(monkeypatch):
    monkeypatch.setattr(process, "FORKS", False)
    assert attempt("echo", b"123").about == {"size": 3, "times": 1}
    assert read_text_table(b"a,b\n1,2\n", "a.csv").names == ("a", "b")
    with pytest.raises(InputError, match="secret"):
        attempt("refuse")
