"""Collected answers: what is read, what is left out and why, and that no file brings the reader down."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rrcore.answers import read_answers
from rrcore.answers.nigeria_survey import nigeria
from rrcore.budget import build
from rrcore.designs import read_design
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.rounding import integer_groups
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Attribute, Schema

SCHEMA = Schema((Attribute("smokes", ("no", "yes")), Attribute("=ward", ("-1", "+x", " c"))))
FILE = MechanismFile(SCHEMA, integer_groups(build("preserving-2", SCHEMA.sizes, [1.0, 2.0])))
OTHER = MechanismFile(SCHEMA, FILE.groups, note="another")


def line(answers=None, mechanism=FILE.sha256, **more):
    return json.dumps({"mechanism": mechanism, "answers": {"smokes": "no", "=ward": "-1"} if answers is None else answers} | more)


def test_the_published_survey():
    answers = nigeria()
    estimate = answers.estimate(["connected to an armed group"])
    assert (answers.n, answers.left_out) == (2435, 22)
    assert answers.rejected[0].reason == "no answer to 'connected to an armed group'"
    assert answers.counts(["connected to an armed group"]).tolist() == [1604, 831]
    assert round(float(estimate.shares[1]), 4) == 0.2619
    assert round(float(estimate.std_error(population=True)[1]), 4) == 0.0144


def test_the_survey_by_education():
    parts = nigeria().split("education")
    assert list(parts) == [str(level) for level in range(1, 11)]
    assert sum(part.n for part in parts.values()) == 2434  # one person of unknown education
    for yes, n, level in ((377, 1022, "5"), (6, 11, "10"), (48, 235, "3")):
        estimate = parts[level].estimate(["connected to an armed group"])
        low, high = (float(end[1]) for end in estimate.interval(population=True))
        share = (yes / n - 1 / 6) * 1.5
        z, m = 1.959964, n - 1  # Wilson 1927, of the reported share
        middle, root = yes / n + z**2 / (2 * m), z * np.sqrt(yes / n * (1 - yes / n) / m + (z / (2 * m)) ** 2)
        ends = [(end / (1 + z**2 / m) - 1 / 6) * 1.5 for end in (middle - root, middle + root)]
        assert float(estimate.shares[1]) == pytest.approx(share, abs=1e-12)
        assert (low, high) == pytest.approx((max(ends[0], 0), ends[1]), abs=0.1 * (high - low))


def test_what_a_release_is_written_as_is_read_back():
    codes = np.array([[0, 0], [1, 1], [0, 2], [1, 0]], dtype=np.int32)
    text = Dataset(SCHEMA, codes).to_csv()  # a spreadsheet-safe file: '=ward, '+x
    found = read_answers([(text.encode(), "a.csv")], FILE)
    np.testing.assert_array_equal(found.dataset.codes, codes)
    assert found.rejected == ()


def test_many_files_of_two_kinds_are_put_together():
    lines = "\ufeff" + line() + "\n\n" + line({"=ward": " c", "smokes": "yes"}) + "\r\n"
    table = "smokes,=ward,region\nyes,-1,north\n"
    found = read_answers([(lines.encode(), "a.json"), (table.encode(), "b.csv"), (line().encode(), "c.json")], FILE)
    assert found.dataset.codes.tolist() == [[0, 0], [1, 2], [1, 0], [0, 0]]
    assert found.groupings == ()  # not every file has them
    (grouping,) = read_answers([(table.encode(), "b.csv")], FILE).groupings
    assert (grouping.name, grouping.values) == ("region", ("north",))


def test_rows_are_left_out_for_reasons_and_counted():
    rows = [
        line(),
        line(mechanism=OTHER.sha256),
        line({"smokes": "no"}),
        line({"smokes": "no", "=ward": "d"}),
        line({"smokes": 1, "=ward": "-1"}),
        line({"smokes": "no", "=ward": "-1", "age": "4"}),
        line(extra=1),
        "{oops",
        "[1, 2]",
        line({"smokes": None, "=ward": "-1"}),
    ]
    found = read_answers([("\n".join(rows).encode(), "a.json")], FILE)
    assert found.n == 1
    assert {each.reason: each.rows for each in found.rejected} == {
        "answers randomized by another mechanism file": 1,
        "no answer to '=ward'": 1,
        "an answer to '=ward' that is not one of its categories": 1,
        "answers to questions that the mechanism file does not have": 1,
        "a line that is not an answer from the form": 5,
    }
    assert next(each.first for each in found.rejected if each.rows == 5) == "line 5 of a.json"
    assert found.left_out == 9


def test_a_row_with_two_faults_is_counted_once():
    found = read_answers([(b"smokes,=ward\nno,-1\n,zzz\nmaybe,-1\noften,zzz\n", "a.csv")], FILE)
    assert (found.n, found.incomplete, found.left_out) == (2, 1, 2)
    assert [(each.rows, each.first) for each in found.rejected] == [(1, "record 4 of a.csv"), (1, "record 2 of a.csv")]
    assert [(each.rows, each.first) for each in found.unmatched] == [(1, "record 3 of a.csv")]


def test_a_row_with_some_answers_missing_counts_where_they_are_not_needed():
    rows = b"smokes,=ward,age\nno,-1,4\n,-1,5\nno,,6\n,,7\n"
    found = read_answers([(rows, "a.csv"), (rows, "b.csv")], FILE)
    assert (found.n, found.dataset.n, found.incomplete, found.left_out) == (6, 2, 4, 2)
    assert found.counts(["smokes"]).sum() == 4
    assert found.counts(["smokes", "=ward"]).sum() == 2
    (age,) = found.groupings
    assert [age.values[code] for code in age.codes] == ["4", "5", "6", "4", "5", "6"]
    assert [(each.reason, each.rows, each.first) for each in found.rejected] == [
        ("no answer to any question", 2, "record 4 of a.csv")
    ]
    parts = found.split("age")
    assert list(parts) == ["4"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([], "No file"),
        ([(b"", "a.csv")], "The file is empty"),
        ([(b"smokes\nno\n", "a.csv")], "has no column '=ward'"),
        ([(b"smokes,=ward\nx,y\n", "a.csv")], "None of the 1 rows can be used"),
        ([(b"{}\n", "a.json")], "a line that is not an answer from the form"),
        ([(line(mechanism=OTHER.sha256).encode(), "a.json")], "another mechanism file"),
        ([(b'{"\xff', "a.json")], "is not UTF-8 text"),
        ([(b"smokes,=ward\nno,-1,3\n", "a.csv")], "Row 2 has 3 values"),
    ],
)
def test_what_cannot_be_read_gets_one_sentence(files, message):
    with pytest.raises(InputError, match=message):
        read_answers(files, FILE)


def test_an_attribute_whose_categories_look_alike_is_read_by_the_exact_text_first():
    schema = Schema((Attribute("q", ("'-x", "-x", "a", " a")),))
    file = MechanismFile(schema, (((0,), read_design("q", "k-ary", 4, "1/2")),))
    text = "\n".join(json.dumps({"mechanism": file.sha256, "answers": {"q": c}}) for c in schema.attributes[0].categories)
    assert read_answers([(text.encode(), "a.json")], file).dataset.codes.ravel().tolist() == [0, 1, 2, 3]
    with pytest.raises(InputError, match="outer spaces"):  # a table is read without them
        read_answers([(b"q\na\n a\n", "a.csv")], file)


def test_outer_spaces_of_a_formula_are_no_part_of_it():
    schema = Schema((Attribute("=q\n", ("=x ", "y")),))
    file = MechanismFile(schema, (((0,), read_design("=q", "k-ary", 2, "3/4")),))
    assert read_answers([(b"'=q\n'=x\ny\n", "a.csv")], file).dataset.codes.ravel().tolist() == [0, 1]


GOOD = "\n".join(line({"smokes": s, "=ward": w}) for s in ("no", "yes") for w in ("-1", "+x"))
TABLE = "smokes,=ward\nno,-1\nyes,+x\n,-1\nno,+x\n"
PIECES = st.sampled_from(['"', ",", "\n", "{", "}", "\x00", "no", "smokes", "\\u0000", "é", "[", "1e999", ":", "\r", "'"])


def outcome(content):
    """The sentence of a refusal, or what was read."""
    try:
        return "", read_answers([(content, "a.txt")], FILE)
    except InputError as error:
        return str(error).strip(), None


@pytest.mark.slow
@settings(max_examples=80)
@given(
    st.sampled_from([GOOD, TABLE]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), PIECES), min_size=1, max_size=6),
    st.booleans(),
)
def test_mutated_files_are_read_or_refused_in_one_sentence(text, cuts, raw):
    for where, gone, new in cuts:
        at = int(where * len(text))
        text = text[:at] + new + text[at + gone :]
    content = text.encode("latin-1", "replace") if raw else text.encode()
    message, found = outcome(content)
    if found is None:
        assert message.endswith(".")
        assert "\n" not in message
    else:
        assert found.n >= 1
        assert (found.dataset.codes >= 0).all()
        assert (found.dataset.codes < np.array(SCHEMA.sizes)).all()


@pytest.mark.slow
@settings(max_examples=40)
@given(st.binary(max_size=200))
def test_random_bytes_are_refused_in_one_sentence(content):
    with pytest.raises(InputError):
        read_answers([(content, "a.bin")], FILE)


def test_a_line_that_was_handed_in_twice_counts_once():
    first, second = "a" * 64, "b" * 64
    lines = [line(), line(), line(receipt=first), line(receipt=second), line(receipt=first, signature="0f" * 256)]
    wrong = [line(receipt=7), line(receipt="X" * 64), line(receipt="c" * 64, note="x")]
    read = read_answers([(each.encode(), f"answer-{i}.json") for i, each in enumerate([*lines, *wrong])], FILE)
    assert read.n == 4  # lines without a receipt look the same
    assert {rejected.reason: rejected.rows for rejected in read.rejected} == {
        "an answer that was handed in before": 1,
        "a line that is not an answer from the form": 3,
    }
