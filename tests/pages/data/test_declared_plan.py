"""Declare only: questions typed in the page become a plan without data."""

import pytest

from rrcore.budget import Plan

EXAMPLE = ("smokes: no, yes", "health: poor < fair < good", "region: north, south, east, west")


@pytest.fixture
def declared(session):
    """The editor of questions: smokes (2 answers), health (3), region (4), 2,000 people."""
    return session.declaring()


def test_the_example_is_a_plan_at_once(declared):
    assert declared.errors == []
    assert "3 attributes, 24 combinations, 2,000 people planned" in declared.text
    assert "budget" in declared.links


def test_a_question_can_be_added(declared):
    declared.declare(*EXAMPLE, "pet: none, cat, dog")
    assert declared.errors == []
    assert "4 attributes, 72 combinations" in declared.text
    declared.go("budget")
    assert dict(zip(declared.chosen, declared.at.session_state["work"].schema.sizes, strict=True))["pet"] == 3


def test_a_question_can_be_deleted(declared):
    declared.declare(EXAMPLE[2])
    assert declared.errors == []
    declared.go("budget")
    assert declared.chosen == ["region"]


def test_a_number_stands_for_that_many_answers(declared):
    declared.declare("smokes: 5", *EXAMPLE[1:])
    assert declared.errors == []
    assert "3 attributes, 60 combinations" in declared.text
    plan = Plan.from_json(declared.go("budget").download("plan.json"))
    assert plan.schema.attributes[0].categories == ("1", "2", "3", "4", "5")


def test_a_thousand_answers_are_allowed(declared):
    declared.declare("smokes: 1000", *EXAMPLE[1:])
    assert declared.errors == []
    assert "12,000 combinations" in declared.text


BAD = [
    ("smokes: yes", "'smokes' has only the category 'yes': an attribute needs at least 2"),
    ("smokes: 1", "'smokes' has only the category '1'"),
    ("smokes: 0", "'smokes' has no categories"),
    ("smokes: ,", "'smokes' has no categories"),
    ("smokes:", "'smokes' has no categories"),
    ("smokes: yes, no, yes", "'smokes' lists the category 'yes' twice"),
    ("smokes: 1001", "'smokes' has 1,001 categories: at most 1,000 are allowed"),
    ("smokes: 999999", "'smokes' has "),
    ("region: 2", "Two attributes are called 'region'"),
    (": no, yes", "Line 1, ': no, yes', has no name and colon before its answers"),
    ("x" * 501 + ": no, yes", "a text of 1 to 500 characters"),
]


def test_a_bad_question_gives_one_sentence_and_keeps_the_former_plan(declared):
    former = declared.at.session_state["work"].plan()
    for line, fragment in BAD:
        declared.declare(line, *EXAMPLE[1:])
        (error,) = declared.errors
        assert fragment in error
        assert error.endswith(".")
        assert "3 attributes, 24 combinations, 2,000 people planned" in declared.text
        assert declared.at.session_state["work"].plan() == former
    declared.go("budget")
    assert declared.chosen == ["smokes", "health", "region"]


def test_deleting_every_question_is_refused(declared):
    declared.declare("")
    (error,) = declared.errors
    assert error.startswith("No attribute is chosen")


def test_an_empty_row_is_no_question_yet(declared):
    declared.declare(*EXAMPLE, "", " ")
    assert declared.errors == []
    assert "3 attributes" in declared.text


def test_the_number_of_people_can_be_declared(declared):
    declared.set("number_input", "People expected to answer", 500)
    assert "500 people planned" in declared.text
    declared.go("budget")
    assert declared.widget("number_input", "People").value == 500


@pytest.mark.slow
def test_budget_works_from_a_declared_plan(declared):
    declared.go("budget").edit({1: {"eps": 0.5}})
    assert declared.levels == [2.0, 0.5, 2.0]
    for mechanism in ("joint", "optimal", "kronecker"):
        declared.choose(mechanism)
        assert declared.errors == []
        assert list(declared.figures) == ["record-level-budget", "leakage", "expected-error"]
        plan = Plan.from_json(declared.download("plan.json"))
        assert (plan.mechanism, plan.levels, plan.respondents) == (mechanism, (2.0, 0.5, 2.0), 2000)


def test_budget_leads_to_collect_and_not_to_a_page_that_needs_answers(declared):
    declared.go("budget")
    assert declared.links == ["collect"]


def test_perturb_explains_that_it_needs_a_table_and_links_to_data(declared):
    declared.go("perturb")
    (info,) = [info.value for info in declared.at.info]
    assert "needs a table" in info
    assert declared.links == ["data"]
    assert declared.errors == []
    assert declared.figures == {}


