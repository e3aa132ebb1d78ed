"""Perturb & estimate: marginals, draws, mechanisms, what cannot be identified, and downloads that are what they say."""

import io
import json
import re
from itertools import product

import numpy as np
import pyarrow.parquet as pq
import pytest

from rrcore import limits
from rrcore.budget import Plan
from rrcore.table.demo import load_demo
from rrcore.table.opening import read_text_table

MARGINAL = "Joint distribution of"
MECHANISM = "Mechanism of the plan"
SCALE = "Scale all levels"
WHAT_IF = "What if the number of people were"
TITANIC = ("Class", "Sex", "Age", "Survived")


OPEN = {"perturb_cells": True, "perturb_metrics": True}
"""What is folded at first, and drawn once it is opened."""


@pytest.fixture
def perturb(session):
    return session.given(**OPEN).go("perturb")


@pytest.fixture
def lost(session):
    """A pair of Titanic that the optimum erases."""
    session.go("budget").set("multiselect", "Attributes of the plan", ["Sex", "Age", "Survived"]).set("slider", SCALE, 0.25)
    session.choose("optimal")
    return session.given(**OPEN).go("perturb").set("multiselect", MARGINAL, ["Sex", "Age"])


def metrics(session):
    """The tables of error measures on the page: none or one."""
    return [frame.value for frame in session.at.dataframe if "unbiased estimate" in frame.value]


@pytest.mark.slow
def test_marginals_of_one_to_four_attributes_are_estimated(perturb):
    for mechanism, width in product(("kronecker", "joint", "closed-form", "optimal"), (1, 2, 3, 4)):
        names = TITANIC[:width]
        perturb.choose(mechanism).set("multiselect", MARGINAL, list(names))
        assert perturb.errors == []
        (table,) = metrics(perturb)
        assert "95 % intervals that cover the truth" in table.index
        estimate = perturb.frame("with-true-shares-simulated-estimate.csv")
        demo = load_demo("titanic").select(names)
        assert estimate.columns[:width].tolist() == list(names)
        assert len(estimate) == np.prod(demo.schema.sizes)
        for column in ("truth", "released", "estimate"):
            assert estimate[column].sum() == pytest.approx(1)
        first = (demo.codes == 0).all(axis=1).mean()
        assert estimate["truth"][0] == pytest.approx(first)


@pytest.mark.slow
def test_the_estimate_is_within_its_error_of_the_truth(perturb):
    estimate = perturb.frame("with-true-shares-simulated-estimate.csv")
    assert (estimate["low"] < estimate["estimate"]).all()
    assert (estimate["estimate"] < estimate["high"]).all()
    assert (abs(estimate["estimate"] - estimate["truth"]) < 4.5 * estimate["standard error"]).all()


def test_the_answer_comes_first_in_numbers_of_this_release(perturb):
    """One sentence before the figure: the share that tells most beside its truth, as in the table, and how many intervals hold it."""
    (answer,) = [text for text in perturb.text.split("\n") if text.startswith("From 2,201 randomised records")]
    (rows,) = [frame.value for frame in perturb.at.dataframe if "shrinkage (95 %)" in frame.value]
    class_, sex = re.search("“Class: (.*), Sex: (.*)”", answer).groups()
    row = rows[(rows["Class"] == class_) & (rows["Sex"] == sex)].iloc[0]
    assert row["shrinkage (95 %)"].split(" (")[0] in answer
    assert f"the truth is {row['truth']}." in answer
    (table,) = metrics(perturb)
    assert f"the largest miss is {table.loc['largest absolute cell error', 'shrinkage']}." in answer
    assert "All 8 intervals hold the truth" in answer
    assert table.loc["95 % intervals that cover the truth", "shrinkage"] == "100.0 %"


def test_what_is_folded_is_drawn_once_it_is_opened(session):
    assert "heat-maps" not in session.go("perturb").figures
    assert metrics(session) == []
    session.given(perturb_maps=True).run()
    assert [trace["type"] for trace in session.figures["heat-maps"].spec["data"]].count("heatmap") == 4


def test_no_share_on_the_page_is_a_bare_fraction(perturb):
    (table,) = metrics(perturb)
    for measure in ("largest absolute cell error", "half L1 (total variation)", "mean absolute error"):
        assert table.loc[measure].str.endswith(" points").all()


