"""Hostile documents in every JSON format that is read. Each ends in one short sentence, never in a traceback."""

import datetime as dt
import json
import re
import sqlite3
import time
from itertools import product

import pytest

import rrcore as rr
from rrcore.answers import read_answers
from rrcore.asking import SurveyFile
from rrcore.asking.translation import Translation
from rrcore.budget import Draft, Origin, Pinned, Plan, Project, build
from rrcore.errors import InputError
from rrcore.ledger import Entry, Ledger, total_after_release
from rrcore.ledger.entry import check_date
from rrcore.limits import MAX_QUESTIONS
from rrcore.promise import MechanismFile, integer_groups
from rrcore.receiver.submission import Checker
from rrcore.table import Attribute, Schema
from tests.formats.test_formats import FILES, KINDS

SCHEMA = rr.load_demo("titanic").schema
PLAN = Plan(SCHEMA, 2.0, n=500)
DESIGN = Plan(SCHEMA, budget=4.0, workload=[["Sex", "Survived"]], n=500)
FLOORED = Plan(SCHEMA, 2.0, n=500, safeguards=rr.Safeguards(1.0, ((0, 1),), (1.0,) * 4))
KRONECKER = build("independent", SCHEMA.sizes, PLAN.epsilon)  # a stand-in, because what a plan achieves is not read
PINNED = Pinned().pin(PLAN, "mine").pin(DESIGN, "other")
PROJECT = Project(
    Origin("demo", "Titanic", "titanic"), SCHEMA, Draft(500, SCHEMA.names, dict.fromkeys(SCHEMA.names, 2.0)), PINNED
)
MECHANISM = MechanismFile(SCHEMA.select(["Sex"]), integer_groups(build("independent", (2,), [1.0])))
LINE = json.dumps({"mechanism": MECHANISM.sha256, "answers": {"Sex": "Male"}})


def answers(text):
    """A file of lines is read if one of them can be used, so the line in question follows a good one."""
    found = read_answers([(f"{LINE}\n".encode() + (text if isinstance(text, bytes) else text.encode()), "a.jsonl")], MECHANISM)
    if found.left_out:
        raise InputError(f"In the line, {found.rejected[0].reason}.")
    return found


def submission(text):
    return Checker(MECHANISM, invited=False).read(text if isinstance(text, bytes) else text.encode())


READERS = {
    "plan": (Plan.from_json, DESIGN.to_json(KRONECKER)),
    "plan with safeguards": (Plan.from_json, FLOORED.to_json(KRONECKER)),
    "pinned plans": (Pinned.from_json, PINNED.to_json()),
    "project": (Project.from_json, PROJECT.to_json()),
    "mechanism file": (MechanismFile.from_json, MECHANISM.to_json()),
    "survey file": (SurveyFile.from_json, SurveyFile(MECHANISM, "Pilot", questions={"Sex": "Which?"}).to_json()),
    "survey file in two languages": (
        SurveyFile.from_json,
        SurveyFile(
            MECHANISM,
            "Pilot",
            unrandomized=(Attribute("region", ("north", "south")),),
            translations={"fr": Translation("Pilote", "", {"Sex": "Lequel ?"}, {"region": ("nord", "sud")})},
        ).to_json(),
    ),
    "line of answers": (answers, LINE),
    "submission": (submission, json.dumps(json.loads(LINE) | {"receipt": "0" * 64})),
}


def outcome(read, text):
    """The sentence that refuses ``text``, found within 1.5 s of the processor; empty if it is read."""
    start = time.process_time()
    try:
        read(text)
        said = ""
    except InputError as error:
        said = str(error)
        assert re.fullmatch(r"[A-Z][^\n]{15,600}\.", said), said
        assert said.isprintable()
    assert time.process_time() - start < 1.5
    return said


