"""From a table with numbers and missing answers to estimates and an audit, with no step by hand, in one piece and in batches."""

import json

import numpy as np
import pytest

import rrcore as rr
from rrcore.answers import read_answers
from rrcore.commands.progress import shown
from rrcore.documents import encode
from rrcore.promise import MechanismFile
from rrcore.promise.integers import check_writable
from rrcore.table import MISSING
from rrcore.table.recoding import interval_names
from tests.commands.terminal import run

PEOPLE = 3000


@pytest.fixture
def table(tmp_path):
    """A table of 3,000 people: sex, age in years and whether they smoke, an age in twenty and a smoker in ten missing."""
    rng = np.random.default_rng(1)
    sex, smokes = rng.choice(["f", "m"], PEOPLE), rng.choice(["no", "yes", ""], PEOPLE, p=[0.6, 0.3, 0.1])
    age = np.where(rng.random(PEOPLE) < 0.05, "", rng.integers(18, 90, PEOPLE).astype(str))
    rows = "".join(",".join(row) + "\n" for row in zip(sex, age, smokes, strict=True))
    (tmp_path / "table.csv").write_text(f"sex,age,smokes\n{rows}")
    return tmp_path / "table.csv"


def chain(capsys, table, *options):
    """(mechanism file, answers, result of read) of a plan with ``options``; every command says that it went well."""
    place = table.parent
    plan, mechanism, answers = (place / name for name in ("plan.json", "mechanism.json", "answers.csv"))
    drop = ("--missing", "drop") if "drop" in options else ()
    for command in (
        ("plan", "--in", table, "--eps", "4", *options, "--out", plan),
        ("mechanism", "--plan", plan, "--out", mechanism),
        ("collect", "--mechanism", mechanism, "--in", table, "--out", answers, *drop),
        ("audit", "--mechanism", mechanism, "--answers", answers),
    ):
        assert run(capsys, *command)[0] == 0, command
    code, out, _ = run(capsys, "read", "--mechanism", mechanism, "--in", answers, "--json")
    assert code == 0
    return MechanismFile.open(mechanism), answers, json.loads(out)


def test_numbers_fall_into_intervals_and_a_missing_answer_is_an_answer(table, capsys):
    file, _, found = chain(capsys, table, "--bins", "age=30,50,70")
    age = file.schema.attributes[1]
    assert age.categories == (*interval_names((30, 50, 70)), MISSING)
    assert file.schema.attributes[2].categories == ("no", "yes", MISSING)
    assert found["answers"] == PEOPLE
    cells = found["marginals"][1]["cells"]
    ages = [line.split(",")[1] for line in table.read_text().splitlines()[1:]]
    truth = [
        sum(bool(each) and low <= int(each) < high for each in ages) for low, high in ((0, 30), (30, 50), (50, 70), (70, 99))
    ]
    truth = np.array([*truth, ages.count("")]) / PEOPLE
    assert (np.abs(np.array(cells["estimate"]) - truth) < 5 * np.array(cells["standard error"])).all()  # false alarm 3e-6


def test_rows_with_a_missing_answer_are_left_out_on_request_alone(table, capsys):
    file, _, found = chain(capsys, table, "--missing", "drop")
    complete = sum(all(line.split(",")) for line in table.read_text().splitlines()[1:])
    assert found["answers"] == complete < PEOPLE
    assert MISSING not in {category for each in file.schema.attributes for category in each.categories}
    again = ("collect", "--mechanism", table.parent / "mechanism.json", "--in", table, "--out", table.parent / "again.csv")
    code, _, err = run(capsys, *again)
    assert code == 2
    assert "leave out those without an answer, with --missing drop" in err
    told = json.loads(run(capsys, *again, "--missing", "drop", "--json")[1])
    assert (told["records"], told["left_out"]) == (complete, PEOPLE - complete)


def test_a_table_that_is_read_in_batches_becomes_the_same(table, tmp_path, capsys):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "1.csv").write_bytes(table.read_bytes())
    plans = [tmp_path / name for name in ("whole.json", "folder.json")]
    for source, plan in zip((table, folder), plans, strict=True):
        assert run(capsys, "plan", "--in", source, "--bins", "age=30,50,70", "--eps", "30", "--out", plan)[0] == 0
    assert plans[0].read_text() == plans[1].read_text()
    assert run(capsys, "mechanism", "--plan", plans[0], "--out", tmp_path / "m.json")[0] == 0
    file = MechanismFile.open(tmp_path / "m.json")
    codes = []
    for number, source in enumerate((table, folder)):
        out = tmp_path / f"{number}.csv"
        assert run(capsys, "collect", "--mechanism", tmp_path / "m.json", "--in", source, "--out", out)[0] == 0
        codes.append(read_answers(out, file).dataset.codes)
    np.testing.assert_array_equal(*codes)  # at 30 nats nobody lies
    drop = ("--missing", "drop")
    assert run(capsys, "plan", "--in", folder, "--eps", "2", "--out", tmp_path / "d.json", *drop)[0] == 0
    assert run(capsys, "mechanism", "--plan", tmp_path / "d.json", "--out", tmp_path / "dm.json")[0] == 0
    collect = ("collect", "--mechanism", tmp_path / "dm.json", "--in", folder, "--out", tmp_path / "d.csv")
    assert run(capsys, *collect)[0] == 2
    assert run(capsys, *collect, *drop)[0] == 0


