"""Where answers are kept: once, at random places, by day, on SQLite."""

import datetime as dt
import hashlib
import itertools
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from rrcore.asking import Screens, SurveyFile
from rrcore.asking.questionnaire import TEXTS
from rrcore.asking.translation import Translation
from rrcore.errors import InputError
from rrcore.receiver import Submission, create_store, open_store, store_exists
from rrcore.receiver.blind_signatures import new_key
from rrcore.receiver.store import STORE_VERSION, SURVEYS
from rrcore.table import Attribute

DAY = dt.date(2026, 3, 1)


def submissions(numbers, **more):
    return [Submission((0,) * 6 + divmod(i, 10), f"receipt {i}".encode(), **more) for i in numbers]


def last_two(store):
    codes = store.answers().dataset.codes
    return (10 * codes[:, 6] + codes[:, 7]).tolist()


def test_the_fingerprint_of_a_survey_is_of_its_receipts_in_whatever_order_they_came(place, tmp_path, mechanism):
    """SHA-256 of the sorted SHA-256 of the receipts, and of nothing that was answered."""
    one, other = (create_store(where, mechanism, title="Pilot") for where in (place, str(tmp_path / "other.survey")))
    one.add(submissions(range(9)), DAY)
    for i in (4, 8, 1, 0, 7, 2, 3, 6, 5):
        other.add([Submission((1,) * 8, f"receipt {i}".encode())], DAY)
    hashes = sorted(hashlib.sha256(f"receipt {i}".encode()).digest() for i in range(9))
    assert one.fingerprint == other.fingerprint == hashlib.sha256(b"".join(hashes)).hexdigest()[:16]
    other.close(DAY)
    assert other.fingerprint == one.fingerprint
    one.add(submissions([9]), DAY)
    assert one.fingerprint != other.fingerprint


def test_answers_are_stored_once_and_counted_by_day(place, mechanism):
    assert not store_exists(place)
    store = create_store(place, mechanism, title="Pilot", introduction="Hello", questions={"question 1": "Why?"})
    assert store_exists(place)
    assert store.by_day() == {}
    assert store.begun_by_day() == {}
    with pytest.raises(InputError, match="No answers have arrived"):
        store.answers()
    assert store.add(submissions(range(30)), DAY) == ["stored"] * 30
    assert store.add([*submissions(range(25, 35)), *submissions([34])], DAY + dt.timedelta(1)) == ["known"] * 5 + [
        "stored"
    ] * 5 + ["known"]
    store.opened(40, DAY)
    store.opened(2, DAY)

    again = open_store(place)
    assert again == store
    assert again.mechanism.sha256 == mechanism.sha256
    assert again.questions == {"question 1": "Why?"}
    assert again.by_day() == {DAY: 30, DAY + dt.timedelta(1): 5}
    assert again.begun_by_day() == {DAY: 42}
    answers = again.answers()
    assert sorted(last_two(again)) == list(range(35))
    assert {name: part.n for name, part in answers.split("day").items()} == {"2026-03-01": 30, "2026-03-02": 5}


def test_a_closed_survey_takes_nothing_more_and_acknowledges_what_it_has(place, mechanism):
    store = create_store(place, mechanism, title="Pilot")
    store.add(submissions(range(20)), DAY)
    before = last_two(store)
    store.add(submissions(range(20, 25)), DAY)
    before = last_two(store)
    store.close(DAY)
    store.close(DAY + dt.timedelta(3))
    assert open_store(place).closed == DAY
    assert store.add(submissions([3, 30]), DAY) == ["known", "closed"]
    assert last_two(store) == before


def test_two_receivers_of_one_survey_store_each_answer_once(place, mechanism):
    """Each hands in the same twenty answers, four at a time, while the clock of one was set back by a year."""
    create_store(place, mechanism, title="Pilot")

    def receive(days):
        store = open_store(place)
        return [each for i in range(0, 20, 4) for each in store.add(submissions(range(i, i + 4)), DAY - dt.timedelta(days))]

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(receive, (0, 365)))
    store = open_store(place)
    assert sorted(last_two(store)) == list(range(20))
    assert sorted(zip(*outcomes, strict=True)) in (
        [("known", "stored")] * n + [("stored", "known")] * (20 - n) for n in range(21)
    )
    assert sum(store.by_day().values()) == 20
    assert list(store.by_day()) == sorted(store.by_day())


