"""Read: collected answers with their mechanism file, and no truth anywhere."""

import json

import numpy as np
import pytest

from rrcore.designs import read_design
from rrcore.estimate import Release
from rrcore.mechanisms import build
from rrcore.promise.integers import integer_groups
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.sampler import randomise
from rrcore.table.dataset import Dataset
from rrcore.table.demo import load_demo
from rrcore.table.schema import Attribute, Schema

TITANIC = load_demo("titanic")
FILE = MechanismFile(TITANIC.schema, integer_groups(build("pair-safe", TITANIC.schema.sizes, np.full(4, 2.0))))
RELEASED = randomise(FILE, TITANIC)


@pytest.fixture
def read(session):
    return session.go("read")


def choose(session, mechanism, *files):
    uploads = session.at.file_uploader
    uploads[0].set_value(("mechanism.json", mechanism.to_json().encode(), "application/json"))
    uploads[1].set_value([(name, content, "text/plain") for name, content in files])
    return session.run()


def shown(session, column):
    return next(frame.value for frame in session.at.dataframe if column in frame.value.columns)


def section(session, label):
    return session.look_at("read_section", label)


def test_an_empty_page_says_what_to_do(read):
    assert "Choose the mechanism file and the collected answers" in "\n".join(info.value for info in read.at.info)
    assert "collect" in read.links


def test_a_real_survey_to_try(read):
    read.click("Try a real survey")
    assert "**2,435 answers used**, 22 left out" in read.text
    (answer,) = [text for text in read.text.split("\n") if text.startswith("From 2,435 answers")]
    assert answer.endswith("“connected to an armed group: yes” is estimated at 26.2 % (23.4 to 29.0).")
    assert shown(read, "Reason")["Rows"].tolist() == [22]
    rows = shown(read, "Shrinkage (95 %)")
    assert rows["Released"].tolist() == ["1,604 (65.9 %)", "831 (34.1 %)"]
    for column in ("Shrinkage (95 %)", "Unbiased (95 %)"):
        assert rows[column].tolist() == ["73.8 % (71.0 to 76.6)", "26.2 % (23.4 to 29.0)"]
    assert "Reached: with 2,435 answers" in read.text
    section(read, "column")
    groups = shown(read, "Group")
    assert groups["Group"].tolist()[4] == "5 (1,022 answers)"
    assert groups["Share (95 %)"].tolist()[4] == "30 % (26 to 35)"
    assert not any("." in share for share in groups["Share (95 %)"])  # no digits beyond an error of several points
    section(read, "within")
    assert any("at least two attributes" in info.value for info in read.at.info)
    section(read, "pairs")
    assert any("of one attribute only" in info.value for info in read.at.info)


@pytest.mark.slow
def test_collected_answers_in_every_section_and_as_files(read):
    choose(read, FILE, ("released.csv", RELEASED.to_csv().encode()))
    assert "**2,201 answers used**" in read.text
    assert read.figures["read-shares"].traces == [
        "released",
        "shrinkage, with 95 % interval",
        "EM (likeliest shares)",
        "unbiased estimate",
    ]
    assert "A share is typically off by" in read.text
    alone = shown(read, "Shrinkage (95 %)")["Shrinkage (95 %)"].tolist()
    read.set("checkbox", "Intervals hold for all at once", True)
    assert shown(read, "Shrinkage (95 %)")["Shrinkage (95 %)"].tolist() != alone
    read.set("checkbox", "Intervals hold for all at once", False).set("radio", "Show first", "unbiased")
    assert read.figures["read-shares"].traces[1:] == ["estimate, with 95 % interval", "EM (likeliest shares)", "shrinkage"]
    frame = read.frame("shares-Class-Sex.csv")
    assert frame["estimate"].sum() == pytest.approx(1)
    assert "truth" not in frame.columns
    section(read, "within")
    assert len(shown(read, "Share within the group (95 %)")) == 8
    section(read, "pairs")
    pairs = shown(read, "Cramér's V")
    assert pairs["Pair"].tolist()[4] == "Sex with Survived"
    assert float(pairs["Cramér's V"].tolist()[4]) == pytest.approx(0.46, abs=0.15)
    everything = json.loads(read.download("shares-Class-Sex.json"))
    assert everything["mechanism"] == FILE.sha256
    assert len(everything["pairs"]) == 6
    report = read.download("report-of-findings.html")
    assert FILE.sha256 in report
    assert "go together" in report
    assert "<script" not in report


def test_files_have_the_intervals_that_the_page_shows(read):
    choose(read, FILE, ("released.csv", RELEASED.to_csv().encode()))
    estimate = Release(RELEASED, FILE).estimate(["Class", "Sex"])
    for at_once in (False, True):
        read.set("checkbox", "Intervals hold for all at once", at_once)
        low, high = estimate.interval(population=True, simultaneous=at_once)
        everything = json.loads(read.download("shares-Class-Sex.json"))
        for table in (read.frame("shares-Class-Sex.csv"), everything["marginals"][0]["cells"]):
            assert np.allclose(table["low"], low.ravel(), rtol=0, atol=1e-12)
            assert np.allclose(table["high"], high.ravel(), rtol=0, atol=1e-12)
        assert everything.get("simultaneous", False) == at_once
        assert ("hold for all its shares at once" in read.download("report-of-findings.html")) == at_once


def test_an_error_of_ones_choice_asks_for_more_answers(read):
    choose(read, FILE, ("released.csv", RELEASED.to_csv().encode()))
    read.set("number_input", "How many answers for an error of at most (points)", 1.0)
    assert "more answers**" in read.text


