"""Exports of ODK, KoboToolbox and Qualtrics, read back with the mechanism file: the same answers, or a sentence."""

from __future__ import annotations

import pytest

from rrcore.answers import read_answers
from rrcore.errors import InputError
from rrcore.promise import MechanismFile
from rrcore.promise.weights import MatrixWeights
from rrcore.table.schema import Attribute, Schema

FILE = MechanismFile(
    Schema((Attribute("Paid a bribe?", ("no", "yes")), Attribute("health", ("very good", "fair", "poor")))),
    (((0,), MatrixWeights(((5, 1), (1, 5)))), ((1,), MatrixWeights(((4, 1, 1), (1, 4, 1), (1, 1, 4))))),
)
PEOPLE = [[0, 0], [1, 2], [1, 0], [0, 1]]
CENTRAL = """SubmissionDate,answers-paid_a_bribe,answers-health,district,meta-instanceID,KEY,SubmitterID,SubmitterName,Status,\
ReviewState,DeviceID,Edits,FormVersion
2026-03-01T10:00:00.000Z,no,very_good,north,uuid:1,uuid:1,5,app,,,,0,1
2026-03-01T10:05:00.000Z,yes,poor,south,uuid:2,uuid:2,5,app,,,,0,1
2026-03-01T10:06:00.000Z,yes,very_good,south,uuid:3,uuid:3,5,app,,,,0,1
2026-03-01T10:09:00.000Z,no,fair,north,uuid:4,uuid:4,5,app,,,,0,1
"""
KOBO = """"start";"answers/paid_a_bribe";"answers/health";"_id";"_uuid";"_submission_time";"_index"
"1";"no";"very_good";"1";"a";"2026-03-01T10:00:00";"1"
"1";"yes";"poor";"2";"b";"2026-03-01T10:00:00";"2"
"1";"yes";"very good";"3";"c";"2026-03-01T10:00:00";"3"
"1";"no";"fair";"4";"d";"2026-03-01T10:00:00";"4"
"""
QUALTRICS = """StartDate,EndDate,IPAddress,ResponseId,Q1,Q2,district
Start Date,End Date,IP Address,Response ID,Paid a bribe?,health,district
"{""ImportId"":""startDate""}","{""ImportId"":""endDate""}","{""ImportId"":""ipAddress""}","{""ImportId"":""_recordId""}",\
"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}","{""ImportId"":""QID3""}"
2026-03-01,2026-03-01,192.0.2.1,R_1,No,Very good,north
2026-03-01,2026-03-01,192.0.2.2,R_2,Yes,Poor,south
2026-03-01,2026-03-01,192.0.2.3,R_3,Yes,Very good,south
2026-03-01,2026-03-01,192.0.2.4,R_4,No,Fair,north
"""


def read(text: str):
    return read_answers([(text.encode(), "export.csv")], FILE)


@pytest.mark.parametrize("text", [CENTRAL, KOBO, QUALTRICS], ids=["ODK Central", "KoboToolbox", "Qualtrics"])
def test_what_people_were_recorded_to_say_comes_back(text):
    answers = read(text)
    assert answers.dataset.codes.tolist() == PEOPLE
    assert answers.left_out == 0
    columns = [column.name for column in answers.groupings]
    assert columns in ([], ["district"])  # nothing about devices, times and addresses
    if columns:
        assert {name: part.n for name, part in answers.split("district").items()} == {"north": 2, "south": 2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            KOBO.replace('"start"', '"again/health"'),
            "'health': 'again/health' and 'answers/health'",
        ),
        (KOBO.replace("answers/health", "answers/mood"), "has no column 'health'"),
        (
            QUALTRICS.replace("Yes,", "2,").replace("No,", "1,"),
            "'1', '2'. Expected 'no', 'yes'. Choose 'Use choice text'",
        ),
        (
            QUALTRICS.replace("Q1,Q2", "health,Q2").replace("Paid a bribe?,health,", "Paid a bribe?,Mood,"),
            "column .* matches",
        ),
    ],
)
def test_what_is_unclear_is_a_sentence(text, message):
    with pytest.raises(InputError, match=message):
        read(text)


def test_words_that_only_some_people_used_are_missing_for_their_question():
    answers = read(QUALTRICS.replace("Fair", "Prefer not to say"))
    assert (answers.n, answers.incomplete, answers.unmatched[0].rows) == (4, 1, 1)


def test_a_plain_table_is_read_as_before():
    plain = "Paid a bribe?,health,wave\nno,fair,1\nYes,poor,2\n"
    answers = read(plain)
    assert answers.dataset.codes.tolist() == [[0, 1], [1, 2]]
    assert [column.name for column in answers.groupings] == ["wave"]
