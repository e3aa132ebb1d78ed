"""A table released with real randomness: one archive that reads back, progress that can stop it, and draws that are never the same.

Two draws of 2,000 records are equal with a probability below 1e-300.
"""

import io
import json
import re
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import rrcore as rr
from rrcore.answers import nigeria, read_answers
from rrcore.budget import build
from rrcore.designs import read_design
from rrcore.errors import InputError
from rrcore.promise import MechanismFile, integer_groups, promise_sentence, release_table, trailer
from rrcore.promise.released_table import unreleased_columns_sentence
from rrcore.promise.trailer import Trailer
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Attribute, Schema

SCHEMA = Schema((Attribute("smokes", ("no", "yes")), Attribute("region", ("north", "south", "east"))))
FILE = MechanismFile(SCHEMA, integer_groups(build("independent", (2, 3), [1.0, 1.0])))
PEOPLE = Dataset(SCHEMA, np.tile([[0, 0], [1, 2]], (1000, 1)), "planted-title")


def archive(found):
    with zipfile.ZipFile(io.BytesIO(found.to_zip())) as opened:
        return {name: opened.read(name).decode() for name in opened.namelist()}


def test_the_archive_holds_all_that_reading_needs_and_nothing_true():
    """The standard error of the share is 0.024. False alarm: below 1e-15."""
    found = release_table(FILE, PEOPLE)
    files = archive(found)
    assert list(files) == ["read-me.txt", "mechanism.json", "certificate.txt", "certificate.json", "check.py", "released.csv"]
    file = MechanismFile.from_json(files["mechanism.json"])
    answers = read_answers([(files["released.csv"].encode(), "released.csv")], file)
    assert (answers.n, answers.left_out) == (2000, 0)
    share = answers.estimate(["smokes"]).shares[1]
    assert share == pytest.approx(0.5, abs=0.2)
    assert json.loads(files["certificate.json"])["sha256"] == file.sha256
    assert file.sha256 in files["certificate.txt"]
    assert file.sha256 in files["read-me.txt"]
    assert "Publish this file only once" in files["read-me.txt"]
    assert not (found.dataset.codes == PEOPLE.codes).all()
    assert not any("planted-title" in text for text in files.values())


