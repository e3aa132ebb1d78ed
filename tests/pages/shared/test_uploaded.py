"""How far reading an upload has come: it is read to its end, given up, or goes on."""

import pytest

from pages.shared import jobs
from pages.shared.uploaded import UploadReading
from rrcore.errors import InputError

TABLE = b"smokes,ward\n" + b"yes,north\nno,south\n" * 30


@pytest.mark.parametrize("found", [True, False, InputError("It is no table.")])
def test_an_upload_is_read_given_up_or_still_read(session, monkeypatch, found):
    forgotten = []
    monkeypatch.setattr(jobs, "forget", forgotten.append)

    def read(name, key, function, *call, what):
        if isinstance(found, Exception):
            raise found
        return function(*call) if found else None

    monkeypatch.setattr(jobs, "read", read)
    reading, work = UploadReading(TABLE, "a.csv", pending=True), session.go("data").at.session_state["work"]
    if isinstance(found, Exception):
        with pytest.raises(InputError, match="It is no table"):
            reading.read()
        return
    assert reading.read() == found
    assert forgotten == ["upload"] * found
    if found:
        reading.begin(work)
        assert (work.table.names, reading.asks, reading.pending) == (("smokes", "ward"), False, False)


def test_another_sheet_forgets_what_was_chosen_about_rows():
    reading = UploadReading(given={"start": 3, "missing_codes": ("-9",)})
    reading.give("sheet", "Answers")
    assert (reading.given, reading.changed) == ({"missing_codes": ("-9",), "sheet": "Answers"}, True)