def test_the_estimate_corrects_what_the_release_distorts(perturb):
    estimate = perturb.frame("with-true-shares-simulated-estimate.csv")
    assert abs(estimate["released"] - estimate["truth"]).sum() > 2 * abs(estimate["estimate"] - estimate["truth"]).sum()


def test_the_estimate_has_the_intervals_that_the_page_shows(perturb):
    one = perturb.frame("simulated-estimate.csv")
    perturb.set("checkbox", "Intervals hold for all at once", True)
    together = perturb.frame("simulated-estimate.csv")
    assert together["estimate"].tolist() == one["estimate"].tolist()
    assert (together["low"] < one["low"]).all()
    assert (together["high"] > one["high"]).all()


def test_no_marginal_is_explained(perturb):
    perturb.set("multiselect", MARGINAL, [])
    assert "Choose one to four attributes to compare." in perturb.text
    assert perturb.errors == []
    assert metrics(perturb) == []


@pytest.mark.slow
def test_drawing_again_changes_the_release_and_the_estimate(perturb):
    estimate, released = perturb.download("with-true-shares-simulated-estimate.csv"), perturb.download("simulated-release.csv")
    perturb.click("Draw again")
    assert perturb.widget("number_input", "Seed").value == 1
    assert perturb.download("simulated-release.csv") != released
    assert perturb.download("with-true-shares-simulated-estimate.csv") != estimate


@pytest.mark.slow
def test_the_same_seed_gives_the_same_release_and_estimate(perturb, open_session):
    estimate, released = perturb.download("with-true-shares-simulated-estimate.csv"), perturb.download("simulated-release.csv")
    perturb.click("Draw again").set("number_input", "Seed", 0)
    assert perturb.download("with-true-shares-simulated-estimate.csv") == estimate
    other = open_session().go("perturb")
    assert other.download("simulated-release.csv") == released
    packed = read_text_table(other.content("simulated-release.parquet"), "release.parquet")
    for one, same in zip(packed.columns, read_text_table(released.encode(), "release.csv").columns, strict=True):
        assert (one.name, one.values, one.codes.tolist()) == (same.name, same.values, same.codes.tolist())


@pytest.mark.slow
def test_another_marginal_is_read_from_the_same_release(perturb):
    released = perturb.download("simulated-release.csv")
    perturb.set("multiselect", MARGINAL, ["Age"])
    assert perturb.download("simulated-release.csv") == released


@pytest.mark.slow
def test_another_mechanism_gives_another_release_and_goes_into_the_plan(perturb):
    released = perturb.download("simulated-release.csv")
    assert Plan.from_json(perturb.download("plan.json")).mechanism == "pair-safe"
    perturb.choose("kronecker")
    assert perturb.download("simulated-release.csv") != released
    assert Plan.from_json(perturb.download("plan.json")).mechanism == "kronecker"


@pytest.mark.slow
def test_a_smaller_scale_makes_intervals_wider(perturb):
    wide = perturb.frame("with-true-shares-simulated-estimate.csv")["standard error"].max()
    perturb.set("slider", SCALE, 0.5)
    assert perturb.frame("with-true-shares-simulated-estimate.csv")["standard error"].max() > 1.5 * wide


@pytest.mark.slow
def test_what_is_not_identifiable_gets_one_error_and_no_numbers(lost):
    (error,) = lost.errors
    assert error.startswith("Not identifiable: this mechanism erases how 'Sex' and 'Age' go together")
    assert "Choose a mechanism safe for 2 attributes, or Kronecker" in error
    assert metrics(lost) == []
    assert lost.figures == {}
    assert not lost.has("download_button", "Estimate (CSV)")
    assert not lost.has("button", "Repeat 200 times")
    assert "No numbers are shown, because none could be trusted" in lost.text


@pytest.mark.slow
def test_choosing_kronecker_makes_a_lost_pair_identifiable(lost):
    assert lost.widget("radio", MECHANISM).value == "optimal"
    lost.choose("kronecker")
    assert lost.errors == []
    assert len(metrics(lost)) == 1


@pytest.mark.slow
def test_single_attributes_stay_identifiable_where_pairs_are_lost(lost):
    lost.set("multiselect", MARGINAL, ["Sex"])
    assert lost.errors == []
    assert len(metrics(lost)) == 1


