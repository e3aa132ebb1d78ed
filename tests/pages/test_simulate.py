"""Simulate: estimates next to the truth, another ε that changes nothing, repeated randomizations, and downloads."""

import base64
import io
import threading
from contextlib import redirect_stdout

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import rrcore as rr
from pages.shared import jobs
from pages.simulate import associations as tab
from rrcore.association import PairTables, measure_pairs
from rrcore.wording import eps_text

MARGINAL, TRY = "Joint distribution of", "Try another ε (does not change the plan)"
ESTIMATES = "with-true-shares-simulated-estimate.csv"


@pytest.fixture
def estimates(session):
    return session.go("simulate")


def draft(session):
    return session.at.session_state["work"].draft


def drawn(session):
    """The rows of the figure by the name of the trace."""
    traces = session.figures["estimates"].spec["data"]
    return {trace["name"]: trace for trace in traces if trace.get("name")}


def numbers(values):
    """Numbers of a figure, which sends arrays as bytes."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    return np.array(values, dtype=float)


def headline(session):
    (found,) = [text for text in session.text.split("\n") if "contain the true proportion" in text]
    return found


def test_the_headline_counts_intervals_that_contain_the_truth(estimates):
    table = estimates.frame(ESTIMATES)
    held = ((table["conf_low"] <= table["truth"]) & (table["truth"] <= table["conf_high"])).sum()
    error = 100 * abs(table["estimate"] - table["truth"]).max()
    assert headline(estimates).startswith(f"{held} of 8 ")
    assert f"{error:.1f}" in headline(estimates)
    assert table["truth"].tolist() == pytest.approx(rr.load_demo("titanic").shares(["Class", "Sex"]).ravel().tolist())


def test_the_interval_drawn_belongs_to_the_estimate_drawn(estimates):
    """Shrinkage is drawn next to it without an interval."""
    table = estimates.frame(ESTIMATES).sort_values("truth", ascending=False, kind="stable")
    estimates.set("selectbox", "Show", "Chart with shrinkage")
    traces = drawn(estimates)
    (with_interval,) = [trace for trace in traces.values() if trace.get("error_x")]
    x, bars = numbers(with_interval["x"]), with_interval["error_x"]
    np.testing.assert_allclose(x, 100 * table["estimate"])
    np.testing.assert_allclose(x + numbers(bars["array"]), 100 * table["conf_high"])
    np.testing.assert_allclose(x - numbers(bars["arrayminus"]), 100 * table["conf_low"])
    np.testing.assert_allclose(numbers(traces["shrinkage"]["x"]), 100 * table["shrinkage"])
    np.testing.assert_allclose(numbers(traces["truth"]["x"]), 100 * table["truth"])
    np.testing.assert_allclose(numbers(traces["randomized data"]["x"]), 100 * table["randomized"])


def test_trying_another_epsilon_changes_no_plan(estimates):
    before, wide = draft(estimates), estimates.frame(ESTIMATES)["std_error"].max()
    estimates.set("select_slider", TRY, 0.5)
    assert estimates.frame(ESTIMATES)["std_error"].max() > 1.5 * wide
    assert draft(estimates) == before
    estimates.go("release").go("simulate")
    assert draft(estimates) == before
    assert estimates.widget("select_slider", TRY).value == before.epsilon["Class"]


def test_use_this_epsilon_changes_the_plan(estimates):
    estimates.set("select_slider", TRY, 0.5).click("Use this ε")
    assert draft(estimates).epsilon == dict.fromkeys(("Class", "Sex", "Age", "Survived"), 0.5)
    assert estimates.widget("select_slider", TRY).value == 0.5
    assert len(estimates.at.toast) == 1


def test_different_epsilons_keep_their_ratio(estimates):
    before = draft(estimates).epsilon["Class"]
    estimates.at.session_state["work"].set_epsilon({"Sex": before / 4})
    estimates.run().set("select_slider", TRY, 0.5).click("Use this ε")
    assert draft(estimates).epsilon == {"Class": 0.5, "Sex": 0.125, "Age": 0.5, "Survived": 0.5}


def test_at_most_16_rows_until_all_are_asked_for(estimates):
    estimates.set("multiselect", MARGINAL, ["Class", "Sex", "Age", "Survived"])
    figure = estimates.figures["estimates"].spec
    assert len(figure["layout"]["yaxis"]["ticktext"]) == 16
    assert figure["layout"]["height"] <= 560
    estimates.set("toggle", "Show all 32 rows", True)
    assert len(estimates.figures["estimates"].spec["layout"]["yaxis"]["ticktext"]) == 32


def test_a_heat_map_and_a_table_show_the_same_estimates(estimates):
    table = estimates.frame(ESTIMATES)
    estimates.set("selectbox", "Show", "Heat map")
    (heat,) = [trace for trace in estimates.figures["estimates-map"].spec["data"] if trace["type"] == "heatmap"]
    np.testing.assert_allclose(np.sort(numbers(heat["z"])), 100 * np.sort(table["estimate"]))
    estimates.set("selectbox", "Show", "Table")
    (shown,) = [frame.value for frame in estimates.at.dataframe]
    assert len(shown) == 8


def test_randomize_again_takes_the_next_seed(estimates):
    before = estimates.frame("simulated-data.csv")
    estimates.click("Randomize again")
    assert draft(estimates).seed == 1
    assert not estimates.frame("simulated-data.csv").equals(before)


@pytest.mark.slow
def test_repeated_randomizations_cover_the_truth_as_promised(estimates, monkeypatch):
    """50 times 8 intervals of 95%: the standard error of their coverage is below 3.2 points."""
    monkeypatch.setattr("pages.simulate.estimates.REPEATS", 50)
    estimates.run().click("Repeat 50 times")
    if estimates.job("repeats").running:
        estimates.finish("repeats")
    covered = float(headline(estimates).split(" %")[0].split("%")[0])
    assert 85 < covered <= 100
    (mean,) = [trace for name, trace in drawn(estimates).items() if name.startswith("mean of 50")]
    np.testing.assert_allclose(numbers(mean["x"]), numbers(drawn(estimates)["truth"]["x"]), atol=2.5)
    estimates.click("Show one randomization")
    assert "of 8 confidence intervals" in headline(estimates)


def test_the_code_gives_the_numbers_of_the_page(estimates):
    """For the table's people, and for as many drawn from them as the plan is for."""
    for n in (2201, 500):
        estimates.at.session_state["work"].change(n=n)
        estimates.run()
        shown = estimates.frame(ESTIMATES)
        code = estimates.at.code[0].value.replace("print(", "found = (")
        scope: dict[str, object] = {}
        with redirect_stdout(io.StringIO()):
            exec(code, scope)
        found = scope["found"]
        assert isinstance(found, pd.DataFrame)
        for column in ("truth", "estimate", "conf_low", "conf_high"):
            np.testing.assert_allclose(found[column], shown[column], atol=1e-12)


