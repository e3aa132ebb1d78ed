"""Analyze: released answers as any kind of file, shares, regressions, and the check of a mechanism."""

import datetime as dt
import json
import re
import secrets

import numpy as np
import pytest

import rrcore as rr
from pages.analyze import check
from pages.shared.answers import HeldAnswers
from pages.shared.widgets import plain
from rrcore.budget import build
from rrcore.estimate import Release
from rrcore.mark import simulation_mark
from rrcore.promise import integer_groups, release_table
from rrcore.receiver import Submission, create_store
from rrcore.table import Attribute, Dataset, Schema
from tests.answers.test_sample_design import ONE, infertility
from tests.auditing import zoo
from tests.pages.rendered import rendered
from tests.promise.test_reports import narrow

TITANIC = rr.load_demo("titanic")
FILE = rr.MechanismFile(TITANIC.schema, integer_groups(build("preserving-2", TITANIC.schema.sizes, np.full(4, 2.0))))
MECHANISM = ("mechanism.json", FILE.to_json().encode())
RELEASED = Dataset(TITANIC.schema, FILE.sample(TITANIC.codes, rng=np.random.default_rng(0)))
TABLE = ("released.csv", RELEASED.to_csv().encode())
DAMAGED = re.sub(
    rb"(released.csv.{50}).{40}", rb"\1" + b"\xff" * 40, release_table(FILE, TITANIC).to_zip(), count=1, flags=re.DOTALL
)
ASKED = TITANIC.select(["Sex", "Survived"])
PAIR = rr.MechanismFile(ASKED.schema, integer_groups(build("preserving-2", ASKED.schema.sizes, np.full(2, 2.0))))


@pytest.fixture
def analyze(session):
    return session.go("analyze")


@pytest.fixture
def checking(session, monkeypatch):
    """The tab that checks a mechanism, with fewer runs and one false alarm in a million."""
    monkeypatch.setattr(check, "RUNS", 10_000)
    monkeypatch.setattr("rrcore.auditing.checks.AUDIT_CONFIDENCE", 1 - 1e-6)
    return session.go("analyze", "Check a mechanism")


def zone(session):
    return next((each for each in session.at.file_uploader if each.key and each.key.startswith("analyze_files")), None)


def drop(session, *files):
    zone(session).set_value([(name, content, "application/octet-stream") for name, content in files])
    return session.run()


def held(session):
    return session.at.session_state[f"{HeldAnswers.__module__}.{HeldAnswers.__qualname__}"]


def shown(session, column):
    return next(frame.value for frame in session.at.dataframe if column in frame.value.columns)


def code(session):
    return next(each.value for each in session.at.code if "import rrcore" in each.value)


def database(folder):
    store = create_store(str(folder / "pilot.survey"), FILE, title="Pilot")
    rows = RELEASED.codes[:300].tolist()
    store.add([Submission(tuple(row), secrets.token_bytes(8)) for row in rows], dt.date(2026, 3, 1))
    return (folder / "pilot.survey").read_bytes()


def with_columns():
    """Sex and survival randomized, next to the true class and an invented age."""
    rng = np.random.default_rng(0)
    rows = Dataset(ASKED.schema, PAIR.sample(ASKED.codes, rng=rng)).to_csv().splitlines()
    age = rng.integers(18, 60, TITANIC.n)
    classes = TITANIC.schema.attributes[0].categories
    more = [f"{classes[code]},{years}" for code, years in zip(TITANIC.codes[:, 0], age, strict=True)]
    return "\n".join([rows[0] + ",Class,age", *(f"{row},{each}" for row, each in zip(rows[1:], more, strict=True))]).encode()


def test_every_tab_opens_with_the_drop_zone(open_session):
    session = open_session(table="")
    for tab in ("Proportions", "Regression", "Check a mechanism"):
        assert zone(session.go("analyze", tab)) is not None
        assert session.errors == []


def test_an_archive_is_dropped_and_shown_at_once(analyze):
    drop(analyze, ("release.zip", release_table(FILE, TITANIC).to_zip()))
    assert zone(analyze) is None
    assert held(analyze).answers.n == 2201
    traces = analyze.figures["proportions"].traces
    assert "shrinkage" in traces
    assert any(trace and trace.startswith("unbiased estimate with") for trace in traces)


def test_the_interval_belongs_to_the_estimate_that_is_drawn(analyze):
    drop(analyze, MECHANISM, TABLE)
    estimate = Release(RELEASED, FILE).estimate(["Sex", "Age"])
    low, high = estimate.interval(population=True)
    frame = analyze.frame("estimates-Sex-Age.csv")
    for column, expected in (("estimate", estimate.shares), ("conf_low", low), ("conf_high", high)):
        assert np.allclose(frame[column], expected.ravel(), rtol=0, atol=1e-12)
    analyze.look_at("analyze_view", "Table")
    rows = shown(analyze, "Unbiased (95% CI)")
    assert len(rows) == 4
    assert not any("(" in text for text in rows["Shrinkage"])