@pytest.mark.slow
def test_fewer_people_make_the_estimate_less_certain(perturb):
    before = perturb.frame("with-true-shares-simulated-estimate.csv")
    perturb.set("number_input", WHAT_IF, 200)
    after = perturb.frame("with-true-shares-simulated-estimate.csv")
    assert perturb.errors == []
    assert len(perturb.frame("simulated-release.csv")) == 200
    assert after["truth"].tolist() == before["truth"].tolist()
    assert after["standard error"].max() > 2 * before["standard error"].max()
    assert "shares among all 2,201 people. Released and estimate: 200 people drawn from them." in perturb.text


@pytest.mark.slow
def test_more_people_than_the_table_has_can_be_tried(perturb):
    before = perturb.frame("with-true-shares-simulated-estimate.csv")["standard error"].max()
    perturb.set("number_input", WHAT_IF, 100_000)
    assert len(perturb.frame("simulated-release.csv")) == 100_000
    assert perturb.frame("with-true-shares-simulated-estimate.csv")["standard error"].max() < before / 3


@pytest.mark.slow
def test_one_person_is_too_few_and_this_is_said(perturb):
    perturb.set("number_input", WHAT_IF, 1)
    assert perturb.errors == []
    assert any("Too few respondents" in warning for warning in perturb.warnings)


@pytest.mark.slow
def test_the_life_of_one_answer_follows_a_person(perturb):
    perturb.given(perturb_life=True).run().set("number_input", "Person (1 to 2,201)", 2201)
    (life,) = [frame.value for frame in perturb.at.dataframe if "What happened" in frame.value]
    demo = load_demo("titanic")
    true = [a.categories[code] for a, code in zip(demo.schema.attributes, demo.codes[2200], strict=True)]
    assert life["True answer"].tolist() == true
    assert life["Released"].tolist() == perturb.frame("simulated-release.csv").iloc[2200].tolist()
    assert ((life["True answer"] == life["Released"]) == (life["What happened"] == "kept")).all()


@pytest.mark.slow
def test_a_person_beyond_a_smaller_what_if_is_no_error(perturb):
    perturb.given(perturb_life=True).run().set("number_input", "Person (1 to 2,201)", 2201).set("number_input", WHAT_IF, 100)
    assert perturb.widget("number_input", "Person (1 to 100)").value <= 100


@pytest.mark.slow
def test_the_perturbed_table_has_the_header_and_the_rows_of_the_plan(session):
    session.go("budget").set("multiselect", "Attributes of the plan", ["Survived", "Class"]).go("perturb")
    session.widget("download_button", "Simulated release (CSV)").click()
    session.run()
    frame = session.frame("simulated-release.csv")
    assert frame.columns.tolist() == ["Survived", "Class"]
    assert len(frame) == 2201
    assert set(frame["Survived"]) == {"No", "Yes"}
    assert not frame.equals(frame.sort_values(["Survived", "Class"], ignore_index=True))


def test_a_category_that_a_spreadsheet_would_run_gets_an_apostrophe(session):
    session.upload(b"=2+2,answer\n" + b"=1+1,@x\n-1,no\nplain,no\n" * 30).go("perturb")
    lines = session.download("simulated-release.csv").splitlines()
    assert lines[0] == '"simulation, seed 0: not a release",\'=2+2,answer'
    first = {line.split(",")[1] for line in lines[1:]}
    assert first == {"'=1+1", "-1", "plain"}
    assert {line.split(",")[2] for line in lines[1:]} == {"'@x", "no"}
    assert "\nyes,'=1+1," in session.download("simulated-estimate.csv")
    assert ",=1+1" not in session.download("simulated-estimate.csv")


def test_columns_called_like_those_of_the_estimate_stay_in_its_csv(session):
    session.upload(b"estimate,low\n" + b"yes,a\nno,b\nyes,b\nno,a\nyes,a\n" * 40).go("perturb")
    assert session.errors == []
    table = session.frame("with-true-shares-simulated-estimate.csv")
    assert (table == "yes").to_numpy().sum() == 2
    assert (table == "a").to_numpy().sum() == 2


@pytest.mark.slow
def test_a_table_of_one_column_is_estimated(session):
    session.upload(b"answer\n" + b"yes\nno\nno\n" * 50).go("budget").go("perturb")
    assert session.errors == []
    assert session.frame("with-true-shares-simulated-estimate.csv")["truth"].tolist() == pytest.approx([2 / 3, 1 / 3])


