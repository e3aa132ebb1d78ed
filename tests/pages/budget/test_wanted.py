"""Budget's first row, of which any three give the fourth; its answer; and what follows a plan without data."""

from dataclasses import replace

import pytest

from rrcore.budget import (
    Assumption,
    People,
    Plan,
    SmallestGroup,
    compare,
    level_for_precision,
    people_for_precision,
    precision_of,
    protects_little,
    questions_within_precision,
    risk_of,
    risk_of_thousand,
    tradeoff_sentence,
)
from rrcore.budget.risk import levels_within_risk
from rrcore.table.demo import load_demo
from rrcore.wording import unbroken

ASKED = "What do you want to know?"
AXES = (1, 3)  # Sex and Survived


@pytest.fixture
def budget(session):
    """Titanic: Class (4), Sex, Age, Survived (2 each), level 2.0 each."""
    return session.go("budget")


@pytest.fixture
def declared(session):
    session.declaring()
    session.declare("violence: no, yes", "sex: no, yes").go("budget")
    return session


def ask(session, sought):
    (control,) = [group for group in session.at.button_group if group.label == ASKED]
    session.at.session_state[control.key] = sought
    return session.run()


def plan_of(session):
    return session.at.session_state["work"].plan()


def said(session):
    return [
        text.value.strip("*").replace("\N{NO-BREAK SPACE}", " ") for text in session.at.markdown if text.value.startswith("**")
    ]


def test_the_page_opens_with_its_answer(budget):
    plan = plan_of(budget)
    (option,) = compare(plan, [plan.mechanism])
    answer = tradeoff_sentence(option, plan.respondents)
    assert unbroken(answer) in [text.value for text in budget.at.markdown]
    assert answer.startswith(
        "The whole record shifts anyone's odds by at most × 88.5 under Pair-safe instead of × 2,990 under Kronecker; "
    )
    assert "one answer stays at × 7.39, or × 88.5 for someone who knows the others; " in answer
    assert answer.endswith("; pairs are within 1.7 points if all answers are equally common.")


def test_the_precision_is_there_at_once(budget):
    budget.set("multiselect", "Joint distribution of", ["Sex", "Survived"])
    found = precision_of(plan_of(budget), [AXES], assumption=Assumption(population=False))
    assert found.precision_sentence() in said(budget)
    assert [part for part in found.price_text.split(", ") if part not in budget.text] == []
    assert "Price: " not in budget.text  # it is the plan's own


@pytest.mark.slow
def test_people_are_found_and_planned_for(budget):
    ask(budget.set("multiselect", "Joint distribution of", ["Sex", "Survived"]), "people")
    budget.set("number_input", "± points", 1.5).set("radio", "Errors are against", True)
    found = people_for_precision(plan_of(budget), [AXES], 0.015)
    assert found.people_sentence() in said(budget)
    budget.click(f"Plan for {found.plan.respondents:,} people")
    assert plan_of(budget).respondents == found.plan.respondents
    assert budget.widget("number_input", "People").value == found.plan.respondents
    assert not budget.has("button", f"Plan for {found.plan.respondents:,} people")


@pytest.mark.slow
def test_levels_are_found_and_used(budget):
    ask(budget.set("multiselect", "Joint distribution of", ["Sex", "Survived"]), "levels").set("number_input", "± points", 4.0)
    found = level_for_precision(plan_of(budget), [AXES], 0.04, assumption=Assumption(population=False))
    assert found.level_sentence() in said(budget)
    assert f"Price: {found.price_text}." in budget.text.replace("×\xa0", "× ")
    budget.click("Use these levels")
    assert plan_of(budget).levels == pytest.approx(found.plan.levels)
    assert budget.typed_table["Level"].tolist() == [f"{level:.2f}" for level in found.plan.levels]


@pytest.mark.slow
def test_questions_within_the_precision_are_listed(budget):
    ask(budget, "questions").set("number_input", "± points", 3.0)
    found = questions_within_precision(plan_of(budget), 0.03, assumption=Assumption(population=False))
    (table,) = [frame.value for frame in budget.at.dataframe if "Within" in frame.value]
    assert table["Distribution of"].tolist() == [each.question for each in found]
    assert "of 10 distributions of one or two attributes can be read to within ± 3.0 points" in budget.text