MARKED = (MECHANISM[0], b"\xef\xbb\xbf" + MECHANISM[1])  # as an editor saves it


@pytest.mark.parametrize("order", [(MECHANISM, TABLE), (TABLE, MARKED)])
def test_files_are_dropped_in_any_order_at_once(analyze, order):
    drop(analyze, *order)
    assert held(analyze).answers.n == 2201


def test_the_mechanism_first_and_the_answers_later(analyze):
    drop(analyze, MECHANISM)
    assert held(analyze).file == FILE
    assert analyze.errors == []
    drop(analyze, TABLE)
    assert held(analyze).answers.n == 2201


def test_answers_first_are_kept_until_the_mechanism_is_added(analyze):
    drop(analyze, TABLE)
    assert len(analyze.errors) == 1
    assert held(analyze).answers is None
    drop(analyze, TABLE, MECHANISM)
    assert held(analyze).answers.n == 2201
    analyze.click("Replace")
    assert zone(analyze) is not None


def test_a_database_of_a_survey_is_recognized_by_its_content(analyze, tmp_path):
    drop(analyze, ("backup", database(tmp_path)))
    assert held(analyze).answers.n == 300
    assert [each.name for each in held(analyze).answers.groupings] == ["day"]


def test_lines_of_the_form_and_rows_that_are_left_out(analyze):
    answers = [{a.name: a.categories[c] for a, c in zip(FILE.schema.attributes, row, strict=True)} for row in RELEASED.codes[:20]]
    lines = "\n".join([*(json.dumps({"mechanism": FILE.sha256, "answers": each}) for each in answers), "{broken"])
    drop(analyze, ("answers.jsonl", lines.encode()), MECHANISM)
    assert held(analyze).answers.n == 20
    assert shown(analyze, "Reason")["Rows"].tolist() == [1]


@pytest.mark.parametrize(
    "content",
    [TITANIC.to_csv().encode(), b"PK\x03\x04 broken", b"SQLite format 3\0 broken", DAMAGED],
    ids=["true table", "zip", "sqlite", "damaged archive"],
)
def test_what_cannot_be_analyzed_is_refused_at_the_drop_zone(analyze, content):
    drop(analyze, ("file", content))
    (error,) = analyze.errors
    assert error.count(".") >= 2
    assert zone(analyze) is not None


def test_true_answers_do_not_fit_their_mechanism_file(analyze):
    drop(analyze, MECHANISM, TABLE)
    assert analyze.warnings == []
    analyze.click("Replace")
    drop(analyze, MECHANISM, ("true.csv", TITANIC.to_csv().encode()))
    assert any("true.csv" not in warning for warning in analyze.warnings)


def test_answers_of_another_survey_are_refused(analyze):
    drop(analyze, MECHANISM, ("other.csv", b"a,b\n1,2\n"))
    assert len(analyze.errors) == 1
    drop(analyze, MECHANISM, ("other.json", PAIR.to_json().encode()), TABLE)
    assert len(analyze.errors) == 1


def test_a_simulation_is_marked_on_every_tab(analyze):
    mark = simulation_mark(3)
    rows = RELEASED.to_csv().splitlines()
    marked = "\n".join([f'"{mark}",{rows[0]}', *(f"yes,{row}" for row in rows[1:])]).encode()
    drop(analyze, MECHANISM, ("simulated.csv", marked))
    assert held(analyze).answers.mark == mark
    assert mark in analyze.download("simulated-estimates-Sex-Age.csv").splitlines()[0]
    regression = analyze.go("analyze", "Regression")
    assert mark in regression.download("simulated-coefficients.csv").splitlines()[0]
    regression.given(save=True).run()
    assert not any(name == "simulated-report-of-findings.html" for _, name in analyze.files)


def test_shares_within_groups(analyze):
    drop(analyze, MECHANISM, TABLE)
    analyze.set("multiselect", "Joint distribution of", ["Survived"]).set("selectbox", "Among", "Sex")
    assert "within" in analyze.figures
    analyze.look_at("analyze_view", "Table")
    assert len(shown(analyze, "95% CI")) == 4
    analyze.click("Replace")
    drop(analyze, ("mechanism.json", PAIR.to_json().encode()), ("answers.csv", with_columns()))
    analyze.set("multiselect", "Joint distribution of", ["Survived"]).set("selectbox", "Among", "Class")
    assert len(shown(analyze, "95% CI")) == 8