def test_a_marginal_of_too_many_cells_is_refused_with_a_sentence(session):
    rows = (f"a{i % 200},b{i // 7 % 200},c{i // 3 % 200}" for i in range(2000))
    session.upload("\n".join(["x,y,z", *rows]).encode()).go("perturb").set("multiselect", MARGINAL, ["x", "y", "z"])
    (error,) = session.errors
    assert "8,000,000" in error
    assert "20,000" in error
    assert metrics(session) == []


def test_the_plan_can_be_downloaded_here_too(perturb):
    document = json.loads(perturb.download("plan.json"))
    assert [entry["name"] for entry in document["attributes"]] == list(TITANIC)
    assert [entry["requested_level"] for entry in document["attributes"]] == [2.0] * 4


@pytest.mark.slow
def test_shrinkage_comes_first_and_independence_is_named_where_it_is_closer(perturb):
    """Titanic at a quarter of its levels: three attributes are better read as independent than inverted, and the page says so."""
    assert "Shrinkage comes first because it reads all attributes at once" in perturb.text
    assert "RR-Independent" not in perturb.text
    assert perturb.figures["truth-and-estimate"].traces == [
        "truth",
        "released",
        "shrinkage, with 95 % interval",
        "unbiased estimate",
    ]
    perturb.set("multiselect", MARGINAL, ["Class", "Age", "Survived"]).set("slider", SCALE, 0.25)
    assert (
        "RR-Independent, which ignores how attributes go together, is expected to be closer than the unbiased estimate under Pair-safe"
        in perturb.text
    )
    perturb.set("radio", "Show first", "unbiased")
    assert perturb.figures["truth-and-estimate"].traces[2:] == ["estimate, with 95 % interval", "shrinkage"]
    assert "RR-Independent" not in perturb.text


TRUTH_ASKED = "with-true-shares"


def test_no_download_holds_the_truth_unless_its_name_says_so(session):
    """A prime number of people, so that no share of theirs is any other number by accident."""
    people = 1009
    rows = "".join(f"{'yes' if i < 271 else 'no'},{'a' if i % 7 < 3 else 'b'}\n" for i in range(people))
    session.upload(f"smokes,ward\n{rows}".encode()).given(**OPEN, perturb_maps=True).go("perturb").set(
        "multiselect", MARGINAL, ["smokes"]
    )
    planted = [str(share)[1:8] for share in (271 / people, 738 / people)] + [f"{100 * 271 / people:.1f} %"]
    asked = session.download("with-true-shares-simulated-estimate.csv")
    assert all(share in asked for share in planted[:2])
    assert asked.startswith('"contains true shares: do not publish; simulation, seed 0: not a release",')
    offered = {
        name: pq.read_table(io.BytesIO(session.content(name))).to_pandas().to_csv()
        if name.endswith(".parquet")
        else session.download(name)
        for _, name in session.files
    }
    told = {"with-true-shares-simulated-estimate.csv", "with-true-shares-simulated-findings.html"}
    assert told < set(offered)
    for name in set(offered) - told:
        assert not any(share in offered[name] for share in planted), name
    assert {name for name in offered if TRUTH_ASKED in name} == told
    assert "Internal: " in "".join(offered["with-true-shares-simulated-findings.html"].partition("</title>")[0])
    figures = [
        json.loads(one.proto.json) for one in session.at.get("bidi_component") if "save_figure" in one.proto.component_name
    ]
    assert figures
    assert all(TRUTH_ASKED in one["file"] and one["mark"] == "contains true shares: do not publish" for one in figures)
    for name in ("simulated-release.csv", "simulated-estimate.csv"):
        assert offered[name].startswith('"simulation, seed 0: not a release",')


@pytest.mark.slow
def test_more_people_than_a_table_can_have_are_cut_to_what_it_can(session, monkeypatch):
    monkeypatch.setattr(limits, "MAX_ROWS", 3000)
    project = json.loads(session.download("project.json"))
    project["plan"] |= {"people": 10**10, "seed": 2**53 - 1}
    session.open_project(json.dumps(project)).go("perturb")
    assert session.widget("number_input", "What if the number of people were").value == 3000
