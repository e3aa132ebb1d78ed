"""What the form hands in has one length, whatever was answered; shorter lines of forms given out before are read as ever."""

import json
import subprocess
from pathlib import Path

import pytest

from rrcore.answers import read_answers
from rrcore.promise import MechanismFile
from rrcore.promise.weights import LieWeights
from rrcore.receiver.submission import Checker
from rrcore.table import Attribute, Schema
from tests.programs import node

HERE = Path(__file__).parent
RECEIPT = "0123456789abcdef" * 4


def file_of(*questions):
    """A mechanism file of questions: name and categories."""
    schema = Schema(tuple(Attribute(name, categories) for name, categories in questions))
    return MechanismFile(schema, tuple(((i,), LieWeights((size,), 1, (("0", 2),))) for i, size in enumerate(schema.sizes)))


FILES = {
    "two answers": file_of(("smokes", ("no", "yes"))),
    "two questions": file_of(("smokes", ("no", "yes, every day")), ("area", ("a", "the whole of the north"))),
    "twelve answers": file_of(("month", tuple(f"{i} {'x' * i}" for i in range(1, 13)))),
    "two hundred answers": file_of(("postcode", tuple(str(i) for i in range(200)))),
    "other scripts": file_of(("q", ("no", "日本語", "\u2028\x85", 'a "quoted" \\ one', "🚬", "\u202ex", "\x01"))),
}


@pytest.fixture(scope="module")
def lines():
    """For each file what the form hands in for every report, with a receipt and without."""
    given = [
        {"mechanism": json.loads(file.to_json()), "more": more} for file in FILES.values() for more in ({}, {"receipt": RECEIPT})
    ]
    done = subprocess.run(
        [node(), str(HERE / "form_record.mjs")], input=json.dumps(given).encode(), capture_output=True, check=True
    )
    found = json.loads(done.stdout)
    return {name: (found[2 * i], found[2 * i + 1]) for i, name in enumerate(FILES)}


@pytest.mark.parametrize("name", FILES)
def test_whatever_was_answered_as_many_bytes_are_handed_in(name, lines):
    schema = FILES[name].schema
    for written in lines[name]:
        assert len(written) == sum(schema.sizes)
        assert len({len(line.encode()) for line in written}) == 1
        assert {line[-1] for line in written} == {"}"}  # no edge that a copy could lose
        assert not any(end in line for line in written for end in "\n\r\u2028\u2029\x85")


@pytest.mark.parametrize("name", [name for name, file in FILES.items() if len(file.schema.sizes) == 1])
def test_it_is_no_longer_than_the_longest_answers(name, lines):
    """One of the lines has no spaces at its end where only one question is asked."""
    assert any(not line[:-1].endswith(" ") for line in lines[name][0])


@pytest.mark.parametrize("name", FILES)
def test_receiver_and_reader_take_long_lines_and_the_short_ones_of_earlier_forms(name, lines):
    file = FILES[name]
    checker = Checker(file, invited=False)
    long = lines[name][1]
    short = [json.dumps(json.loads(line)) for line in long]
    shortest = [json.dumps(json.loads(line), ensure_ascii=False) for line in long]
    assert [checker.read(line.encode()) for line in long] == [checker.read(line.encode()) for line in short]
    assert max(len(line.encode()) for line in long) <= checker.longest
    plain = lines[name][0]
    codes = [
        read_answers([("\n".join(given).encode(), "answers.jsonl")], file).dataset.codes.tolist()
        for given in (plain, [json.dumps(json.loads(line)) for line in plain])
    ]
    assert codes[0] == codes[1]
    assert len(set(map(len, shortest))) > 1 or name == "two questions"  # without spaces, the lengths would differ