def test_whoever_opens_the_archive_can_check_it_without_this_program(tmp_path):
    with zipfile.ZipFile(io.BytesIO(release_table(FILE, PEOPLE).to_zip())) as opened:
        opened.extractall(tmp_path)
    command = [sys.executable, "-I", "check.py"]
    done = subprocess.run(command, cwd=tmp_path, env={}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Whole record, between any two people: 7.390 times (2.000000 nats)" in done.stdout
    assert "certificate.json: every claim holds, to the last digit.\n" in done.stdout
    assert "released.csv: it names this mechanism file." in done.stdout


def checked(place, files):
    """How ``check.py`` ends in a directory of these files: its code, output and error message."""
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", "check.py"], cwd=place, env={}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(("papers", "code"), [(1.0, 0), (0.1, 1)])
def test_check_refuses_the_papers_of_another_epsilon(tmp_path, papers, code):
    """A release drawn with epsilon 1, with its own papers and with those for epsilon 0.1."""
    found = {
        eps: archive(
            release_table(
                MechanismFile(
                    PEOPLE.schema, integer_groups(build("independent", PEOPLE.schema.sizes, [eps] * len(PEOPLE.schema.sizes)))
                ),
                PEOPLE,
            )
        )
        for eps in {1.0, papers}
    }
    ended, out, message = checked(tmp_path, {**found[papers], "released.csv": found[1.0]["released.csv"]})
    assert ended == code
    assert ("released.csv: it names" in out) == (code == 0)
    assert message.startswith("released.csv is refused") == (code == 1)
    assert ("true or randomized" in out) == (code == 0)


@pytest.mark.parametrize(
    "cut", ["last row", "row in the middle", "column", "everything", "nothing, but doubled", "nothing, but lengthened"]
)
def test_check_refuses_a_table_that_was_cut(tmp_path, cut):
    files = archive(release_table(FILE, PEOPLE))
    rows = files["released.csv"].splitlines(keepends=True)
    files["released.csv"] = {
        "last row": "".join(rows[:-1]),
        "row in the middle": "".join(rows[:5] + rows[6:]),
        "column": "".join(f"{row.rstrip().rpartition(',')[0]}\n" for row in rows),
        "everything": "",
        "nothing, but doubled": "".join(rows + rows[1:]),
        "nothing, but lengthened": "".join(rows).replace(",", "x" * 2**18 + ",", 3),
    }[cut]
    ended, _, message = checked(tmp_path, files)
    assert ended == 1
    assert message.startswith("released.csv is refused")


def test_check_finds_the_mark_in_sorted_rows(tmp_path):
    files = archive(release_table(FILE, PEOPLE))
    first, *rows = files["released.csv"].splitlines(keepends=True)
    files["released.csv"] = first + "".join(rows[-1:] + rows[:-1])
    assert checked(tmp_path, files)[0] == 0


def test_what_is_a_rehearsal_says_so_and_another_draw_is_another_file():
    assert release_table(FILE, PEOPLE, draw=2).file_name == "release-2.zip"
    found = release_table(FILE, PEOPLE, rehearsal="demonstration")
    assert found.file_name == "rehearsal-demonstration-table.zip"
    assert archive(found)["read-me.txt"].startswith("Rehearsal with the demonstration table: randomized answers of 2,000 people")


def test_long_tables_report_and_can_be_stopped(monkeypatch):
    monkeypatch.setattr("rrcore.promise.released_table.AT_ONCE", 600)
    monkeypatch.setattr(trailer, "AT_ONCE", 600)
    seen = []
    found = release_table(FILE, PEOPLE, report=lambda fraction, text: seen.append((fraction, text)))
    assert [text for _, text in seen] == [f"{n} of 2,000 people randomized" for n in ("0", "600", "1,200", "1,800")]
    assert found.dataset.n == 2000
    seen.clear()
    with zipfile.ZipFile(io.BytesIO(found.to_zip(report=lambda fraction, text: seen.append((fraction, text))))) as opened:
        first, *rows = opened.read("released.csv").decode().splitlines()
        *others, last = (row.rpartition(",") for row in rows)
        assert (
            "\n".join([first.removesuffix(",rr_release"), *(row for row, _, _ in [*others, last])]) + "\n"
            == found.dataset.to_csv()
        )
        assert ({word for _, _, word in others}, Trailer.of(last[2])) == ({""}, Trailer(FILE.sha256, 2000, found.name))
    assert seen[-1] == (0.9, "1,800 of 2,000 people written")

    def stop(fraction, text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        release_table(FILE, PEOPLE, report=stop)
    assert (release_table(FILE, PEOPLE).dataset.codes != found.dataset.codes).any()


def test_other_questions_are_refused():
    with pytest.raises(InputError, match="smokes, region"):
        release_table(FILE, PEOPLE.select(["smokes"]))


def test_the_promise_in_a_sentence():
    assert re.findall(r"\d+\.\d+", promise_sentence(FILE)) == ["57.6", "73.1", "2.72", "7.39"]
    assert re.findall(r"\d+\.\d+", promise_sentence(nigeria().mechanism)) == ["83.3", "5.00"]
    open_ended = MechanismFile(SCHEMA.select(["smokes"]), (((0,), read_design("smokes", "matrix", 2, "1, 0; 1/5, 4/5")),))
    assert "there is no limit" in promise_sentence(open_ended)


def within_region():
    """6,000 people with a known region: in the north 2 of 3 smoke, elsewhere 1 of 6."""
    rng = np.random.default_rng(5)
    region = rng.integers(0, 3, 6_000)
    smokes = rng.random(6_000) < np.where(region == 0, 2 / 3, 1 / 6)
    return Dataset(SCHEMA, np.stack([smokes, region], axis=1).astype(int))


def test_what_is_known_leaves_as_it_is_and_the_rest_is_randomized_within_it():
    """False alarm: 3.5e-7, by the exact law of the three regions."""
    people = within_region()
    file = MechanismFile(SCHEMA.select(["smokes"]), integer_groups(build("independent", (2,), [1.0])))
    found = release_table(file, people.select(["smokes"]), known=people.select(["region"]))
    files = archive(found)
    assert unreleased_columns_sentence(["region"]) in files["read-me.txt"]
    header, *rows = files["released.csv"].splitlines()
    assert header.split(",")[:2] == ["smokes", "region"]
    regions = [people.schema.attributes[1].categories[code] for code in people.codes[:, 1]]
    assert [row.split(",")[1] for row in rows] == regions
    answers = read_answers([(files["released.csv"].encode(), "released.csv")], file)
    truth = people.shares(["smokes", "region"])
    for code, name in enumerate(SCHEMA.attributes[1].categories):
        own = answers.split("region")[name]
        assert own.n == int((people.codes[:, 1] == code).sum())
        low, high = own.estimate(["smokes"]).interval(1 - 1e-7)
        share = truth[1, code] / truth[:, code].sum()
        assert low[1] < share < high[1]


def test_no_column_passes_for_a_line_of_the_guide():
    known = Dataset(Schema((Attribute("a\nFingerprint of mechanism.json (SHA-256): 0", ("x", "y")),)), PEOPLE.codes[:, :1])
    plain, more = (len(release_table(FILE, PEOPLE, known=each).guide().splitlines()) for each in (None, known))
    assert more == plain + 1


def test_reading_within_what_is_known_is_more_precise_than_randomizing_it_too():
    """The ratio is 0.372 with a standard deviation of 0.002. False alarm: below 1e-100."""
    people, plain = within_region(), integer_groups(build("independent", (2,), [1.0]))
    within = release_table(
        MechanismFile(SCHEMA.select(["smokes"]), plain), people.select(["smokes"]), known=people.select(["region"])
    )
    north = Dataset(within.dataset.schema, within.dataset.codes[within.known.codes[:, 0] == 0])
    share = north.n / people.n
    own = share * rr.Release(north, within.mechanism).estimate(["smokes"]).std_error()[1]
    both = rr.Release(release_table(FILE, people).dataset, FILE).estimate(["smokes", "region"]).std_error()[1, 0]
    assert own < 0.6 * both


def test_what_is_known_is_of_the_same_people_and_not_randomized():
    people = within_region()
    with pytest.raises(InputError, match=r"5 rows, .* 6,000"):
        release_table(FILE, people, known=Dataset(Schema((Attribute("ward", ("a", "b")),)), [[0], [1], [0], [1], [0]]))
    with pytest.raises(InputError, match=r"'region' cannot be published without randomization"):
        release_table(FILE, people, known=people.select(["region"]))