def test_an_ordered_attribute_has_a_mean_of_numbers_that_are_typed(analyze):
    name = "[age](https://evil.example)"
    schema = Schema((Attribute(name, ("20 to 29", "30 to 39", "40 to 49"), "ordinal"), Attribute("smokes", ("no", "yes"))))
    file = rr.MechanismFile(schema, integer_groups(build("independent", schema.sizes, [2.5, 2.0])))
    codes = np.stack([np.repeat([0, 1, 2], [300, 500, 200]), np.arange(1000) % 2], axis=1)
    drop(analyze, ("m.json", file.to_json().encode()), ("a.csv", rr.randomize(Dataset(schema, codes), file).to_csv().encode()))
    label = f"Numbers of the categories of {plain(name)}"
    assert analyze.given(analyze_means=True).run().widget("text_input", label).value == "24.5, 34.5, 44.5"
    assert analyze.errors == []
    assert not [text for _, text in rendered(analyze) if "](https" in text.replace("\\](", "")]
    analyze.set("text_input", label, "1, 2")
    assert len(analyze.errors) == 1


def test_weights_change_the_estimate_and_the_code(analyze):
    drop(analyze, ("m.json", ONE.to_json().encode()), ("a.csv", infertility()))
    before = analyze.frame("estimates-treated.csv")["estimate"].tolist()
    analyze.set("selectbox", "Weights", "weight").set("selectbox", "Strata", "stratum")
    assert analyze.frame("estimates-treated.csv")["estimate"].tolist() != before
    assert "weights='weight'" in code(analyze)


def test_the_code_gives_the_same_numbers(analyze, tmp_path, monkeypatch):
    for name, content in (MECHANISM, TABLE):
        (tmp_path / name).write_bytes(content)
    drop(analyze, MECHANISM, TABLE)
    monkeypatch.chdir(tmp_path)
    *lines, last = code(analyze).splitlines()
    names = {}
    exec("\n".join(lines), names)
    frame = eval(last.removeprefix("print(").removesuffix(")"), names)
    assert np.allclose(frame["estimate"], analyze.frame("estimates-Sex-Age.csv")["estimate"])


def test_what_the_mechanism_erases_is_shown(analyze):
    true = np.random.default_rng(0).integers(0, 3, (400, 1)).astype(np.int32)
    answers = rr.randomize(Dataset(narrow().schema, true), narrow()).to_csv().encode()
    drop(analyze, ("m.json", narrow().to_json().encode()), ("a.csv", answers))
    assert len(analyze.errors) == 1
    assert "'never' or 'seldom'" in analyze.text


def test_a_single_answer_is_analyzed(analyze):
    drop(analyze, MECHANISM, ("answers.csv", b"Class,Sex,Age,Survived\n1st,Male,Adult,No\n"))
    assert analyze.errors == []
    assert "<script" not in analyze.given(save=True).run().download("report-of-findings.html")


def test_a_regression_with_predictors_and_interactions(session):
    drop(session.go("analyze"), ("m.json", PAIR.to_json().encode()), ("answers.csv", with_columns()))
    models = session.go("analyze", "Regression").set("selectbox", "Outcome", "Survived")
    models.set("multiselect", "Predictors", ["Sex", "Class"])
    rows = shown(models, "Estimate")
    assert rows["Term"].tolist() == ["Intercept", "Sex: Female", "Class: 2nd", "Class: 3rd", "Class: Crew"]
    assert 1.4 < float(rows["Estimate"].iloc[1]) < 3.6  # the whole table gives 2.42
    models.set("selectbox", "Outcome", "age")
    assert shown(models, "Estimate")["Term"].tolist() == ["Intercept", "Sex: Female"]
    assert models.download("coefficients.csv").startswith("term,p_value,")


def test_names_of_columns_cannot_carry_markup(session):
    named = with_columns().replace(b",Class,age", b",![x](https://evil.example/p.png),*d*")
    drop(session.go("analyze"), ("m.json", PAIR.to_json().encode()), ("answers.csv", named))
    models = session.go("analyze", "Regression").set("selectbox", "Outcome", "Survived")
    kinds = ("markdown", "caption", "warning", "error", "info")
    texts = [element.value for kind in kinds for element in getattr(models.at, kind)]
    assert not [text for text in texts if re.search(r"(?<!\\)\]\(https|(?<!\\)\*d\*", text)]


def test_a_mechanism_alone_is_checked(checking):
    """False alarm: 1e-6."""
    drop(checking, ("mech.json", zoo.FILES["forced"].to_json().encode()))
    (table,) = checking.at.table
    assert set(table.value["Result"]) == {"passed"}
    assert checking.figures["audit"].traces == ["observed", "claimed"]


def test_the_current_plan_is_checked(checking):
    checking.click("Check the current plan")
    assert held(checking).file.schema.names == TITANIC.schema.names
    assert checking.errors == []


def test_answers_that_were_never_randomized_fail(checking):
    drop(checking, MECHANISM, ("true.csv", TITANIC.to_csv().encode()))
    (table,) = checking.at.table
    assert table.value["Result"].tolist()[-1] == "failed"