def test_declared_questions_survive_other_pages(declared):
    declared.declare("vapes: no, yes", *EXAMPLE[1:]).go("budget").go("start").go("data")
    assert declared.widget("radio", "Where the table comes from").value == "declare"
    assert declared.at.dataframe[0].value["Question"].tolist() == ["vapes", "health", "region"]
    assert declared.errors == []


@pytest.mark.slow
def test_a_demo_after_a_declared_plan_can_be_perturbed(declared):
    declared.go("start").click("demo_berkeley").go("perturb")
    assert declared.errors == []
    assert "truth-and-estimate" in declared.figures


@pytest.mark.slow
def test_attributes_chosen_on_budget_stay_chosen_when_the_number_of_people_changes(declared):
    declared.declare(*EXAMPLE, *(f"q{i}: no, yes" for i in range(10))).go("budget")
    chosen = declared.widget("multiselect", "Attributes of the plan")
    declared.set("multiselect", "Attributes of the plan", list(chosen.options))
    assert len(declared.levels) == 13
    declared.go("data").set("number_input", "People expected to answer", 3000).go("budget")
    assert len(declared.levels) == 13


def test_questions_are_in_play_in_the_order_they_are_typed(declared):
    declared.declare("violence: no, yes", "sex: 2", *EXAMPLE[2:])
    work = declared.at.session_state["work"]
    assert work.wishes.chosen == ("violence", "sex", "region")
    assert work.wishes.marginal == ("violence", "sex")


def test_one_press_lets_people_decline(declared):
    declared.click("Let people decline to answer")
    assert declared.errors == []
    assert "3 attributes, 60 combinations" in declared.text  # 3, 4 and 5 answers
    assert [a.categories[-1] for a in declared.at.session_state["work"].schema.attributes] == ["Prefer not to answer"] * 3
    declared.click("Let people decline to answer")
    assert "3 attributes, 60 combinations" in declared.text


def test_names_that_were_declared_before_their_table_came_were_not_read_off_it(session):
    session.declaring().declare("smokes: no, yes", "town: a, b")
    rows = [f"{('no', 'yes')[i % 2]},{'ab'[i // 30]}" for i in range(60)]
    session.upload("\n".join(["smokes,town", *rows]).encode(), settled=False)
    assert session.at.session_state["work"].unsettled([session.at.session_state["work"].schema]) == {}
    session.upload("\n".join(["smokes,town", *rows, "no,c"]).encode(), settled=False)
    assert [name for name, _ in session.at.session_state["work"].unsettled([session.at.session_state["work"].schema])] == ["town"]


TABLE = "\n".join(
    ["age,region,smokes,health"]
    + [
        f"{20 + i % 30},{('north', 'south')[i % 2]},{('no', 'yes')[i % 3 == 0]},{('fair', 'poor', 'good')[i % 3]}"
        for i in range(60)
    ]
)


def test_a_plan_is_kept_when_a_table_has_its_attributes_and_further_columns(session):
    session.declaring().declare("smokes: no, yes", "health: poor < fair < good", "region: north, south, west")
    session.go("budget").edit({1: {"eps": 0.5}})
    session.upload(TABLE.encode())
    work = session.at.session_state["work"]
    assert work.source == "upload"
    assert work.wishes.chosen == ("smokes", "health", "region")
    assert [work.wishes.levels[name] for name in work.wishes.chosen] == [2.0, 0.5, 2.0]
    by_name = {each.name: each for each in work.schema.attributes}
    assert (by_name["health"].categories, by_name["health"].kind) == (("poor", "fair", "good"), "ordinal")
    assert by_name["region"].categories == ("north", "south", "west")  # nobody there is from the west
    assert "age" in by_name
    assert session.warnings == []
    assert work.unsettled([work.schema.select(work.wishes.chosen)]) == {}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("smokes: no, sometimes", "In 'survey', 'smokes' has 'yes', which the plan has not."),
        ("pet: cat, dog", "There is no column 'pet': choose among age, region, smokes, health."),
    ],
)
def test_a_plan_that_a_table_does_not_fit_is_said_to_be_dropped_and_comes_back(session, line, why):
    session.declaring().declare(line, "region: north, south")
    name = line.partition(":")[0]
    session.upload(TABLE.encode())
    (warning,) = session.warnings
    assert warning == f"The declared plan ({name}, region) is no longer in play. {why} Undo brings it back."
    session.click("undo")
    assert session.at.session_state["work"].source == "declare"
    assert session.at.session_state["work"].wishes.chosen == (name, "region")
    assert session.warnings == []
