"""Questions that are not randomized, from what the form sends to groups, weights and counts; the mechanism has no part in them."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import pytest

from rrcore.answers import alone_sentence, count_answers, open_answers, people_alone, read_answers
from rrcore.budget import build
from rrcore.cli import main
from rrcore.errors import InputError
from rrcore.promise import MechanismFile, integer_groups
from rrcore.receiver import Submission, create_store, open_store
from rrcore.receiver.submission import Checker
from rrcore.table.schema import Attribute, Schema

DAY = dt.date(2026, 3, 1)
ASKED = Schema((Attribute("smokes", ("no", "yes")), Attribute("day", ("work", "rest"))))
REGION = Attribute("region", ("north", "south", "east"))
AGE = Attribute("age", tuple(map(str, range(20, 33))))
RECEIPT = "0123456789abcdef" * 4


@pytest.fixture(scope="module")
def mechanism() -> MechanismFile:
    return MechanismFile(ASKED, integer_groups(build("independent", ASKED.sizes, (1.0, 1.5))))


def line(mechanism: MechanismFile, *, region: object = "south", age: object = "21", **more: object) -> bytes:
    known = {name: value for name, value in {"region": region, "age": age}.items() if value is not None}
    answers = {"smokes": "yes", "day": "work"}
    return json.dumps(
        {"mechanism": mechanism.sha256, "answers": answers, "unrandomized": known, "receipt": RECEIPT} | more
    ).encode()


def records(n: int) -> list[Submission]:
    """People 0, 1, 2, ...: their codes go round through all categories, the unrandomized ones behind."""
    return [Submission((i % 2, i // 2 % 2, i % 3, i % 13), f"receipt {i}".encode()) for i in range(n)]


def test_what_the_form_sends_is_read_as_codes_behind_those_of_the_reports(mechanism) -> None:
    checker = Checker(mechanism, invited=False, unrandomized=(REGION, AGE))
    found, _ = checker.read(line(mechanism))
    assert found.codes == (1, 0, 1, 1)
    assert len(line(mechanism, region="north", age="32")) <= checker.longest


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"region": "west"}, "The answer to 'region' is not one of its categories"),
        ({"region": ["south"]}, "This answer is not from the form"),
        ({"age": None}, "no others"),
        (
            {"unrandomized": {"region": "south", "age": "21", "name": "Ada"}},
            "each question of the survey, and no others",
        ),
        ({"unrandomized": "south"}, "This answer is not from the form"),
        (
            {"answers": {"smokes": "yes", "day": "work", "region": "south"}},
            "each question of the survey, and no others",
        ),
        ({"screen": 3}, "This answer is not from the form"),
    ],
)
def test_anything_else_is_refused_and_repeated_nowhere(mechanism, more, message) -> None:
    checker = Checker(mechanism, invited=False, unrandomized=(REGION, AGE))
    with pytest.raises(InputError) as caught:
        checker.read(line(mechanism, **more))
    assert message in str(caught.value)
    assert "Ada" not in str(caught.value)
    with pytest.raises(InputError, match="no others"):
        Checker(mechanism, invited=False).read(line(mechanism))  # a survey without such questions takes none


def test_the_store_keeps_them_with_the_report_at_a_place_that_says_nothing(place, mechanism) -> None:
    store = create_store(place, mechanism, title="Pilot", unrandomized=(REGION, AGE))
    store.add(records(39), DAY)
    first = store.answers()
    store.add(records(78), DAY + dt.timedelta(1))
    again = open_store(place)
    assert again == store
    for answers in (again.answers(), again.answers(first)):  # also where only new days are read
        assert tuple(column.name for column in answers.groupings) == ("day of arrival", "region", "age")
        region, age = answers.groupings[1:]
        found = sorted(zip(*answers.dataset.codes.T.tolist(), region.codes.tolist(), age.codes.tolist(), strict=True))
        assert found == sorted(each.codes for each in records(78))  # each with its own record
        assert (region.values, age.values) == (REGION.categories, AGE.categories)
    assert again.mechanism.certificate == mechanism.certificate


def test_reports_and_counts_are_what_they_are_without_them(place, mechanism) -> None:
    store = create_store(place, mechanism, title="Pilot", unrandomized=(REGION, AGE))
    store.add(records(78), DAY)
    answers = store.answers()
    wanted = np.bincount([each.codes[0] for each in records(78)])
    assert answers.counts(["smokes"]).tolist() == wanted.tolist()
    south = answers.split("region")["south"]
    assert (south.n, south.counts(["smokes"]).tolist()) == (26, [13, 13])
    estimate = south.estimate(["smokes"]).shares  # inverted by the mechanism's chances, which depend on no column
    assert estimate.tolist() == pytest.approx([0.5, 0.5])


def lines_file(mechanism, folder, n: int = 78) -> str:
    path = folder / "answers.jsonl"
    rows = []
    for each in records(n):
        smokes, day, region, age = each.codes
        record = {
            "mechanism": mechanism.sha256,
            "answers": {"smokes": ASKED.attributes[0].categories[smokes], "day": ASKED.attributes[1].categories[day]},
            "unrandomized": {"region": REGION.categories[region], "age": AGE.categories[age]},
            "receipt": each.receipt.hex().ljust(64, "0"),
        }
        rows.append(json.dumps(record))
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def test_lines_of_the_form_are_read_as_columns_for_groups(mechanism, tmp_path) -> None:
    path = lines_file(mechanism, tmp_path)
    held = read_answers(path, mechanism)
    assert tuple(column.name for column in held.groupings) == ("region", "age")
    assert {name: part.n for name, part in held.split("region").items()} == {"east": 26, "north": 26, "south": 26}
    counted = count_answers([open_answers(tmp_path / "answers.jsonl", "a")], mechanism, [("smokes",)], by="region")
    assert tuple(column.name for column in counted.groupings) == ("region",)
    for name, part in counted.split("region").items():
        assert part.counts(["smokes"]).tolist() == held.split("region")[name].counts(["smokes"]).tolist()


@pytest.mark.parametrize(
    "known",
    [
        "south",
        ["south"],
        {"region": 1},
        {"region": ""},
        {"": "south"},
        {"region": "x" * 501},
        {"smokes": "no"},
        dict.fromkeys(map(str, range(31)), "a"),
    ],
)
def test_a_line_with_anything_else_there_is_left_out(mechanism, known) -> None:
    good, bad = line(mechanism), line(mechanism, unrandomized=known, receipt="ab" * 32)
    answers = read_answers([(good + b"\n" + bad, "a.jsonl")], mechanism)
    assert (answers.n, answers.left_out, answers.rejected[0].reason) == (1, 1, "a line that is not an answer from the form")


def test_lines_of_surveys_without_such_questions_may_stand_beside_others(mechanism) -> None:
    plain = json.dumps({"mechanism": mechanism.sha256, "answers": {"smokes": "no", "day": "rest"}}).encode()
    answers = read_answers([(plain + b"\n" + line(mechanism), "a.jsonl")], mechanism)
    (region, _) = answers.groupings
    assert (answers.n, region.codes.tolist(), region.values) == (2, [-1, 0], ("south",))


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_the_table_of_answers_has_them_beside_the_day_and_is_read_back(mechanism, tmp_path, name, capsys) -> None:
    place, out = str(tmp_path / "pilot.survey"), str(tmp_path / name)
    store = create_store(place, mechanism, title="Pilot", unrandomized=(REGION, AGE))
    store.add(records(39), DAY)
    assert main(["survey", "answers", "--db", place, "--out", out]) == 0
    message = capsys.readouterr().out
    assert message.count("\n") == 2
    assert "39 of these 39 people have a unique combination of answers that were not randomized (region, age)" in message
    back = read_answers(out, mechanism)
    assert tuple(column.name for column in back.groupings) == ("day of arrival", "region", "age")
    assert {key: part.n for key, part in back.split("region").items()} == {"east": 13, "north": 13, "south": 13}


def test_who_is_alone_is_counted_as_by_hand(mechanism, tmp_path) -> None:
    answers = read_answers(lines_file(mechanism, tmp_path, 42), mechanism)
    pairs = [each.codes[2:] for each in records(42)]  # 39 combinations, three of which come twice
    wanted = sum(pairs.count(pair) == 1 for pair in pairs)
    assert people_alone(answers.groupings) == wanted == 36
    assert alone_sentence(answers.groupings).startswith(
        "36 of these 42 people have a unique combination of answers that were not randomized (region, age)"
    )
    assert alone_sentence(answers.groupings[:1]).startswith("None of these 42 people")
    assert alone_sentence(()) == ""
