"""A folder of releases: whole or not there, taken up where they were stopped, never twice without its price, nothing true in it."""

import json
import os
import threading
from contextlib import suppress

import pytest

import rrcore as rr
from rrcore.collect import read_answers, streamed
from rrcore.collect.releases import Releases
from rrcore.errors import InputError
from rrcore.work import newfile

SCHEMA = rr.Schema((rr.Attribute("smokes", ("no", "yes")), rr.Attribute("ward", ("east", "west"))))
FILE = rr.MechanismFile(SCHEMA, rr.integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
OTHER = rr.MechanismFile(SCHEMA, rr.integer_groups(rr.build("kronecker", (2, 2), [0.5, 0.5])))
ROWS = b"no,east\nyes,west\nno,west\n" * 100_000


@pytest.fixture
def table(tmp_path):
    place = tmp_path / "people.csv"
    place.write_bytes(b"smokes,ward\n" + ROWS)
    return place


@pytest.fixture
def releases(tmp_path):
    (tmp_path / "releases").mkdir()
    return Releases(tmp_path / "releases")


def shown(releases):
    return sorted(each.name for each in releases.folder.iterdir() if not each.name.startswith("."))


class StopError(Exception):
    pass


def stop_at(most):
    def report(fraction, text):
        if fraction > most:
            raise StopError

    return report


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_release_stands_with_all_that_belongs_to_it(releases, table, kind):
    made = releases.release(FILE, table, "spring 2026", kind=kind)
    assert (made.word.rows, made.mechanism, made.table) == (300_000, FILE, "people.csv")
    place = releases.folder / "spring 2026"
    assert sorted(each.name for each in place.iterdir()) == sorted(
        ["about.json", "certificate.json", "certificate.txt", "mechanism.json", "read-me.txt", f"released.{kind}"]
    )
    answers = read_answers([((place / f"released.{kind}").read_bytes(), "r")], FILE)
    assert (answers.n, answers.left_out) == (300_000, 0)
    assert set(json.loads((place / "about.json").read_text())) == {"table", "kind", "began"}
    assert [each.name for each in releases.folder.iterdir() if each.name.endswith(".begun")] == []


def test_what_was_stopped_goes_on_and_draws_nothing_twice(releases, table, monkeypatch):
    monkeypatch.setattr(streamed, "_BATCHES", 1)
    with pytest.raises(StopError):
        releases.release(FILE, table, "spring", report=stop_at(0.3))
    assert (shown(releases), [each.name for each in releases.unfinished("people.csv")]) == ([], ["spring"])
    pieces = releases.folder / ".spring.begun" / "released.csv.pieces"
    before = {each.name: each.read_bytes() for each in pieces.glob("*.csv")}
    draw = json.loads((pieces / "run.json").read_text())["draw"]
    assert before
    again = Releases(releases.folder)  # as after the server was started anew
    assert again.release(FILE, table, "spring").word.draw == draw
    released = (releases.folder / "spring" / "released.csv").read_bytes()
    assert all(b",\n".join(content.split(b",\n")[:100]) in released for content in before.values())
    assert (shown(again), again.unfinished("people.csv")) == (["spring"], [])


def test_another_release_of_the_table_has_to_be_meant(releases, table):
    releases.release(FILE, table, "spring")
    with pytest.raises(InputError, match=r"There is 1 release of this table by now, .*: look at its price first"):
        Releases(releases.folder).release(OTHER, table, "summer")
    assert shown(releases) == ["spring"]
    releases.release(OTHER, table, "summer", earlier=1)
    assert [each.name for each in releases.of("people.csv")] == ["spring", "summer"]


def test_two_at_once_end_in_one_release_and_one_sentence(releases, table):
    """Under one name, and under two: who is second is told before anything has a name."""
    for names in (("spring", "spring"), ("autumn", "winter")):
        known, ends = len(releases.of("people.csv")), []
        inside = threading.Barrier(2, timeout=60)

        def report(fraction, text, inside=inside, patience=2 if names[0] == names[1] else 60):
            with suppress(threading.BrokenBarrierError):
                inside.wait(patience)

        def work(name, known=known, ends=ends, report=report):
            try:
                ends.append(releases.release(FILE, table, name, earlier=known, report=report).name)
            except InputError as error:
                ends.append(str(error))

        threads = [threading.Thread(target=work, args=(name,)) for name in names]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        told = [each for each in ends if each not in names]
        assert len(releases.of("people.csv")) == known + 1
        assert len(told) == 1
        assert (
            "Somebody is at work on the release 'spring'" in told[0]
            or "look at its price first" in told[0]
            or "already" in told[0]
        )


def test_nothing_is_overwritten(releases, table):
    (releases.folder / "spring").mkdir()
    (releases.folder / "spring" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="There is a release 'spring' already"):
        releases.release(FILE, table, "spring")
    assert [each.name for each in (releases.folder / "spring").iterdir()] == ["mine.txt"]
    with pytest.raises(StopError):
        releases.release(FILE, table, "summer", report=stop_at(0.0))
    (releases.folder / "summer").mkdir()
    with pytest.raises(InputError, match="There is a release 'summer' already"):
        releases.release(FILE, table, "summer")
    os.rmdir(releases.folder / "summer")
    assert releases.release(FILE, table, "summer").word.rows == 300_000


@pytest.mark.parametrize("name", ["", " ", ".hidden", "../up", "a/b", "a..b", "x" * 61, "a\nb", "-x"])
def test_names_are_plain(releases, table, name):
    with pytest.raises(InputError, match="The name of a release has letters"):
        releases.release(FILE, table, name)
    assert list(releases.folder.iterdir()) == []


def test_a_table_that_changes_meanwhile_is_not_released(releases, table):
    def change(fraction, text):
        if fraction > 0.5:
            with table.open("ab") as out:
                out.write(b"yes,east\n")

    with pytest.raises(InputError, match="The table changed while it was released, and nothing of 'spring' was kept"):
        releases.release(FILE, table, "spring", report=change)
    assert (shown(releases), releases.unfinished("people.csv")) == ([], [])


def test_a_table_that_changes_while_it_stands_still_is_not_mixed_with_what_is_there(releases, table):
    with pytest.raises(StopError):
        releases.release(FILE, table, "spring", report=stop_at(0.0))
    table.write_bytes(b"smokes,ward\n" + ROWS[:-8] + b"yes,east\n")
    with pytest.raises(InputError, match="The table has changed since the release 'spring' was begun") as error:
        releases.release(FILE, table, "spring")
    assert str(releases.folder) not in str(error.value)
    assert shown(releases) == []


def test_a_full_disk_is_a_sentence_and_costs_nothing(releases, table, monkeypatch):
    fsync = os.fsync

    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(newfile.os, "fsync", full)
    with pytest.raises(
        InputError, match=r"cannot be written where the operator keeps releases \(No space left on device\)"
    ) as error:
        releases.release(FILE, table, "spring")
    assert str(releases.folder) not in str(error.value)
    assert shown(releases) == []
    monkeypatch.setattr(newfile.os, "fsync", fsync)
    assert releases.release(FILE, table, "spring").word.rows == 300_000


@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_to_be_written_to(releases, table):
    releases.folder.chmod(0o500)
    with pytest.raises(InputError, match="cannot be written where the operator keeps releases"):
        releases.release(FILE, table, "spring")


def test_an_answer_that_is_no_category_ends_it_and_is_not_quoted(releases, table):
    table.write_bytes(b"smokes,ward\n" + ROWS + b"pregnant,east\n")
    with pytest.raises(InputError, match=r"Record 300,001 of .* cannot be randomised") as error:
        releases.release(FILE, table, "spring")
    assert "pregnant" not in str(error.value)
    assert (shown(releases), releases.unfinished("people.csv")) == ([], [])


def test_files_are_for_those_whom_the_mask_lets_in(releases, table):
    before = os.umask(0o027)
    try:
        releases.release(FILE, table, "spring")
    finally:
        os.umask(before)
    place = releases.folder / "spring"
    assert {each.stat().st_mode & 0o777 for each in place.iterdir()} == {0o640}
    assert place.stat().st_mode & 0o777 == 0o750
