"""Lines of the form that nobody vouches for: read in a bounded process of their own, that can be stopped."""

import json

import pytest

import rrcore as rr
from rrcore.errors import InputError
from rrcore.table.reading import lines
from rrcore.work.bounded import Bounds, OutgrownError, within

SCHEMA = rr.load_demo("titanic").schema.select(["Sex"])
FILE = rr.MechanismFile(SCHEMA, rr.integer_groups(rr.build("kronecker", (2,), [1.0])))
LINE = json.dumps({"mechanism": FILE.sha256, "answers": {"Sex": "Male"}}).encode()


def read(*content, name="a.jsonl"):
    return rr.read_answers([(b"\n".join(content), name)], FILE)


@pytest.mark.slow
def test_deep_and_huge_lines_are_left_out_and_no_thread_of_this_process_parses_any(monkeypatch):
    monkeypatch.setattr(lines, "parse", None)
    answers = read(LINE, b"[" * 2_000_000, b'{"a":' * 200_000, b'{"mechanism": "' + b"x" * (33 << 20) + b'"}', LINE)
    assert answers.n == 2
    assert [(each.reason, each.rows, each.first) for each in answers.rejected] == [
        ("a line that is not JSON, or gives a field twice", 3, "line 2 of a.jsonl")
    ]


def test_time_is_bounded_and_one_sentence_says_so():
    with within(Bounds(seconds=0)), pytest.raises(OutgrownError) as error:
        read(*[LINE] * 50_000)
    assert str(error.value) == "Reading 'a.jsonl' takes longer than the 0 seconds allowed. Split it into smaller files."


@pytest.mark.slow
def test_memory_is_bounded_and_one_sentence_says_so():
    with within(Bounds(megabytes=40)), pytest.raises(OutgrownError) as error:
        read(LINE, b'"' + b"x" * (31 << 20) + b'"')
    assert str(error.value) == "Reading 'a.jsonl' needs more memory than the 40 MB allowed. Split it into smaller files."


def test_reading_lines_can_be_stopped():
    class StoppedError(Exception):
        pass

    def stop(fraction, text):
        raise StoppedError

    with within(Bounds(report=stop)), pytest.raises(StoppedError):
        read(*[LINE] * 50_000)


def test_other_text_is_refused_in_a_sentence():
    with pytest.raises(InputError, match=r"The file 'a.jsonl' is not UTF-8 text: choose the answers as the form saved them\."):
        read(LINE, b'{"a": "\xff"}')


@pytest.mark.parametrize("answer", ["Other", "male", 1, True, ["Male"], {"Male": 1}])
def test_an_answer_that_is_none_of_the_choices_leaves_its_line_out(answer):
    other = json.dumps({"mechanism": FILE.sha256, "answers": {"Sex": answer}}).encode()
    answers = read(LINE, other, LINE)
    assert answers.n == 2
    assert [(each.rows, each.first) for each in answers.rejected] == [(1, "line 2 of a.jsonl")]
