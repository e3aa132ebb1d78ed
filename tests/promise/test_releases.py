"""A folder of releases: whole or not there, taken up where they were stopped, never twice without its price, nothing true in it."""

import json
import os
from dataclasses import replace

import numpy as np
import pytest

import rrcore as rr
from rrcore import files
from rrcore.__main__ import main
from rrcore.answers import read_answers
from rrcore.errors import InputError
from rrcore.progress import quiet
from rrcore.promise import stream as streamed
from rrcore.promise.release_folder import WantedRelease, give_up, release_into
from rrcore.promise.releases import Releases
from rrcore.table import Schema, as_table, recode
from rrcore.table.stream import Coder, look_through, recoder
from rrcore.table.stream.coder import DROPPED, Lookup

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


def release(releases, file, table, name, report=quiet, **more):
    return release_into(releases, WantedRelease(file, name, table.name, **more), table, report=report)


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
    made = release(releases, FILE, table, "spring 2026", kind=kind)
    assert (made.trailer.rows, made.mechanism, made.table) == (300_000, FILE, "people.csv")
    place = releases.folder / "spring 2026"
    assert sorted(each.name for each in place.iterdir()) == sorted(
        ["about.json", "certificate.json", "certificate.txt", "check.py", "mechanism.json", "read-me.txt", f"released.{kind}"]
    )
    answers = read_answers([((place / f"released.{kind}").read_bytes(), "r")], FILE)
    assert (answers.n, answers.left_out) == (300_000, 0)
    assert set(json.loads((place / "about.json").read_text())) == {"table", "kind", "began"}
    assert [each.name for each in releases.folder.iterdir() if each.name.endswith(".begun")] == []


def test_what_was_stopped_goes_on_and_draws_nothing_twice(releases, table, monkeypatch):
    monkeypatch.setattr(streamed, "_BATCHES", 1)
    with pytest.raises(StopError):
        release(releases, FILE, table, "spring", report=stop_at(0.3))
    assert (shown(releases), [each.name for each in releases.unfinished("people.csv")]) == ([], ["spring"])
    pieces = releases.folder / ".spring.begun" / "released.csv.pieces"
    before = {each.name: each.read_bytes() for each in pieces.glob("*.csv")}
    draw = json.loads((pieces / "run.json").read_text())["draw"]
    assert before
    again = Releases(releases.folder)  # as after the server was started anew
    assert release(again, FILE, table, "spring").trailer.draw == draw
    released = (releases.folder / "spring" / "released.csv").read_bytes()
    assert all(b",\n".join(content.split(b",\n")[:100]) in released for content in before.values())
    assert (shown(again), again.unfinished("people.csv")) == (["spring"], [])


def test_another_release_of_the_table_has_to_be_meant(releases, table):
    release(releases, FILE, table, "spring")
    with pytest.raises(InputError, match=r"There is 1 other release of this table by now, .*: look at its price first"):
        release(Releases(releases.folder), OTHER, table, "summer")
    assert shown(releases) == ["spring"]
    release(releases, OTHER, table, "summer", others=1)
    assert [each.name for each in releases.of("people.csv")] == ["spring", "summer"]


@pytest.mark.parametrize("second", ["spring", "summer"])
def test_whoever_is_second_is_told_before_anything_is_drawn(releases, table, second):
    """Also where nothing is finished yet: under the same name, and under another one."""
    said = []

    def ask(fraction, text):
        if not said:
            with pytest.raises(InputError) as error:
                release(Releases(releases.folder), OTHER, table, second)
            said.append(str(error.value))
            said.append([(each.name, each.busy) for each in releases.unfinished("people.csv")])

    assert release(releases, FILE, table, "spring", report=ask).trailer.rows == 300_000
    told = (
        "Somebody is at work on the release 'spring' now"
        if second == "spring"
        else "There is 1 other release of this table by now"
    )
    assert said[0].startswith(told)
    assert said[1] == [("spring", True)]
    assert (shown(releases), releases.unfinished("people.csv")) == (["spring"], [])


