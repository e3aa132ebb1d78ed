"""A survey of which part is asked directly: what is taken, stored, written, read, watched and closed."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rrcore.answers import Arms, read_answers
from rrcore.errors import InputError
from rrcore.ledger import Ledger
from rrcore.promise import DIRECTLY, RANDOMISED, MechanismFile, split_survey
from rrcore.promise.weights import LieWeights, MatrixWeights
from rrcore.receiver import Store, create_store, open_store
from rrcore.receiver.field import SurveySoFar
from rrcore.receiver.submission import Checker
from rrcore.receiver.together import SurveysTogether
from rrcore.report.closing import close_survey
from rrcore.table import Attribute, Schema
from tests.commands.terminal import run

DAY = dt.date(2026, 3, 1)
ASKED = Schema((Attribute("cheated", ("no", "yes")), Attribute("group", ("a", "b", "c"))))
FILE = MechanismFile(
    ASKED,
    (((0,), MatrixWeights(((6, 3, 1), (1, 3, 6)))), ((1,), LieWeights((3,), 0, (("0", 3), ("1", 1))))),
    reports=Schema((Attribute("cheated", ("red", "black", "white")), ASKED.attributes[1])),
)
SURVEY = split_survey(FILE)
DIRECT = SURVEY.files[1][1]


def line(file: MechanismFile, answers: tuple[str, str], receipt: int) -> bytes:
    record = {"mechanism": file.sha256, "answers": dict(zip(ASKED.names, answers, strict=True)), "receipt": f"{receipt:064x}"}
    return json.dumps(record).encode()


def filled(place: str, randomised: int = 60, directly: int = 30, day: dt.date = DAY) -> Store:
    store = create_store(place, FILE, title="Pilot", directly=33)
    rng, checker = np.random.default_rng(0), Checker(store.read_by, invited=False)
    people = [(FILE, ("red", "black", "white")[rng.integers(3)]) for _ in range(randomised)]
    people += [(DIRECT, ("no", "yes")[i % 3 == 0]) for i in range(directly)]
    lines = [line(file, (said, "abc"[i % 3]), i) for i, (file, said) in enumerate(people)]
    assert store.add([checker.read(each)[0] for each in lines], day) == ["stored"] * len(lines)
    return store


def test_either_part_is_taken_and_its_answers_are_checked_by_its_own_file() -> None:
    checker = Checker(SURVEY, invited=False)
    (first, _), (second, _) = (checker.read(line(file, (said, "b"), 1)) for file, said in ((FILE, "black"), (DIRECT, "yes")))
    assert first.codes == (1, 1)
    assert second.codes == (4, 4)
    for file, said in ((FILE, "yes"), (DIRECT, "black")):
        with pytest.raises(InputError, match="The answer to 'cheated' is not one of its categories"):
            checker.read(line(file, (said, "b"), 1))
    with pytest.raises(InputError, match="another mechanism file"):
        checker.read(line(replace(FILE, note="other"), ("red", "b"), 1))
    with pytest.raises(InputError, match="another mechanism file"):
        Checker(FILE, invited=False).read(line(DIRECT, ("yes", "b"), 1))


def test_a_mechanism_that_is_no_text_is_refused() -> None:
    with pytest.raises(InputError, match="another mechanism file"):
        Checker(SURVEY, invited=False).read(b'{"mechanism": [], "answers": {}, "receipt": ""}')


def test_what_is_stored_says_the_part(place: str) -> None:
    filled(place)
    store = open_store(place)
    assert store.directly == 33
    arms = Arms.of(store.answers())
    assert arms.directly is not None
    assert (arms.randomised.n, arms.directly.n) == (60, 30)
    assert arms.directly.counts(["cheated"]).tolist() == [20, 10]
    assert sorted(len(row.record) for row in _rows(store)) == [3] * 90  # all are equally long


def _rows(store: Store) -> list[object]:
    from sqlalchemy import select

    from rrcore.receiver.tables import ANSWERS, SURVEYS

    with SURVEYS.transaction(store.place) as connection:
        return list(connection.execute(select(ANSWERS)).all())


def test_the_table_of_answers_names_the_part_and_is_read_by_both_files_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, out = str(tmp_path / "pilot.survey"), tmp_path / "answers.csv"
    filled(place)
    assert run(capsys, "answers", "--db", place, "--out", out)[0] == 0
    assert {row.split(",")[3] for row in out.read_text("utf-8").splitlines()[1:]} == {RANDOMISED, DIRECTLY}
    arms = Arms.of(read_answers([out], SURVEY, column="group of people"))  # "group" is a question here
    assert arms.directly is not None
    assert (arms.randomised.n, arms.directly.counts(["cheated"]).tolist()) == (60, [20, 10])
    for file in (FILE, DIRECT):
        with pytest.raises(InputError, match="another mechanism file"):
            read_answers([out], file)


def test_the_field_watches_the_randomised_and_closing_promises_no_bound(tmp_path: Path) -> None:
    store = filled(str(tmp_path / "pilot.survey"))
    survey = SurveySoFar.of(store)
    assert survey.n == 90
    assert survey.watch(["cheated"]).n.tolist() == [60]
    ledger = Ledger.open(str(tmp_path / "releases.ledger"), create=True)
    closing = close_survey(store, on=DAY, ledger=ledger, population="pupils")
    assert closing.entry is not None
    assert (closing.entry.total, closing.entry.sha256) == (None, DIRECT.sha256)
    assert "Asked directly" in closing.report
    assert "30 people to answer directly" in closing.report


def test_what_a_look_says_counts_the_randomised_alone(tmp_path: Path) -> None:
    """Two thirds are randomised: the estimate is of these, and the precision that is wanted takes as many days more."""
    store = create_store(str(tmp_path / "pilot.survey"), FILE, title="Pilot", directly=33)
    checker, days = Checker(store.read_by, invited=False), [DAY + dt.timedelta(i) for i in range(6)]
    for day, each in enumerate(days):
        people = [(FILE, ("red", "black", "white")[i % 3]) for i in range(40)] + [(DIRECT, "no")] * 20
        lines = [line(file, (said, "abc"[i % 3]), 1_000 * day + i) for i, (file, said) in enumerate(people)]
        store.add([checker.read(one)[0] for one in lines], each)
    survey = SurveySoFar.of(store)
    watched = survey.watch(["cheated"])
    found = survey.forecast(watched, 0.05, days[-1])
    assert (survey.n, found.answers, found.per_day) == (360, 240, 40)
    assert survey.sentence(watched, (1,), 0.05, days[-1]).startswith("240 randomised answers in 6 days")
    assert survey.parts() == "120 people were asked directly: shares here are those of the 240 whose answers were randomised."


def test_while_only_one_part_has_answered_it_can_be_watched_or_closed(tmp_path: Path) -> None:
    first = SurveySoFar.of(filled(str(tmp_path / "first.survey"), 20, 0))
    assert first.arms is not None
    assert first.arms.directly is None
    assert first.watch(["cheated"]).n.tolist() == [20]
    store = filled(str(tmp_path / "second.survey"), 0, 20)
    with pytest.raises(InputError, match="All who answered so far were asked directly"):
        SurveySoFar.of(store).watch(["cheated"])
    assert close_survey(store, on=DAY).report == ""


def test_answers_that_come_later_are_added_to_what_was_read(tmp_path: Path) -> None:
    store = filled(str(tmp_path / "pilot.survey"))
    before = SurveySoFar.of(store)
    checker = Checker(store.read_by, invited=False)
    store.add([checker.read(line(DIRECT, ("yes", "a"), 1_000))[0]], DAY + dt.timedelta(1))
    after = SurveySoFar.of(store, before=before)
    assert after.arms is not None
    assert after.arms.directly is not None
    assert after.arms.directly.counts(["cheated"]).tolist() == [20, 11]
    assert after.watch(["cheated"]).n.tolist() == [60, 60][: len(after.watch(["cheated"]).n)]


def test_a_survey_that_is_served_again_has_to_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place, file = str(tmp_path / "pilot.survey"), tmp_path / "survey.json"
    file.write_text(FILE.to_json(), encoding="utf-8")
    filled(place)
    code, _, err = run(capsys, "serve", "--db", place, "--mechanism", file, "--directly", "20")
    assert code == 2
    assert "its number of people asked directly is another" in err


def test_beside_another_survey_it_stands_for_all_who_answered(tmp_path: Path) -> None:
    """Two regions with 90 answers each are halves of the whole, whether or not chance asked 30 people of one directly."""
    split, plain = (
        SurveySoFar.of(filled(str(tmp_path / name), *parts)) for name, parts in (("a.survey", (60, 30)), ("b.survey", (90, 0)))
    )
    assert SurveysTogether((split, plain)).watch(["cheated"]).parts.tolist() == [0.5, 0.5]
