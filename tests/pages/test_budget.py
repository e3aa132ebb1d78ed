"""Budget, tab Plan, driven without a browser."""

import json
import re

import pytest

from pages.budget import mechanism as card
from pages.shared import state
from rrcore.budget import accuracy, build, default_epsilon, protection
from rrcore.wording import amount_text

ADULT = (9, 16, 7, 15, 6, 5, 2, 2)


def work(session):
    return session.at.session_state["work"]


def component(session, key):
    """What is sent to the component of that name."""
    shown = [(found.proto.id, found.proto.json) for found in session.at.get("bidi_component")]
    return next(json.loads(data) for name, data in shown if name.endswith(f"-{key}"))


def rows(session):
    """The mechanisms side by side by their keys."""
    return {row["key"]: row for row in component(session, "mechanism_options")["rows"]}


def headline(session):
    return next(text.value for text in session.at.markdown if "protection.**" in text.value)


@pytest.fixture
def budget(session):
    return session.go("budget")


@pytest.fixture
def declared(session):
    return session.declaring().declare("Smokes: no, yes", "Ward: north, south, west", "Age: young, old").go("budget")


def test_the_first_plan_is_not_weak_and_pairwise_preserving(budget):
    assert budget.epsilon == [default_epsilon((4, 2, 2, 2))] * 4
    assert work(budget).plan().key == "preserving-2"
    assert protection(work(budget).plan().build().epsilon_total) == "Moderate"


@pytest.mark.parametrize("opened", ["budget", "declared"])
def test_three_mechanisms_savings_and_margins_are_those_of_the_library(opened, request):
    session = request.getfixturevalue(opened)
    plan = work(session).plan()
    assert set(rows(session)) == {"independent", "preserving-2", "optimal"}
    for key, row in rows(session).items():
        mechanism = build(key, plan.schema.sizes, plan.epsilon)
        assert float(row["amount"]) == pytest.approx(mechanism.epsilon_total, abs=0.1)
        assert float(row["facts"][1]) == pytest.approx(mechanism.epsilon_informed.max(), abs=0.1)
        assert row["chosen"] == (key == "preserving-2")
    before, after = map(float, re.search(r"([\d.]+)\D+([\d.]+)\.", headline(session)).groups())
    shown = rows(session)
    assert (before, after) == (float(shown["independent"]["amount"]), float(shown["preserving-2"]["amount"]))
    assert after < before
    texts = [element.value for kind in ("markdown", "caption") for element in getattr(session.at, kind)]
    for saving in re.findall(r"(\d+) ?% (?:less|lower)", " ".join(texts)):
        assert int(saving) == round(100 * (1 - after / before))
    margin = 100 * accuracy(plan, plan.build()).margins[plan.schema.axes(work(session).pair)]
    assert float(rows(session)["preserving-2"]["facts"][2].strip("±")) == pytest.approx(margin, rel=0.05)
    heat = next(trace for trace in session.figures["margin-of-error"].spec["data"] if trace["type"] == "heatmap")
    said = {tuple(cell[:2]): cell[2] for row in heat["customdata"] for cell in row if cell}
    found = accuracy(plan, plan.build())
    for (i, j), text in said.items():
        assert float(re.search(r"±([\d.]+)", text)[1]) == pytest.approx(100 * found.margins[i, j], rel=0.05)


def test_no_other_page_shows_another_margin(session):
    for place in (("budget", "What-if"), ("simulate", "Estimates"), ("simulate", "Associations"), ("release",)):
        session.go(*place)
        plan = work(session).plan()
        margins = {amount_text(100 * margin, 2) for margin in accuracy(plan, plan.build()).margins.ravel()}
        specs = [json.dumps(figure.spec) for figure in session.figures.values()]
        shown = " ".join([session.text, *specs, *(frame.value.to_string() for frame in session.at.dataframe)])
        assert set(re.findall(r"±([\d.]+)", shown)) <= margins, place


def test_three_tabs_open_on_one_usable_pair(session):
    """The first two of these attributes are no use."""
    rows = (f"x{i % 20},y{i // 5 % 20},{'ab'[i % 2]},{'cd'[i % 3 % 2]}" for i in range(800))
    session.upload("\n".join(["first,second,third,fourth", *rows]).encode()).go("simulate")
    assert session.widget("multiselect", "Joint distribution of").value == ["third", "fourth"]
    for tab in ("Plan", "What-if"):
        session.go("budget", tab)
        assert session.widget("selectbox", "Pair").value == ("third", "fourth")
    plan = work(session).plan()
    found = accuracy(plan, plan.build())
    assert (found.usable[0, 1], found.usable[2, 3]) == (False, True)


def test_typed_epsilons_change_the_plan_and_bad_ones_do_not(budget):
    budget.edit({0: {"eps": "0.5"}, 1: {"eps": "0,25"}})
    assert budget.epsilon == [0.5, 0.25, 1.0, 1.0]
    assert not budget.errors
    budget.edit({2: {"eps": "two"}})
    assert budget.epsilon == [0.5, 0.25, 1.0, 1.0]
    assert len(budget.errors) == 1
    line = component(budget, "attributes")["rows"][2]
    assert (line["text"], line["wrong"]) == ("two", True)
    budget.edit({2: {"eps": "2"}})
    assert budget.epsilon[2] == 2
    assert not budget.errors