def test_shares_within_groups_are_wanted_of_the_smallest_group(budget):
    """The table's smallest group counts, and that it is read off true answers is said; a share that is typed takes its place."""
    budget.set("multiselect", "Joint distribution of", ["Sex", "Survived"]).set("selectbox", "Within each", "Sex")
    table = load_demo("titanic")
    smallest = SmallestGroup.of(table.schema, ["Sex"], table.shares(["Sex"]))
    assumption = Assumption(population=False, group=470 / 2201)
    found = precision_of(plan_of(budget), [(3,)], within=[1], assumption=assumption)
    assert (found.question, found.precision_sentence() in said(budget)) == ("Survived within each Sex", True)
    assert smallest.text in budget.text
    budget.set("number_input", "Smallest group (%)", 40.0)
    given = precision_of(plan_of(budget), [(3,)], within=[1], assumption=replace(assumption, group=0.4))
    assert given.precision_sentence() in said(budget)
    assert smallest.text not in budget.text
    assert budget.set("selectbox", "Within each", "Age").widget("number_input", "Smallest group (%)").value is None
    assert budget.set("selectbox", "Within each", "Sex").widget("number_input", "Smallest group (%)").value == 40
    budget.go("data").go("budget")
    assert given.precision_sentence() in said(budget)
    budget.set("selectbox", "Within each", "")
    everybody = precision_of(plan_of(budget), [AXES], assumption=Assumption(population=False))
    assert everybody.precision_sentence() in said(budget)


@pytest.mark.slow
def test_people_levels_and_questions_within_groups(budget):
    budget.set("multiselect", "Joint distribution of", ["Survived"]).set("selectbox", "Within each", "Sex")
    assumption = Assumption(population=False, group=470 / 2201)
    ask(budget, "levels").set("number_input", "± points", 6.0)
    found = level_for_precision(plan_of(budget), [(3,)], 0.06, within=[1], assumption=assumption)
    assert found.level_sentence() in said(budget)
    budget.click("Use these levels")
    assert plan_of(budget).levels == pytest.approx(found.plan.levels)
    ask(budget, "questions")
    reached = questions_within_precision(plan_of(budget), 0.06, within=[1], assumption=assumption)
    (listed,) = [frame.value for frame in budget.at.dataframe if "Within" in frame.value]
    assert listed["Distribution of"].tolist() == [each.question for each in reached]
    assert f"{len(reached)} of 6 distributions" in budget.text
    ask(budget, "people").set("number_input", "± points", 5.0)
    found = people_for_precision(plan_of(budget), [(3,)], 0.05, within=[1], assumption=assumption)
    budget.click(f"Plan for {found.plan.respondents:,} people")
    assert plan_of(budget).respondents == found.plan.respondents
    ask(budget, "safety")
    assert any("Survived within each Sex" in text for text in [*budget.warnings, budget.text])
    budget.set("multiselect", "Attributes of the plan", ["Class", "Age"])
    assert budget.errors == []


# without data


def test_of_declared_questions_all_groups_are_equally_common(declared):
    declared.set("selectbox", "Within each", "sex")
    found = people_for_precision(plan_of(declared), [(0,)], 0.02, within=[1])
    assert found.people_sentence() in said(declared)
    assert any("All groups by sex are taken to be equally common" in (text.help or "") for text in declared.at.markdown)
    rarer = people_for_precision(plan_of(declared), [(0,)], 0.02, within=[1], assumption=Assumption(group=0.1))
    declared.set("number_input", "Smallest group (%)", 10.0)
    assert rarer.people_sentence() in said(declared)
    declared.set("multiselect", "Joint distribution of", ["sex"])
    assert any("other than sex" in info.value for info in declared.at.info)


def test_a_declared_plan_asks_for_people_from_the_population(declared):
    """ "How many respondents for +-2 points on violence by sex?", before any data and with nothing to click."""
    assert declared.widget("number_input", "± points").value == 2
    assert declared.widget("radio", "Errors are against").value is True
    found = people_for_precision(plan_of(declared), [(0, 1)], 0.02)
    assert found.question == "violence × sex"
    assert found.people_sentence() in said(declared)
    assert found.assumption_text in [text.help for text in declared.at.markdown]


def test_a_declared_plan_goes_on_to_collect(declared):
    assert "Next: collect answers" in [link.proto.label for link in declared.at.get("page_link")]