def test_a_table_gives_its_number_of_people_where_that_is_not_sought(table, capsys):
    plan = ("plan", "--in", table, "--eps", "2", "--question", "sex,age", "--json")
    assert json.loads(run(capsys, *plan)[1])["wanted"]["people"] == PEOPLE
    assert json.loads(run(capsys, *plan, "--precision", "9")[1])["wanted"]["sought"] == "people"
    levels = ("plan", "--in", table, "--question", "sex", "--precision", "5", "--json")
    assert json.loads(run(capsys, *levels)[1])["wanted"]["sought"] == "levels"


def test_categories_that_are_typed_stand_in_the_plan(tmp_path, capsys):
    named = ("--categories", "sex=f|m", "--categories", "smokes=no|yes|no answer")
    assert run(capsys, "plan", *named, "--eps", "2,1", "--people", "100", "--out", tmp_path / "p.json")[0] == 0
    assert rr.Plan.from_json((tmp_path / "p.json").read_text()).schema.attributes[1].categories == ("no", "yes", "no answer")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ((), "found none of them."),
        (("--in", "demo:titanic", "--sizes", "2,2"), "found --in and --sizes."),
        (("--sizes", "2,2", "--bins", "a=1"), "--attributes and --bins are about the columns of a table"),
        (("--in", "demo:titanic", "--names", "a,b"), "--names go along with --sizes"),
        (
            ("--in", "demo:titanic", "--sheet", "x", "--header", "no"),
            "is a demo table and no file: leave out --header and --sheet.",
        ),
        (("--in", "demo:titanic", "--bins", "Age"), "write --bins 'attribute=limits'"),
        (("--in", "demo:titanic", "--bins", "Height=1"), "There is no column 'Height': choose among Class, Sex"),
        (("--in", "demo:titanic", "--bins", "Age=30"), "'Age' has the value 'Child', which is not a number"),
        (("--categories", "smokes=no"), "'smokes' has only the category 'no'"),
    ],
)
def test_what_cannot_be_planned_is_one_sentence(more, sentence, capsys):
    code, out, err = run(capsys, "plan", "--eps", "1", *more)
    assert (code, out) == (2, "")
    assert sentence in err


def unlike(tmp_path, mechanism="pair-safe"):
    """A plan file of 17 attributes of which no two are alike."""
    schema = rr.Schema(tuple(rr.Attribute(f"q{i}", ("no", "yes")) for i in range(17)))
    plan = rr.Plan.for_levels(schema, [0.5 + i / 10 for i in range(17)], mechanism=mechanism, respondents=9)
    (tmp_path / "plan.json").write_text(encode(plan.fields()))
    return plan


def test_many_unlike_attributes_are_refused_before_the_search(tmp_path, capsys, monkeypatch):
    plan = unlike(tmp_path)
    monkeypatch.setattr(rr.Plan, "build", lambda *_, **__: pytest.fail("minutes of search"))
    code, _, err = run(capsys, "mechanism", "--plan", tmp_path / "plan.json", "--out", tmp_path / "m.json")
    assert code == 2
    assert err.startswith("No mechanism file can be made for 17 attributes that are all unlike")
    assert "ask at most 16 of them" in err
    with pytest.raises(rr.InputError, match="same level, so that counts of lies will do"):
        rr.MechanismFile.from_plan(plan)


def test_a_plan_that_no_mechanism_file_can_be_made_of_says_so_first(tmp_path, capsys, monkeypatch):
    told = []
    monkeypatch.setattr("rrcore.commands.plan.note", told.append)
    monkeypatch.setattr("rrcore.commands.plan.build", lambda *_, **__: pytest.fail(told[0]))
    levels = ",".join(str(0.5 + i / 10) for i in range(17))
    with pytest.raises(pytest.fail.Exception, match="The plan can be looked at, and no more: no mechanism file can be made"):
        run(capsys, "plan", "--sizes", ",".join("2" * 17), "--eps", levels, "--people", "9", "--out", tmp_path / "p.json")


def test_attributes_that_are_alike_and_simple_mechanisms_are_not_refused(tmp_path):
    for mechanism in ("kronecker", "joint"):
        unlike(tmp_path, mechanism).integer_groups()
    check_writable("pair-safe", (2,) * 18, (1.0,) * 18)
    check_writable("pair-safe", tuple(range(2, 18)), (1.0,) * 16)


def test_what_takes_long_says_how_far_it_is_where_there_is_no_terminal(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr("rrcore.commands.progress.time.monotonic", lambda: now[0])
    report = shown()
    for now[0], fraction in ((5.0, 0.1), (11.0, 0.2), (20.0, 0.3), (42.0, 0.4)):
        report(fraction, "solving")
    assert capsys.readouterr().err.splitlines() == [" 20% solving", " 40% solving"]
