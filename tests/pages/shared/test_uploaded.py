"""How far reading an upload has come: the table that is wanted is read to its end, given up, or gone on with."""

import pytest

from pages.shared import jobs
from pages.shared.uploaded import UploadReading
from rrcore.errors import InputError
from rrcore.table import Layout, Undecided, inspect_upload

TABLE = b"smokes,ward\n" + b"yes,north\nno,south\n" * 30


class Intake:
    """Reading that gives, refuses, or has not come to an end; what it was asked and told is kept."""

    def __init__(self, monkeypatch, found):
        self.found, self.asked, self.forgotten = found, [], []
        monkeypatch.setattr(jobs, "read", self.read)
        monkeypatch.setattr(jobs, "forget", self.forgotten.append)

    def read(self, name, key, function, *call, what):
        self.asked.append((name, what))
        if isinstance(self.found, Exception):
            raise self.found
        return function(*call) if self.found else None


@pytest.fixture
def reading(session):
    opened = inspect_upload(TABLE, "a.csv").holding(TABLE)
    return UploadReading(opened=opened, guess=opened.guess, wanted=opened.guess.layout), session.go("data").at.session_state[
        "work"
    ]


def test_a_table_that_is_read_is_wanted_no_longer(reading, monkeypatch):
    (upload, work), read = reading, Intake(monkeypatch, True)
    assert upload.go_on(work)
    assert (upload.wanted, read.forgotten, read.asked) == (None, ["table"], [("table", "Reading the table")])
    assert work.table.names == ("smokes", "ward")


def test_one_that_is_still_read_stays_wanted(reading, monkeypatch):
    (upload, work), read = reading, Intake(monkeypatch, False)
    assert not upload.go_on(work)
    assert (upload.wanted, read.forgotten) == (upload.guess.layout, [])


def test_one_that_cannot_be_read_is_given_up(reading, monkeypatch):
    (upload, work), read = reading, Intake(monkeypatch, InputError("It is no table."))
    with pytest.raises(InputError, match="It is no table"):
        upload.go_on(work)
    assert (upload.wanted, read.forgotten) == (None, ["table"])


def test_a_text_in_two_encodings_is_opened_by_the_one_that_was_chosen(reading, monkeypatch):
    mixed = TABLE + "no,Z\u00fcrich\n".encode() * 5 + "no,Z\u00fcrich\n".encode("latin-1") * 5
    undecided = inspect_upload(mixed, "a.csv")
    assert isinstance(undecided, Undecided)
    (_, work), read = reading, Intake(monkeypatch, True)
    upload = UploadReading(undecided=undecided, wanted=Layout(encoding="latin-1"))
    assert upload.go_on(work)
    assert (upload.undecided, upload.wanted, read.forgotten) == (None, None, ["table"])
    assert "Z\u00fcrich" in work.table.column("ward").values