@pytest.mark.slow
def test_each_order_of_the_answers_is_equally_likely(tmp_path, mechanism, monkeypatch):
    """Three answers, one and then two together: 1 x 2 x 3 draws, equally likely, that lead to six different orders."""
    store = create_store(str(tmp_path / "survey.db"), mechanism, title="Pilot")
    orders, limits = [], []
    for draws in itertools.product(range(1), range(2), range(3)):
        left = list(draws)
        monkeypatch.setattr("rrcore.receiver.store.secrets.randbelow", lambda n, left=left: limits.append(n) or left.pop(0))
        store.add(submissions([0]), DAY)
        store.add(submissions([1, 2]), DAY)
        orders.append(tuple(last_two(store)))
        with sqlite3.connect(store.place) as connection:
            connection.executescript("DELETE FROM rr_answer; DELETE FROM rr_receipt; UPDATE rr_state SET answers = 0")
        connection.close()
    assert sorted(orders) == list(itertools.permutations(range(3)))
    assert limits == [1, 2, 3] * 6


def test_nothing_beside_the_file_keeps_an_order(tmp_path, mechanism):
    store = create_store(str(tmp_path / "survey.db"), mechanism, title="Pilot")
    store.add(submissions(range(50)), DAY)
    assert [(each.name, each.stat().st_size) for each in tmp_path.iterdir() if each.name != "survey.db"] in (
        [],
        [("survey.db-journal", 0)],
    )
    with sqlite3.connect(store.place) as connection:
        records = connection.execute("SELECT day, record FROM rr_answer ORDER BY rowid").fetchall()
        assert {len(record) for _, record in records} == {15}
        assert {type(each[0]) for each in connection.execute("SELECT hash FROM rr_receipt")} == {bytes}
    connection.close()
    assert (tmp_path / "survey.db").stat().st_mode & 0o777 == 0o600


def test_what_is_acknowledged_is_on_disk_and_what_is_deleted_is_overwritten(place, mechanism):
    """By the settings of SQLite, of which 2 is FULL."""
    create_store(place, mechanism, title="Pilot")
    with SURVEYS.writing(place) as connection:
        found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("synchronous", "journal_mode", "secure_delete")]
    assert found == [2, "truncate", 1]


@pytest.mark.parametrize("table", ["rr_receipt", "rr_code", "rr_opened", "rr_served"])
def test_rows_are_not_numbered_in_the_order_in_which_they_came(tmp_path, mechanism, table):
    """SQLite numbers the rows of a table unless it is declared otherwise. With the days, the numbers would show who answered when."""
    store = create_store(str(tmp_path / "survey.db"), mechanism, title="Pilot")
    store.add(submissions(range(5)), DAY)
    with sqlite3.connect(store.place) as connection, pytest.raises(sqlite3.OperationalError, match="no such column: rowid"):
        connection.execute(f"SELECT rowid FROM {table}")
    connection.close()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "There is no survey"),
        (lambda path: path.write_bytes(b""), "is not a survey"),
        (lambda path: path.write_bytes(b"no database at all, only text" * 50), "is not a survey"),
    ],
)
def test_something_else_is_no_survey(tmp_path, make, message):
    path = tmp_path / "survey.db"
    make(path)
    with pytest.raises(InputError, match=message):
        open_store(str(path))


def test_another_layout_and_an_existing_survey_are_refused(place, mechanism):
    create_store(place, mechanism, title="Pilot")
    with pytest.raises(InputError, match="already exists"):
        create_store(place, mechanism, title="Pilot")
    with sqlite3.connect(place) as connection:
        connection.execute(f"PRAGMA user_version = {STORE_VERSION + 1}")
    with pytest.raises(InputError, match=f"has version {STORE_VERSION + 1}, but this program reads version {STORE_VERSION}"):
        open_store(place)


@pytest.mark.parametrize("place", ["", " ", "a\0b", ":memory:", "postgresql://user@host/name"])
def test_what_names_no_file_is_refused(place):
    with pytest.raises(InputError, match="not the path of a file"):
        open_store(place)