def test_a_single_answer_is_read_in_every_section(read):
    choose(read, FILE, ("answers.csv", b"Class,Sex,Age,Survived\n1st,Male,Adult,No\n"))
    assert "From 1 answer the share of" in read.text
    assert "So few people do not show how answers vary" in read.text
    for name in ("order", "within", "column", "pairs"):
        section(read, name)
    assert read.errors == []
    assert "1 answer is used" in read.download("report-of-findings.html")
    assert json.loads(read.download("shares-Class-Sex.json"))["answers"] == 1


def test_lines_of_the_form_in_many_files(read):
    lines = [
        json.dumps(
            {
                "mechanism": FILE.sha256,
                "answers": {a.name: a.categories[c] for a, c in zip(FILE.schema.attributes, row, strict=True)},
            }
        )
        for row in RELEASED.codes[:300]
    ]
    files = [(f"answer-{i}.json", line.encode()) for i, line in enumerate(lines[:40])]
    choose(read, FILE, *files, ("rest.jsonl", "\n".join([*lines[40:], "{broken"]).encode()))
    assert "**300 answers used**, 1 left out" in read.text
    assert shown(read, "Reason")["First"].tolist() == ["line 261 of rest.jsonl"]


def test_answers_of_another_survey_are_refused_and_nothing_is_lost(read):
    choose(read, FILE, ("released.csv", RELEASED.to_csv().encode()))
    read.at.file_uploader[1].set_value([("other.csv", b"a,b\n1,2\n", "text/csv")])
    read.run()
    assert "has no column 'Class'" in read.errors[0]
    assert "**2,201 answers used**" in read.text


def test_the_file_made_on_collect_is_offered(session):
    session.go("collect").go("read").click("Use the one made on Collect")
    assert "Mechanism of 4 attributes" in session.text
    assert not session.has("button", "Use the one made on Collect")


def test_mixed_designs_are_read(read):
    schema = Schema((Attribute("drugs", ("no", "yes")), Attribute("region", ("n", "s", "e"))))
    groups = (((0,), read_design("drugs", "forced", 2, "2/3,1/6,1/6")), ((1,), read_design("region", "k-ary", 3, "3/5")))
    file = MechanismFile(schema, groups)
    rng = np.random.default_rng(0)
    answers = randomise(
        file, Dataset(schema, np.stack([rng.integers(0, 2, 900), rng.integers(0, 3, 900)], axis=1).astype(np.int32))
    )
    choose(read, file, ("released.csv", answers.to_csv().encode()))
    section(read, "pairs")
    pairs = shown(read, "Cramér's V")
    assert len(pairs) == 1
    section(read, "within")
    assert len(shown(read, "Share within the group (95 %)")) == 6


def test_an_erased_pair_is_said_in_place(read):
    schema = Schema(tuple(Attribute(name, ("no", "yes")) for name in "abc"))
    file = MechanismFile(schema, integer_groups(build("optimal", (2, 2, 2), [0.5, 0.5, 0.5])))
    truth = Dataset(schema, np.random.default_rng(0).integers(0, 2, (400, 3)).astype(np.int32))
    choose(read, file, ("released.csv", randomise(file, truth).to_csv().encode()))
    assert "Not identifiable: this mechanism erases how 'a' and 'b' go together" in read.errors[0]
    read.set("multiselect", "Joint distribution of", ["a"])
    assert read.errors == []
    section(read, "pairs")
    assert set(shown(read, "Cramér's V")["Cramér's V"]) == {"not identifiable"}
    read.set("multiselect", "Joint distribution of", ["a", "b"])
    assert set(shown(read, "Cramér's V")["Cramér's V"]) == {"not identifiable"}  # also while the marginal cannot be read


def test_a_set_too_wide_to_invert_is_read_from_the_model(read):
    schema = Schema(tuple(Attribute(name, ("no", "yes")) for name in "abcd"))
    file = MechanismFile(schema, integer_groups(build("kronecker", (2,) * 4, [0.05] * 4)))
    truth = Dataset(schema, np.random.default_rng(0).integers(0, 2, (900, 4)).astype(np.int32))
    choose(read, file, ("released.csv", randomise(file, truth).to_csv().encode()))
    assert "read-model" not in read.figures
    read.set("multiselect", "Joint distribution of", list("abcd"))
    assert "erases how 'a' and 'b' and 'c' and 'd' go together" in read.errors[0]
    assert "Read from the model of all pairs; no interval." in read.text
    assert [trace["name"] for trace in read.figures["read-model"].spec["data"]] == ["model of all pairs"]
    rows = shown(read, "Model of all pairs")
    assert len(rows) == 16
    assert not [column for column in rows.columns if "95 %" in column]


@pytest.mark.slow
def test_answers_that_were_never_randomised_are_warned_about(read):
    choose(read, FILE, ("released.csv", RELEASED.to_csv().encode()))
    assert not any("do not fit the mechanism file" in warning for warning in read.warnings)
    choose(read, FILE, ("true.csv", TITANIC.to_csv().encode()))
    assert any("do not fit the mechanism file" in warning for warning in read.warnings)


def test_a_column_of_too_many_values_is_said_not_to_be_read_by(read):
    file = MechanismFile(TITANIC.schema.select(["Sex"]), integer_groups(build("kronecker", (2,), [2.0])))
    rows = "".join(f"{('Male', 'Female')[i % 2]},{i},{'ab'[i % 2]}\n" for i in range(60))
    choose(read, file, ("a.csv", f"Sex,number,half\n{rows}".encode()))
    section(read, "column")
    assert "By columns of more than 50 different values answers are not read here (number): group or round" in read.text
    assert read.widget("selectbox", "By").options == ["half"]
