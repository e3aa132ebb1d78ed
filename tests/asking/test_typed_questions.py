"""Questions as they are typed: what each line means, what is refused, and that writing is undone by reading."""

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rrcore.asking.typed_questions import read_questions, write_questions
from rrcore.errors import InputError
from rrcore.table import Attribute, Schema


@pytest.mark.parametrize(
    ("line", "attribute"),
    [
        ("smokes: no, yes", Attribute("smokes", ("no", "yes"))),
        ("  smokes :no,yes  ", Attribute("smokes", ("no", "yes"))),
        ("health: poor < fair < good", Attribute("health", ("poor", "fair", "good"), "ordinal")),
        ("age: <18, 18-64, 65+", Attribute("age", ("<18", "18-64", "65+"))),
        ("age: <18 < 18-64 < 65+", Attribute("age", ("<18", "18-64", "65+"), "ordinal")),
        ('work: "Sales, retail", other', Attribute("work", ("Sales, retail", "other"))),
        ('"time: now": 8:00, 9:00', Attribute("time: now", ("8:00", "9:00"))),
        ('said: "a ""b""", c "d" e', Attribute("said", ('a "b"', 'c "d" e'))),
        ("region: 4", Attribute("region", ("1", "2", "3", "4"))),
        ("gaps: a,, b,", Attribute("gaps", ("a", "b"))),
    ],
)
def test_a_line_is_a_question(line, attribute):
    assert read_questions(f"\n{line}\n\n").attributes == (attribute,)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: 1, 2\nsmokes no, yes", "Line 2, 'smokes no, yes', has no name"),
        (": no, yes", "Line 1, ': no, yes', has no name"),
        ("smokes:", "'smokes' has no categories"),
        ("smokes: yes", "'smokes' has only the category 'yes'"),
        ("smokes: 1001", "'smokes' has 1,001 categories, but at most 1,000 are allowed"),
        ("smokes: yes, no, yes", "'smokes' lists the category 'yes' twice"),
        ("a: 2\na: 3", "Two attributes are named 'a'"),
        ("", "No attribute is chosen"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(text, sentence):
    with pytest.raises(InputError) as refused:
        read_questions(text)
    assert sentence in str(refused.value)
    assert str(refused.value).endswith(".")


TEXT = st.text(st.sampled_from("ab \",:<0'é"), min_size=1, max_size=6).filter(lambda text: text == text.strip())
QUESTION = st.builds(
    Attribute, TEXT, st.lists(TEXT, min_size=2, max_size=4, unique=True).map(tuple), st.sampled_from(["nominal", "ordinal"])
)


@given(st.lists(QUESTION, min_size=1, max_size=4, unique_by=lambda each: each.name))
def test_what_is_written_is_read_back(questions):
    schema = Schema(tuple(questions))
    assert read_questions(write_questions(schema)) == schema


@pytest.mark.parametrize(
    "text", [" " * 20_000 + "x", "x" + " " * 20_000 + "y", "q: a" + " " * 20_000 + "b, y", "q: a < b" + " " * 20_000]
)
def test_long_runs_of_blanks_take_no_time(text):
    start = time.process_time()
    with suppress(InputError):
        read_questions(text)
    assert time.process_time() - start < 1