def test_whoever_was_first_is_told_of_another_before_it_is_finished(releases, table):
    """The second one knew of the first, and the first one not of the second: each looks at the price of both."""
    begun = []

    def begin(fraction, text):
        if not begun:
            begun.append(True)
            with pytest.raises(StopError):
                release(Releases(releases.folder), OTHER, table, "summer", others=1, report=stop_at(0.3))

    with pytest.raises(
        InputError, match=r"There is 1 other release of this table by now, finished or begun, .*: look at its price"
    ):
        release(releases, FILE, table, "spring", report=begin)
    assert [(each.name, each.busy) for each in releases.unfinished("people.csv")] == [("spring", False), ("summer", False)]
    for each in releases.unfinished("people.csv"):
        release_into(releases, WantedRelease.again(each, others=1), table)
    assert [each.mechanism for each in releases.of("people.csv")] == [FILE, OTHER]


def test_what_is_given_up_leaves_its_record_and_nothing_drawn(releases, table):
    """Twice under one name, and the third one is finished: whoever counts releases counts one."""
    for _ in range(2):
        with pytest.raises(StopError):
            release(releases, FILE, table, "spring", by="ada", report=stop_at(0.3))
        (begun,) = releases.unfinished("people.csv")
        give_up(releases, begun, by="bo")
        assert (releases.unfinished("people.csv"), releases.others("people.csv", "")) == ([], [])
    left = sorted(
        str(each.relative_to(releases.folder)) for each in releases.folder.rglob("*") if each.is_file() and each.name != ".lock"
    )
    assert left == [f".spring.{number}.given-up/{name}" for number in (1, 2) for name in ("about.json", "mechanism.json")]
    assert [[(step.who, step.act) for step in each.steps] for each in releases.all()] == [
        [("ada", "release begun"), ("bo", "release given up")]
    ] * 2
    with pytest.raises(InputError, match="'spring' was finished or given up meanwhile: nothing was deleted"):
        give_up(releases, begun)
    assert release(releases, FILE, table, "spring").trailer.rows == 300_000
    assert [each.name for each in releases.of("people.csv")] == ["spring"]
    with pytest.raises(InputError, match="'spring' was finished or given up meanwhile: nothing was deleted"):
        give_up(releases, begun)


def test_what_somebody_is_at_work_on_is_not_given_up(releases, table):
    said = []

    def ask(fraction, text):
        if not said:
            (begun,) = releases.unfinished("people.csv")
            with pytest.raises(InputError) as error:
                give_up(releases, begun)
            said.append(str(error.value))

    assert release(releases, FILE, table, "spring", report=ask).trailer.rows == 300_000
    assert said == ["Somebody is at work on the release 'spring' now: wait until it is there."]