def test_one_epsilon_for_all_and_a_common_factor(budget):
    budget.set("number_input", "Set all ε", 0.5)
    assert budget.epsilon == [0.5] * 4
    budget.edit({0: {"eps": "1.5"}})
    budget.set("slider", "Scale all ε (mean)", 1.5)
    assert budget.epsilon == pytest.approx([3.0, 1.0, 1.0, 1.0])


def test_a_browser_that_sends_a_former_value_late_undoes_nothing(budget, monkeypatch):
    monkeypatch.setattr(state, "LATE", 60.0)
    budget.edit({0: {"eps": "3"}}).set("number_input", "Set all ε", 1.0)
    assert budget.epsilon == [3.0, 1.0, 1.0, 1.0]
    assert budget.widget("number_input", "Set all ε").value == 1.5
    monkeypatch.setattr(state, "LATE", 0.0)
    budget.set("number_input", "Set all ε", 1.0)
    assert budget.epsilon == [1.0] * 4


def test_attributes_are_left_out_and_one_stays(budget):
    for row in (0, 1, 2):
        budget.include(row, False)
    assert work(budget).draft.chosen == ("Survived",)
    assert rows(budget)["independent"]["facts"][2] == rows(budget)["optimal"]["facts"][2]
    budget.include(3, False)
    assert work(budget).draft.chosen == ("Survived",)


def test_a_total_budget_is_shared_out_by_weights(budget):
    budget.set("selectbox", "Start from", "total").set("number_input", "Budget for the whole record (ε)", 3.0)
    assert work(budget).plan().build().epsilon_total == pytest.approx(3, abs=1e-4)
    budget.edit({0: {"weight": "2"}})
    epsilon = budget.epsilon
    assert epsilon[0] == pytest.approx(2 * epsilon[1], rel=1e-6)


def test_a_workload_spends_its_budget(budget):
    budget.set("selectbox", "Start from", "questions")
    budget.set("multiselect", "Joint distributions (all pairs if empty)", [("Sex", "Survived")])
    plan = work(budget).plan()
    assert (plan.mechanism, plan.workload) == ("workload", (("Sex", "Survived"),))
    assert set(rows(budget)) == {"independent", "workload"}
    budget.set("selectbox", "Start from", "epsilon")
    assert work(budget).plan().key == "preserving-2"


def test_the_two_searches_find_epsilons(budget):
    budget.set("number_input", "Set all ε", 4.0)
    assert protection(work(budget).plan().build().epsilon_total) == "Weak"
    budget.click("Find largest ε with moderate protection")
    assert protection(work(budget).plan().build().epsilon_total) == "Moderate"
    budget.click("Find smallest ε for a usable pair")
    plan = work(budget).plan()
    assert accuracy(plan, plan.build()).usable[plan.schema.axes(work(budget).pair)]
    assert budget.epsilon[0] < 1


def test_the_search_counts_all_rows_of_a_person(budget):
    work(budget).change(rows_per_person=3)
    budget.run().click("Find largest ε with moderate protection")
    total = work(budget).plan().build().epsilon_total
    assert [protection(rows * total) for rows in (3, 3.2)] == ["Moderate", "Weak"]


def test_a_search_that_finds_nothing_says_so(declared):
    declared.set("number_input", "Sample size n", 3).click("Find smallest ε for a usable pair")
    assert len(declared.errors) == 1


def test_other_mechanisms_and_the_premise_are_in_the_expander(budget):
    budget.given(constraints=True).run()
    budget.set("selectbox", "Mechanism", "preserving-3")
    assert (work(budget).plan().preserve, rows(budget)["preserving-3"]["chosen"]) == (3, True)
    budget.set("number_input", "Set all ε", 3.0)
    before = rows(budget)["independent"]["facts"][2]
    budget.set("radio", "Margins of error are for", False)
    assert work(budget).draft.population is False
    assert rows(budget)["independent"]["facts"][2] != before
    budget.set("selectbox", "Mechanism", "constrained")
    budget.set("multiselect", "Cap what an attacker who knows the other answers learns about", ["Sex"])
    assert work(budget).plan().safeguards.slacks is not None


def test_lines_of_three_mechanisms_and_equal_terms(budget):
    figure = budget.figures["privacy-against-accuracy"]
    assert {trace["name"] for trace in figure.spec["data"] if trace.get("name")} == {
        row["title"] for row in rows(budget).values()
    }
    (table,) = [frame.value for frame in budget.at.dataframe]
    assert len(table) == 3


def test_one_attribute_and_forty(session):
    session.declaring().declare("Smokes: no, yes").go("budget")
    assert len(rows(session)) == 2
    session.declaring().declare(*[f"Q{i}: no, yes, perhaps" for i in range(40)]).go("budget")
    assert len(work(session).draft.chosen) == 8
    work(session).choose_attributes(work(session).schema.names)
    assert len(rows(session.run())) == 3


def test_people_who_could_be_guessed_are_counted(budget, monkeypatch):
    def counted():
        return any("Survived" in text.value and "1,000" in text.value for text in budget.at.caption)

    assert counted()
    monkeypatch.setattr(card, "_COUNTED_AT_ONCE", 0)
    verdict = headline(budget.run())
    assert not counted()
    budget.click("Simulate how many people could be guessed")
    assert counted()
    assert headline(budget) == verdict


def test_python_code_gives_the_same_plan(budget):
    budget.edit({0: {"eps": "0.5"}})
    scope = {}
    exec(budget.at.code[0].value.replace("print(", "(").strip(), scope)
    assert scope["plan"] == work(budget).plan()


def test_without_a_table_there_are_three_doors(open_session):
    assert open_session("/budget", table="").has("button", "Open it")