def nodes(value, path=()):
    """Every place of a document."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*path, key)
            yield from nodes(inner, (*path, key))


def changed(text, path, raw):
    """The document with ``raw`` JSON at the place."""
    document = json.loads(text)
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = "@@"
    return json.dumps(document).replace('"@@"', raw)


RAW = {
    "NaN": "NaN",
    "infinite": "1e999",
    "minus infinite": "-Infinity",
    "5,000 digits": "9" * 5000,
    "50 digits": "-" + "9" * 50,
    "half a character": '"\\ud800"',
    "deep lists": "[" * 3000 + "]" * 3000,
    "deeper fields": '{"a":' * 33 + "1" + "}" * 33,
    "a field twice": '{"a": 1, "a": 2}',
}
"""What no document holds anywhere, not even in a field that is ignored."""

WRONG = {
    "null": "null",
    "true": "true",
    "a text": '"x"',
    "an empty text": '""',
    "a number": "-1.5",
    "a list": "[1]",
    "fields": '{"a": 1}',
    "a long text": json.dumps("y" * 100_000),
    "right to left": '"\\u202eevil"',
    "nothing to see": '"\\u200b"',
    "a NUL": '"\\u0000"',
}
"""What belongs to few places: where it does not, a sentence; where it does, the document is read."""


@pytest.mark.parametrize("name", READERS)
def test_what_no_document_holds_is_refused_at_its_place(name):
    read, text = READERS[name]
    places = list(nodes(json.loads(text)))
    for raw, path in product(RAW, places[:: max(1, len(places) // 4)]):
        said = outcome(read, changed(text, path, RAW[raw]))
        assert said, (raw, path)
        if name not in ("line of answers", "submission") and "deep" not in raw:
            assert any(str(key) in said for key in (*path[-2:], "column")), (raw, path, said)


@pytest.mark.parametrize("name", READERS)
def test_wrong_types_everywhere_end_in_a_sentence_or_a_document(name):
    read, text = READERS[name]
    places = list(nodes(json.loads(text)))
    for wrong, path in product(WRONG.values(), places[:: max(1, len(places) // 8)]):
        outcome(read, changed(text, path, wrong))


@pytest.mark.parametrize("name", READERS)
def test_every_field_given_twice_is_refused(name):
    read, text = READERS[name]
    for key in json.loads(text):
        twice = f'{{"{key}": {json.dumps(json.loads(text)[key])}, {text.lstrip()[1:]}'
        assert outcome(read, twice), key


@pytest.mark.parametrize("name", READERS)
def test_no_json_object_is_no_document(name):
    read, text = READERS[name]
    for content in (
        *(b"\xff\xfe{", b"\x00", "{}", "[]", "[[[", '"', "1", "null", '{"a": }', "'a'"),
        *(text[: len(text) // 2], text + "]"),
    ):
        assert outcome(read, content)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b" " * (32 * 2**20 + 1), "larger than 32 MB"),
        ("[" + "[]," * 1_500_000 + "[]]", "more than 2,000,000 values"),
        ("[" * 100_000, "is nested too deeply"),
    ],
    ids=["too long", "too many values", "too deep"],
)
def test_size_is_refused_before_it_takes_memory(content, said):
    assert said in outcome(Plan.from_json, content)


def with_design(**fields):
    document = json.loads(DESIGN.to_json(KRONECKER))
    for key, value in fields.items():
        document[key] = value
    return json.dumps(document)


def wide(k):
    return [{"name": f"q{i}", "categories": ["no", "yes"], "epsilon": 1.0} for i in range(k)]


PLANS = {
    "a total that is no number": (with_design(budget=float("nan")), "budget: expected a number or null, got NaN"),
    "a total below 0": (with_design(budget=-1), "The total ε is -1 for 4 attributes"),
    "a total above the most": (with_design(budget=61), "61"),
    "a floor of 1e5": (
        with_design(safeguards={"floor": 1e5, "marginals": [], "slacks": None}),
        "The accuracy floor is 100000. Choose a number from 0.001 to 1000",
    ),
    "levels in bits": (with_design(unit_of_levels="bits"), "unit_of_levels: expected 'nats', got 'bits'"),
    "a million questions": (with_design(workload=[["Sex"]] * 10**6), "more than 2,000,000 values"),
    "too many questions": (
        with_design(workload=[["Sex"]] * (MAX_QUESTIONS + 1)),
        "workload: expected a list of length at most 4096, got a list of 4,097",
    ),
    "41 attributes with questions": (
        with_design(attributes=wide(41), workload=[["q0"]]),
        "1 to 12 attributes, got 41",
    ),
    "1,001 attributes": (
        with_design(mechanism="independent", budget=None, workload=[], attributes=wide(1001)),
        "There are 1,001 attributes",
    ),
    "1,000 attributes": (with_design(mechanism="independent", budget=None, workload=[], attributes=wide(1000)), ""),
    "41 attributes": (with_design(mechanism="optimal", budget=None, workload=[], attributes=wide(41)), ""),
    "people in words": (with_design(n="many"), "n: expected a whole number, got 'many'"),
    "people above the most": (with_design(n=10**39), "n is 1000"),
    "a field twice": (
        DESIGN.to_json(KRONECKER).replace('"n"', '"n": 5, "n"'),
        "n: expected a whole number, got the field twice",
    ),
    "alike but not the same": (with_design(attributes=[*wide(1), {**wide(1)[0], "name": "q\u2080"}], workload=[["q0"]]), ""),
}


@pytest.mark.parametrize(("text", "said"), PLANS.values(), ids=PLANS)
def test_plans_that_broke_the_budget_page(text, said):
    found = outcome(Plan.from_json, text)
    assert said in found
    assert bool(found) == bool(said)


@pytest.mark.parametrize("name", ["plan", "pinned", "project"])
def test_no_format_reads_bits_as_nats(name):
    text = (FILES / f"{name}.json").read_text("utf-8")
    read = KINDS[name].from_json
    assert outcome(read, text) == ""
    for named in re.finditer('"nats"', text):  # each place by itself
        assert "unit_of_levels" in outcome(read, f'{text[: named.start()]}"bits"{text[named.end() :]}')


@pytest.mark.parametrize(
    "epsilon", ["[1]", '[["Sex"]]', '{"Sex": "1.000000000"}', '[["Sex", "1.000000000", 1]]', "NaN", "[" * 9999, 5, None]
)
def test_a_row_of_a_ledger_that_is_something_else(tmp_path, epsilon):
    place = tmp_path / "a.ledger"
    ledger = Ledger.open(str(place), create=True)
    ledger.add(Entry.of(MECHANISM, population="panel", date=dt.date(2020, 1, 1)))
    with sqlite3.connect(place) as connection:
        connection.execute("PRAGMA ignore_check_constraints = 1")
        connection.execute("UPDATE rr_release SET epsilon = ?", ("x" if epsilon is None else epsilon,))
    assert "Entry 1" in outcome(Ledger.open, str(place))


@pytest.mark.parametrize(
    "day", [dt.date(1, 1, 1), dt.date(1989, 12, 31), dt.date(9999, 12, 31), dt.date.today() + dt.timedelta(days=367)]
)
def test_dates_that_nobody_means_are_not_recorded(tmp_path, day):
    ledger = Ledger.open(str(tmp_path / "a.ledger"), create=True)
    entry = Entry.of(MECHANISM, population="panel", date=day)
    for record in (ledger.add, lambda one: total_after_release((), one)):
        said = outcome(record, entry)
        assert said.startswith(f"The date of the release is {day.isoformat()}. Enter a date from 1990-01-01 to ")
    assert ledger.entries() == ()


def test_dates_that_are_meant():
    today = dt.date(2026, 2, 28)
    for day in (dt.date(1990, 1, 1), today, today + dt.timedelta(days=366)):
        check_date(day, today)
    with pytest.raises(InputError):
        check_date(today + dt.timedelta(days=367), today)


def test_a_schema_of_strange_names_goes_through_every_document():
    names = ["\u202eevil", "a\u200bb", "ａ", "a", "<b>", "=1+1", "..", "constructor", "__proto__", "x" * 500]
    schema = Schema(tuple(Attribute(name, ("yes", "\u0443es", name)) for name in names))
    plan = Plan(schema, 1.0, n=9)
    assert Plan.from_json(plan.to_json()) == plan
    draft = Draft(9, schema.names, dict.fromkeys(schema.names, 1.0))
    project = Project(Origin(), schema, draft, Pinned().pin(plan))
    assert Project.from_json(project.to_json()) == project
    file = MechanismFile(schema.select(names[:2]), integer_groups(build("independent", (3, 3), [1.0, 1.0])))
    assert MechanismFile.from_json(file.to_json()) == file