def test_a_closed_survey_is_written_in_the_order_of_its_keys(place, mechanism):
    """SQLite's VACUUM makes the file from its content alone: done again, only the counters in the header change."""
    store = create_store(place, mechanism, title="Pilot")
    for i in range(40):
        store.add(submissions([i]), DAY)
    store.close(DAY)
    with open(place, "rb") as file:
        before = file.read()
    store.close(DAY)
    with open(place, "rb") as file:
        assert file.read()[100:] == before[100:]


def test_a_text_that_the_form_cannot_show_makes_no_survey(tmp_path, mechanism):
    with pytest.raises(InputError, match="The title of the form"):
        create_store(str(tmp_path / "survey.db"), mechanism, title=" ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "read"),
    [
        ("UPDATE rr_survey SET survey = '{'", lambda store: open_store(store.place)),
        ("UPDATE rr_survey SET survey = '[]'", lambda store: open_store(store.place)),
        ("DELETE FROM rr_state", lambda store: store.refusing),
        ("DROP TABLE rr_answer", lambda store: store.by_day()),
        ("CREATE VIEW more AS SELECT * FROM rr_answer", lambda store: store.answers()),
        ("ALTER TABLE rr_state ADD COLUMN more AS (hex(zeroblob(400000000)))", lambda store: store.refusing),
        ("UPDATE rr_state SET closed = 'some day'", lambda store: store.closed),
        ("UPDATE rr_answer SET day = 'some day'", lambda store: store.by_day()),
        ("UPDATE rr_answer SET day = X'FF00'", lambda store: store.answers()),
        ("UPDATE rr_answer SET record = 'yes'", lambda store: store.answers()),
        ("UPDATE rr_answer SET record = '1'", lambda store: store.answers()),
    ],
)
def test_a_damaged_survey_is_told_in_one_sentence(tmp_path, mechanism, change, read):
    store = create_store(str(tmp_path / "pilot.survey"), mechanism, title="Pilot")
    store.add(submissions(range(1)), DAY)
    with sqlite3.connect(store.place) as connection:
        connection.execute(change)
    with pytest.raises(InputError, match="is damaged"):
        read(store)


def test_only_days_with_new_answers_are_read_anew(place, mechanism):
    store = create_store(place, mechanism, title="Pilot", introduction="", questions={})
    store.add(submissions(range(30)), DAY)
    store.add(submissions(range(30, 50)), DAY + dt.timedelta(1))
    first = store.answers()
    assert store.answers(first) is first
    store.add(submissions(range(50, 60)), DAY + dt.timedelta(1))
    store.add(submissions(range(60, 65)), DAY + dt.timedelta(2))
    with sqlite3.connect(store.place) as connection:  # who would read the first day again would stumble
        connection.execute("UPDATE rr_answer SET record = 'no record' WHERE day = ?", (DAY.isoformat(),))
    later = store.answers(first)
    assert by_day_and_record(later) == [(min(i // 30, 1) + (i >= 60), i) for i in range(65)]
    with pytest.raises(InputError, match="is damaged"):
        store.answers()


def by_day_and_record(answers):
    codes = answers.dataset.codes
    (column,) = answers.groupings
    assert column.values == tuple((DAY + dt.timedelta(i)).isoformat() for i in range(len(column.values)))
    return sorted(zip(column.codes.tolist(), (10 * codes[:, 6] + codes[:, 7]).tolist(), strict=True))


SAID = (
    {
        "title": "Pilot",
        "introduction": "Hello",
        "questions": {"question 1": "Why?"},
        "order": (*(f"question {i}" for i in range(8, 0, -1)), "ward"),
        "language": "fr",
        "screens": Screens(practice=False, about="question 2", common=20),
        "unrandomized": (Attribute("ward", ("north", "south")),),
        "translations": {"de": Translation(title="Versuch")},
    },
)
"""Two surveys, which have all texts between them: some exclude each other."""


@pytest.mark.parametrize("said", SAID)
def test_a_survey_keeps_all_that_is_asked_and_said(tmp_path, mechanism, said):
    file = mechanism
    made = create_store(str(tmp_path / "pilot.survey"), file, key=new_key(), **said)
    kept = open_store(made.place)
    assert kept == made
    assert kept.survey == SurveyFile(file, invited=True, **said)
    assert {name: kept.texts[name] for name in said} == said
    assert set().union(*SAID) == set(TEXTS)