@pytest.mark.slow
def test_a_declared_plan_is_tried_on_invented_answers(declared, open_session):
    declared.edit({0: {"eps": 1.0}}).set("number_input", "People", 700)
    before = plan_of(declared)
    declared.click("Try it on invented answers")
    assert declared.title == "Perturb & estimate"
    assert plan_of(declared) == before
    work = declared.at.session_state["work"]
    assert (work.title, work.source, work.dataset.n) == ("Invented answers", "synthetic", 700)
    assert any("They stand for nobody" in toast.value for toast in declared.at.toast)
    assert declared.errors == []
    declared.go("budget").edit({1: {"eps": 0.5}}).click("Undo")
    assert (work.title, work.source, work.dataset.n) == ("Invented answers", "synthetic", 700)
    fresh = open_session()
    fresh.open_project(declared.download("project.json"))
    opened = fresh.at.session_state["work"]
    assert (opened.title, opened.source, opened.dataset) == ("Declared plan", "declare", None)
    assert plan_of(fresh) == before
    declared.go("budget").click("Drop the invented answers")
    assert plan_of(declared) == before
    assert (work.title, work.source, work.dataset) == ("Declared plan", "declare", None)
    assert "Next: collect answers" in [link.proto.label for link in declared.at.get("page_link")]


@pytest.mark.slow
def test_forty_declared_questions_are_a_plan(session):
    session.declaring()
    session.declare("smokes: no, yes", "health: 3", "region: 4", *(f"q{i}: no, yes" for i in range(37))).go("budget")
    assert len(plan_of(session).levels) == 8
    session.click("Add the other 32")
    assert len(session.typed_table) == len(plan_of(session).levels) == 40
    session.edit({39: {"eps": "1"}})
    assert plan_of(session).levels == (2.0,) * 39 + (1.0,)
    assert any(text.startswith("Ask ") for text in said(session))
    assert Plan.from_json(session.download("plan.json")) == plan_of(session)


def test_levels_follow_from_who_may_be_guessed(budget):
    """The plan that is taken keeps the number, and higher levels would not; what it costs in precision is said."""
    people = People(load_demo("titanic"))
    before = risk_of(plan_of(budget).build(), people, "others")
    assert before.sentence() in budget.text
    ask(budget, "safety")
    found = levels_within_risk(plan_of(budget), 0.01, "others", people=people)
    assert found.risk.sentence() in said(budget)
    closer = level_for_precision(plan_of(budget), [(0, 1)], 0.02, assumption=Assumption(None, False))
    needed = risk_of_thousand(risk_of(closer.mechanism, people, "others").share)
    conflict = f"You wanted ± 2.0 points. That would take {needed} of 1,000 people who can be guessed."
    assert any(warning.endswith(conflict) for warning in budget.warnings)
    (button,) = [button for button in budget.at.button if button.key == "use_safer"]
    assert f"({risk_of_thousand(before.share)} of 1,000 now)" in button.label
    budget.click("use_safer")
    assert plan_of(budget).levels == pytest.approx(found.plan.levels)
    assert risk_of(plan_of(budget).build(), people, "others").share <= 0.01
    assert risk_of(plan_of(budget).scaled(1.01).build(), people, "others").share > 0.01


def test_levels_follow_the_slider(budget):
    """What is moved is meant: no button has to be pressed, and opening the section alone changes nothing."""
    before = plan_of(budget)
    ask(budget, "safety")
    assert plan_of(budget) == before
    budget.set("select_slider", "Make it safer: at most", 1.0)
    people = People(load_demo("titanic"))
    assert risk_of(plan_of(budget).build(), people, "others").share <= 0.001
    assert risk_of(plan_of(budget).scaled(1.01).build(), people, "others").share > 0.001
    assert not [button for button in budget.at.button if button.key == "use_safer"]
    budget.set("select_slider", "Make it safer: at most", 50.0)
    assert risk_of(plan_of(budget).build(), people, "others").share <= 0.05
    assert risk_of(plan_of(budget).scaled(1.01).build(), people, "others").share > 0.05


def test_each_observer_is_counted_of_the_plan_in_play(budget):
    """Of whom the release helps, and who could be guessed without any, apart."""
    ask(budget, "safety")
    (table,) = [frame.value for frame in budget.at.dataframe if "Someone who" in frame.value]
    people, mechanism = People(load_demo("titanic")), plan_of(budget).build()
    risks = [risk_of(mechanism, people, knows) for knows in ("answer", "record", "others")]
    assert table["can guess, of 1,000 people"].tolist() == [risk.number for risk in risks]
    assert table["another, without any release"].tolist() == [risk.without for risk in risks]
    assert all(risk.most == risk.added for risk in risks)


def test_a_total_that_protects_little_is_told(budget):
    """4.49 nats for 32 combinations, whose logarithm is 3.47; at a lower scale nothing is said."""
    assert protects_little((4, 2, 2, 2), plan_of(budget).build().total_level) in budget.warnings
    budget.set("slider", "Scale all levels", 0.5)
    assert not any("protects little" in warning for warning in budget.warnings)