def test_what_the_mechanism_erases_gets_one_error_and_no_figure(session):
    work = session.go("simulate").at.session_state["work"]
    work.choose_attributes(("Sex", "Age", "Survived"))
    work.set_epsilon(dict.fromkeys(("Sex", "Age", "Survived"), 0.5))
    work.choose_safe(1)
    session.run().set("multiselect", MARGINAL, ["Sex", "Age"])
    assert len(session.errors) == 1
    assert "'Sex' and 'Age'" in session.errors[0]
    assert session.figures == {}
    session.set("multiselect", MARGINAL, ["Sex"])
    assert session.errors == []


def test_too_many_combinations_are_refused_in_one_error(session):
    rows = (f"a{i % 200},b{i // 7 % 200},c{i // 3 % 200}" for i in range(2000))
    session.upload("\n".join(["x,y,z", *rows]).encode()).go("simulate").set("multiselect", MARGINAL, ["x", "y", "z"])
    (error,) = session.errors
    assert "8,000,000" in error
    assert "20,000" in error


def test_a_table_of_one_column_is_estimated(session):
    session.upload(b"answer\n" + b"yes\nno\nno\n" * 50).go("simulate")
    assert session.errors == []
    assert session.frame(ESTIMATES)["truth"].tolist() == pytest.approx([2 / 3, 1 / 3])


@pytest.fixture
def associations(session):
    return session.go("simulate", "Associations")


def columns(session, name):
    frames = [*(each.value for each in session.at.dataframe), *(each.value.reset_index() for each in session.at.table)]
    return next(frame for frame in frames if name in frame.columns)


def test_the_strongest_association_is_next_to_its_true_value(associations):
    (answer,) = [text for text in associations.text.split("\n") if "strongest association" in text]
    table = rr.load_demo("titanic")
    truth = measure_pairs(PairTables.count(table.codes, table.schema.sizes))
    first, second = (table.schema.names.index(name) for name in answer.split(" is ")[1].split(":")[0].split(" × "))
    assert f"{truth[first, second]:.2f}." in answer
    assert list(associations.figures) == ["association"]