def test_who_did_what_is_recorded_and_exported(releases, table, tmp_path, capsys):
    """Who began it, who went on and who finished it, in the folder of the release and by the command for the record of acts."""
    with pytest.raises(StopError):
        release(releases, FILE, table, "spring", by="ada@example.org", report=stop_at(0.3))
    (begun,) = releases.unfinished("people.csv")
    release_into(releases, replace(WantedRelease.again(begun, 0), by="=bo"), table)
    (made,) = releases.of("people.csv")
    steps = [("ada@example.org", "release begun"), ("=bo", "release gone on with"), ("=bo", "release finished")]
    assert (made.by, [(step.who, step.act) for step in made.steps]) == ("ada@example.org", steps)
    release(releases, OTHER, table, "summer", others=1)  # by nobody who says who they are
    out = tmp_path / "acts.csv"
    assert main(["acts", "--db", str(releases.folder), "--csv", str(out)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line.partition("  ")[2] for line in told] == [f"{who}: {act}: 'spring' of 'people.csv'" for who, act in steps]
    assert out.read_text().splitlines()[0] == "number,at,who,act,entry,why"
    assert [line.split(",")[2] for line in out.read_text().splitlines()[1:]] == ["ada@example.org", "'=bo", "'=bo"]
    assert sorted(each.name for each in (releases.folder / "spring").iterdir())[0] == "about.json"


def test_a_release_counts_when_its_table_was_taken_away(releases, table):
    """What was given out stays known, wherever the file is now."""
    release(releases, FILE, table, "spring")
    (releases.folder / "spring" / "released.csv").unlink()
    (made,) = releases.of("people.csv")
    assert (made.finished, made.trailer, releases.unfinished("people.csv")) == (True, None, [])
    with pytest.raises(InputError, match="There is 1 other release of this table by now"):
        release(releases, OTHER, table, "summer")


@pytest.mark.parametrize("file", ["about.json", "mechanism.json"])
def test_files_that_stand_elsewhere_or_are_too_long_make_no_release(releases, table, tmp_path, monkeypatch, file):
    release(releases, FILE, table, "spring")
    place = releases.folder / "spring" / file
    with monkeypatch.context() as less:
        less.setattr("rrcore.promise.releases.MAX_DOCUMENT_BYTES", place.stat().st_size - 1)
        assert releases.of("people.csv") == []
    assert [each.name for each in releases.of("people.csv")] == ["spring"]
    place.rename(tmp_path / "elsewhere.json")
    place.symlink_to(tmp_path / "elsewhere.json")
    assert releases.of("people.csv") == []


def test_nothing_is_overwritten(releases, table):
    (releases.folder / "spring").mkdir()
    (releases.folder / "spring" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="There is a release 'spring' already"):
        release(releases, FILE, table, "spring")
    assert [each.name for each in (releases.folder / "spring").iterdir()] == ["mine.txt"]
    with pytest.raises(StopError):
        release(releases, FILE, table, "summer", report=stop_at(0.0))
    (releases.folder / "summer").mkdir()
    with pytest.raises(InputError, match="There is a release 'summer' already"):
        release(releases, FILE, table, "summer")
    os.rmdir(releases.folder / "summer")
    assert release(releases, FILE, table, "summer").trailer.rows == 300_000


@pytest.mark.parametrize("name", ["", " ", ".hidden", "../up", "a/b", "a..b", "x" * 61, "a\nb", "-x"])
def test_names_are_plain(releases, table, name):
    with pytest.raises(InputError, match="The name of a release has letters"):
        release(releases, FILE, table, name)
    assert list(releases.folder.iterdir()) == []


def test_a_table_that_changes_meanwhile_is_not_released(releases, table):
    def change(fraction, text):
        if fraction > 0.5:
            with table.open("ab") as out:
                out.write(b"yes,east\n")

    with pytest.raises(InputError, match="The table changed while it was released, and nothing of 'spring' was kept"):
        release(releases, FILE, table, "spring", report=change)
    assert (shown(releases), releases.unfinished("people.csv")) == ([], [])


def test_a_table_that_changes_while_it_stands_still_is_not_mixed_with_what_is_there(releases, table):
    with pytest.raises(StopError):
        release(releases, FILE, table, "spring", report=stop_at(0.0))
    table.write_bytes(b"smokes,ward\n" + ROWS[:-8] + b"yes,east\n")
    with pytest.raises(InputError, match="The table has changed since the release 'spring' was begun") as error:
        release(releases, FILE, table, "spring")
    assert str(releases.folder) not in str(error.value)
    assert shown(releases) == []


def test_a_full_disk_is_a_sentence_and_costs_nothing(releases, table, monkeypatch):
    fsync = os.fsync

    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(
        InputError, match=r"cannot be written where the operator keeps releases \(No space left on device\)"
    ) as error:
        release(releases, FILE, table, "spring")
    assert str(releases.folder) not in str(error.value)
    assert shown(releases) == []
    monkeypatch.setattr(files.os, "fsync", fsync)
    assert release(releases, FILE, table, "spring").trailer.rows == 300_000


@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_to_be_written_to(releases, table):
    releases.folder.chmod(0o500)
    with pytest.raises(InputError, match="cannot be written where the operator keeps releases"):
        release(releases, FILE, table, "spring")


def test_an_answer_that_is_no_category_ends_it_and_is_not_quoted(releases, table):
    table.write_bytes(b"smokes,ward\n" + ROWS + b"pregnant,east\n")
    with pytest.raises(InputError, match=r"Record 300,001 of .* cannot be randomised") as error:
        release(releases, FILE, table, "spring")
    assert "pregnant" not in str(error.value)
    assert (shown(releases), releases.unfinished("people.csv")) == ([], [])


def test_a_table_is_recoded_on_its_way_and_goes_on_with_the_same_rules(releases, tmp_path, monkeypatch):
    """Bins, names and who is left out are kept while it is begun, and not when it is finished."""
    monkeypatch.setattr(streamed, "_BATCHES", 1)
    rng = np.random.default_rng(0)
    ages, wards = rng.integers(18, 90, 300_000), rng.integers(0, 3, 300_000)
    table = tmp_path / "ages.csv"
    table.write_text("years,ward\n" + "".join(map("{},{}\n".format, ages, np.array(["east", "", "old town"])[wards])))
    look = look_through(table)
    sample, rules = as_table(look.sample)
    rules["years"] = replace(rules["years"], labels=(("below 40", "young"), ("80 and more", "old")), categories=None)
    rules["ward"] = replace(rules["ward"], missing="drop", labels=(("old town", "west"),), categories=None)
    schema = recode(sample, rules).schema
    file = rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", schema.sizes, [15.0, 15.0])))
    coder = recoder(sample, rules, schema.names, look.edges)
    with pytest.raises(StopError):
        release(releases, file, table, "spring", coder=coder, by="ada", report=stop_at(0.3))
    assert list(releases.folder.glob(".spring.begun/released.csv.pieces/*.csv"))
    (begun,) = Releases(releases.folder).unfinished("ages.csv")
    made = release_into(Releases(releases.folder), WantedRelease.again(begun, 0), table)
    assert (made.trailer.rows, made.by, made.coder) == (np.count_nonzero(wards != 1), "ada", None)
    assert not [each for each in (releases.folder / "spring").iterdir() if each.name.startswith(".")]
    answers = read_answers([((releases.folder / "spring" / "released.csv").read_bytes(), "r")], file).dataset
    kept = wards != 1
    bins = np.searchsorted([40, 60, 80], ages[kept], side="right")
    assert answers.schema.attributes[0].categories == ("young", "40 to below 60", "60 to below 80", "old")
    assert np.mean(answers.codes[:, 0] == bins) > 0.999  # at this level hardly anybody lies
    assert np.mean(answers.codes[:, 1] == (wards[kept] == 2)) > 0.999


def test_without_its_rules_a_release_does_not_go_on(releases, tmp_path):
    table = tmp_path / "ages.csv"
    table.write_text("smokes,ward\n" + "y,east\nno,west\n" * 100_000)
    look = look_through(table)
    sample, rules = as_table(look.sample)
    rules["smokes"] = replace(rules["smokes"], labels=(("y", "yes"),), categories=("no", "yes"))
    coder = recoder(sample, rules, SCHEMA.names, look.edges)
    with pytest.raises(StopError):
        release(releases, FILE, table, "spring", coder=coder, report=stop_at(0.3))
    (releases.folder / ".spring.begun" / ".coder.json").unlink()
    (begun,) = releases.unfinished("ages.csv")
    with pytest.raises(InputError, match="so it cannot go on: release it anew under another name"):
        release_into(releases, WantedRelease.again(begun, 0), table)
    with pytest.raises(InputError, match="There is a release 'spring' already"):
        release(releases, FILE, table, "spring", coder=coder)
    assert shown(releases) == []


def test_nobody_is_left_to_release(releases, tmp_path):
    table = tmp_path / "ages.csv"
    table.write_text("smokes,ward\n" + "yes,NA\nno,NA\n" * 10)
    coder = Coder(SCHEMA, (Lookup({"no": 0, "yes": 1}), Lookup({"east": 0, "west": 1, "NA": DROPPED})))
    with pytest.raises(InputError, match="Every record of 'ages' is to be left out"):
        release(releases, FILE, table, "spring", coder=coder)
    other = Coder(Schema((*SCHEMA.attributes[:1], rr.Attribute("ward", ("south", "west")))), coder.lookups)
    with pytest.raises(InputError, match="recoded into other categories than the mechanism file has"):
        release(releases, FILE, table, "spring", coder=other)
    assert list(releases.folder.glob(".s*")) == []


def test_files_are_for_those_whom_the_mask_lets_in(releases, table):
    before = os.umask(0o027)
    try:
        release(releases, FILE, table, "spring")
    finally:
        os.umask(before)
    place = releases.folder / "spring"
    assert {each.stat().st_mode & 0o777 for each in place.iterdir()} == {0o640}
    assert place.stat().st_mode & 0o777 == 0o750
