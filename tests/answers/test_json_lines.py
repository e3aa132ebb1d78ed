"""Lines of the form that nobody vouches for."""

import json

import pytest

import rrcore as rr
from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.promise import integer_groups

SCHEMA = rr.load_demo("titanic").schema.select(["Sex"])
FILE = rr.MechanismFile(SCHEMA, integer_groups(build("independent", (2,), [1.0])))
LINE = json.dumps({"mechanism": FILE.sha256, "answers": {"Sex": "Male"}}).encode()


def read(*content, name="a.jsonl"):
    return rr.read_answers([(b"\n".join(content), name)], FILE)


@pytest.mark.slow
def test_deep_and_huge_lines_are_left_out():
    answers = read(LINE, b"[" * 2_000_000, b'{"a":' * 200_000, b'{"mechanism": "' + b"x" * (33 << 20) + b'"}', LINE)
    assert answers.n == 2
    assert [(each.reason, each.rows, each.first) for each in answers.rejected] == [
        ("a line that is not an answer from the form", 3, "line 2 of a.jsonl")
    ]


def test_other_text_is_refused_in_a_sentence():
    with pytest.raises(InputError, match=r"'a\.jsonl' .*UTF-8"):
        read(LINE, b'{"a": "\xff"}')


@pytest.mark.parametrize("answer", ["Other", "male", 1, True, ["Male"], {"Male": 1}])
def test_an_answer_that_is_none_of_the_choices_leaves_its_line_out(answer):
    other = json.dumps({"mechanism": FILE.sha256, "answers": {"Sex": answer}}).encode()
    answers = read(LINE, other, LINE)
    assert answers.n == 2
    assert [(each.rows, each.first) for each in answers.rejected] == [(1, "line 2 of a.jsonl")]