def test_the_map_shows_each_estimate_and_the_truth(associations):
    def shown(view):
        associations.set("selectbox", "Show", view)
        (heat,) = [trace for trace in associations.figures["association"].spec["data"] if trace["type"] == "heatmap"]
        return numbers(heat["z"])

    table = rr.load_demo("titanic")
    truth = measure_pairs(PairTables.count(table.codes, table.schema.sizes))
    true = shown("Truth")
    assert np.nanmax(true) == pytest.approx(np.nanmax(truth))
    assert np.nanmax(shown("Randomized data")) < np.nanmax(true)
    assert abs(np.nanmax(shown("Estimate")) - np.nanmax(true)) < 0.2


def test_the_map_stays_while_associations_are_estimated_again(associations, monkeypatch):
    gate = threading.Event()
    monkeypatch.setattr(jobs, "PATIENCE", 0.1)
    monkeypatch.setattr(tab, "dependence_after_release", lambda *arguments, **options: gate.wait(60))
    associations.click("Randomize again")
    assert list(associations.figures) == ["association"]
    gate.set()
    associations.job("associations").wait(10)


@pytest.mark.slow
def test_joint_sums_cost_every_pair_its_own_epsilon(associations):
    """4 attributes make 6 pairs. Randomizing every pair spends the ε of two attributes 6 times."""
    associations.click("Compare with joint sums")
    if associations.job("joint_sums").running:
        associations.finish("joint_sums")
    table = columns(associations, "Method")
    each = draft(associations).epsilon["Class"]
    assert table["ε of the record"].tolist()[2:] == ["no bound", eps_text(12 * each), eps_text(4 * each)]
    assert table["Rank correlation with the truth"].tolist()[2] == "1.00"


def test_clusters_hold_every_attribute_once(associations):
    associations.set("slider", "Smallest Cramér's V in a cluster", 0.0).set(
        "number_input", "Combinations per cluster, at most", 32
    )
    (row,) = columns(associations, "Cluster").to_dict("records")
    assert row["Cluster"] == "Class, Sex, Age, Survived"
    assert row["Combinations"] == "32"


def test_a_joint_sum_counts_without_revealing_a_number(associations):
    associations.given(joint_sum=True).run()
    table = columns(associations, "Announces")
    shares = table[[f"To {person}" for person in range(1, 6)]]
    assert (shares.sum(axis=1) % 97 == 0).all()
    assert table["Announces"].sum() % 97 == table["Own number"].sum()


def test_one_attribute_has_no_association(session):
    session.go("simulate").at.session_state["work"].choose_attributes(("Sex",))
    session.go("simulate", "Associations")
    assert session.figures == {}
    assert session.links


@pytest.mark.parametrize("tab", ["Estimates", "Associations"])
def test_without_a_table_there_is_a_way_to_one(open_session, tab):
    session = open_session(f"/simulate?simulate_tab={tab}", table="")
    assert session.figures == {}
    assert session.has("button", "Open it")


@pytest.mark.parametrize("tab", ["Estimates", "Associations"])
def test_a_declared_plan_has_no_truth_to_compare_with(session, tab):
    session.declaring().go("simulate", tab)
    assert session.figures == {}
    assert session.links


def test_no_download_holds_the_truth_unless_its_name_says_so(session):
    """A prime number of people, so that no share of theirs is any other number by accident."""
    people = 1009
    rows = "".join(f"{'yes' if i < 271 else 'no'},{'a' if i % 7 < 3 else 'b'}\n" for i in range(people))
    session.upload(f"smokes,ward\n{rows}".encode()).go("simulate").set("multiselect", MARGINAL, ["smokes"])
    planted = [str(share)[1:8] for share in (271 / people, 738 / people)]
    asked = session.download(ESTIMATES)
    assert all(share in asked for share in planted)
    assert asked.startswith('"contains true shares: do not publish; simulation, seed 0: not a release",')
    own = id(session.at.session_state["work"])
    for name in [name for key, name in session.files if key == own and name and "with-true-shares" not in name]:
        content = session.content(name)
        text = pq.read_table(io.BytesIO(content)).to_pandas().to_csv() if name.endswith(".parquet") else session.download(name)
        assert not any(share in text for share in planted), name
