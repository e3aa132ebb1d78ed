"""Data: what each column becomes. Every treatment does what it says, and one that cannot be carried out changes nothing."""

import pytest

from rrcore.budget import Plan

AGES = [20 + i % 40 for i in range(600)]
FRUIT = ["apple"] * 300 + ["pear"] * 285 + ["quince"] * 10 + ["medlar"] * 5
GAPS = ["NA" if i % 10 == 0 else "" if i % 10 == 1 else "b" if i % 2 else "c" for i in range(600)]
CATEGORIES = "Categories, one per line, in order"
MARKS = "Texts that also mean 'missing'"
MERGE = "Merge categories with fewer people than"
MISSING = "Missing values"
NUMBERS = "Numbers become"
EDGES = "Edges, increasing"


@pytest.fixture
def survey(session):
    """A fresh upload with a numeric column, a column of rare answers, one with two sorts of missing values, an identifier and a constant."""
    rows = [f"{age},{fruit},{gap},p{i},first" for i, (age, fruit, gap) in enumerate(zip(AGES, FRUIT, GAPS, strict=True))]
    return session.upload("\n".join(["age,fruit,gap,id,wave", *rows]).encode())


def counts(session, name):
    """People in each category, as the table shows them."""
    return dict(zip(session.categories, session.row(name)["distribution"], strict=True))


def test_unticking_use_takes_the_column_out_everywhere_and_ticking_it_brings_it_back(survey):
    survey.edit({1: {"in play": False}})
    assert survey.errors == []
    assert not survey.row("fruit")["in play"]
    assert "2 attributes" in survey.text
    survey.go("budget")
    assert survey.chosen == ["age", "gap"]
    survey.go("data").edit({1: {"in play": True}})
    assert survey.row("fruit")["in play"]
    survey.go("budget")
    assert set(survey.chosen) == {"age", "fruit", "gap"}


def test_all_columns_that_can_be_used_are_used_at_one_press(survey):
    survey.edit({1: {"in play": False}}).click("Use all 3 columns that can be used")
    assert survey.at.session_state["work"].wishes.chosen == ("age", "fruit", "gap")
    assert not survey.has("button", "Use all 3 columns that can be used")


def test_a_reason_stands_once_below_the_table(session):
    rows = "\n".join(["age,work", *(f"{age},{'?' if age % 9 == 0 else 'private' if age % 2 else 'public'}" for age in AGES)])
    marked = session.upload(rows.encode())
    reason = marked.row("work")["notes"]
    assert "may stand for no answer" in reason
    assert marked.text.count(f"**work:** {reason}") == 1


def test_reasons_stand_in_full_and_some_rows_can_be_looked_at(survey):
    reason = survey.row("id")["notes"]
    assert f"**id:** {reason}" in survey.text
    survey.look_at("data_rows", True)
    (rows,) = [frame.value for frame in survey.at.dataframe if "wave" in frame.value.columns]
    assert len(rows) == 8
    assert {(int(age) - 20) for age in rows["age"]} <= set(range(40))
    survey.look_at("data_rows", False)
    assert not [frame for frame in survey.at.dataframe if "wave" in frame.value.columns]


def test_the_kind_of_a_column_can_be_declared(survey):
    survey.edit({1: {"kind": "ordinal"}})
    assert survey.row("fruit")["kind"] == "ordinal"
    survey.go("budget")
    (fruit,) = Plan.from_json(survey.download("plan.json")).schema.select(["fruit"]).attributes
    assert (fruit.kind, fruit.categories[0]) == ("ordinal", "apple")


def test_rare_categories_are_merged_and_merging_can_be_undone(survey):
    survey.detail("fruit").set("number_input", MERGE, 20)
    assert survey.errors == []
    assert counts(survey, "fruit") == {"apple": 300, "pear": 285, "(other)": 15}
    survey.set("number_input", MERGE, 0)
    assert counts(survey, "fruit") == {"apple": 300, "medlar": 5, "pear": 285, "quince": 10}


def test_a_text_can_be_declared_to_mean_missing_and_that_be_taken_back(survey):
    survey.detail("gap").set("text_input", MARKS, "NA, ?")
    assert survey.errors == []
    assert counts(survey, "gap") == {"b": 240, "c": 240, "(missing)": 120}
    survey.set("text_input", MARKS, "")
    assert counts(survey, "gap") == {"NA": 60, "b": 240, "c": 240, "(missing)": 60}


def test_missing_is_a_category_of_its_own_at_first_and_people_without_a_value_can_be_left_out(survey):
    assert counts(survey.detail("gap"), "gap") == {"NA": 60, "b": 240, "c": 240, "(missing)": 60}
    survey.set("radio", MISSING, "drop")
    assert survey.errors == []
    assert counts(survey, "gap") == {"NA": 60, "b": 240, "c": 240}
    assert "540 people" in survey.text


def test_numbers_become_intervals_or_stay_single_on_demand(survey):
    found = counts(survey.detail("age"), "age")
    assert found == {"below 30": 150, "30 to below 40": 150, "40 to below 50": 150, "50 and more": 150}
    assert "tell the order of magnitude, and nobody's number" in survey.text
    survey.set("selectbox", NUMBERS, False)
    assert survey.categories == [str(age) for age in range(20, 60)]


@pytest.mark.slow
def test_edges_can_be_typed(survey):
    survey.detail("age").set("text_input", EDGES, "20, 30, 50, 70")
    assert survey.errors == []
    assert counts(survey, "age") == {
        "below 20": 0, "20 to below 30": 150, "30 to below 50": 300, "50 to below 70": 150, "70 and more": 0
    }  # fmt: skip


def test_bad_edges_are_refused_with_one_complaint_and_change_nothing(survey):
    survey.detail("age").set("text_input", EDGES, "20, 40, 60")
    before = survey.row("age")
    for typed, fragment in (
        ("30, 20", "The edges of 'age' are 30, 20."),
        ("", "The list of edges is empty"),
        ("a, 20", "The edges 'a, 20' are not all numbers"),
        ("20, nan", "The edges of 'age' are 20, nan."),
    ):
        survey.set("text_input", EDGES, typed)
        (error,) = survey.errors
        assert fragment in error
        assert survey.row("age") == before


def test_a_category_removed_becomes_other_one_that_did_not_occur_can_be_declared_and_the_found_list_be_restored(survey):
    survey.detail("fruit").set("text_area", CATEGORIES, "apple\nmedlar\nquince")
    assert survey.errors == []
    assert counts(survey, "fruit") == {"apple": 300, "medlar": 5, "quince": 10, "(other)": 285}
    survey.set("text_area", CATEGORIES, "quince\nplum\npear\nmedlar\napple")
    assert counts(survey, "fruit") == {"quince": 10, "plum": 0, "pear": 285, "medlar": 5, "apple": 300}
    survey.set("text_area", CATEGORIES, "apple\nmedlar\npear\nquince")
    assert counts(survey, "fruit") == {"apple": 300, "medlar": 5, "pear": 285, "quince": 10}


def test_a_category_listed_twice_is_refused_and_what_was_typed_can_be_mended(survey):
    before = survey.table
    survey.detail("fruit").set("text_area", CATEGORIES, "apple\npear\napple")
    (error,) = survey.errors
    assert error == "'fruit' lists the category 'apple' twice: list each category once. Nothing was changed."
    assert survey.table.equals(before)
    assert survey.widget("text_area", CATEGORIES).value == "apple\npear\napple"
    survey.set("text_area", CATEGORIES, "pear\napple")
    assert survey.errors == []
    assert counts(survey, "fruit") == {"pear": 285, "apple": 300, "(other)": 15}


def test_an_edit_that_cannot_be_carried_out_is_refused_with_a_sentence(survey):
    before = survey.table
    survey.detail("fruit").set("number_input", MERGE, 1_000)
    (error,) = survey.errors
    assert error.startswith("'fruit' has only the category '(other)'")
    assert error.endswith("Nothing was changed.")
    assert survey.table.equals(before)
    survey.set("number_input", MERGE, 0)
    assert survey.errors == []


def test_the_last_used_column_cannot_be_unticked(survey):
    survey.edit({0: {"in play": False}}).edit({1: {"in play": False}}).edit({2: {"in play": False}})
    (error,) = survey.errors
    assert error.startswith("No column is used")
    assert survey.row("gap")["in play"]


def test_a_constant_column_cannot_be_used_and_the_refusal_goes_with_the_next_edit_that_works(survey):
    survey.edit({4: {"in play": True}, 1: {"kind": "ordinal"}})  # pasted in one go, of which the second would do
    (error,) = survey.errors
    assert error.startswith("'wave' ")
    survey.edit({4: {"in play": True}})
    (error,) = survey.errors
    assert error.startswith("'wave' has only the category 'first': an attribute needs at least 2")
    assert error.endswith("Nothing was changed.")
    assert not survey.row("wave")["in play"]
    survey.edit({1: {"kind": "ordinal"}})
    assert survey.errors == []
    assert survey.row("fruit")["kind"] == "ordinal"


def test_a_refusal_is_not_shown_for_another_table(survey):
    survey.edit({4: {"in play": True}})
    assert len(survey.errors) == 1
    survey.set("radio", "Where the table comes from", "demo").set("radio", "Demo table", "berkeley")
    assert survey.errors == []


def test_an_unused_column_says_how_to_use_it(survey):
    survey.detail("id")
    assert "Tick 'In play' in the table" in survey.text
    assert not survey.has("text_area", CATEGORIES)


def test_answers_with_line_breaks_stay_one_answer_each(session):
    session.upload(b'a,b\n"one\ntwo",1\n"one\r\ntwo",2\none,1\n').detail("a")
    assert session.errors == []
    assert session.row("a")["categories"] == 3
    session.set("text_area", CATEGORIES, "one\u21b5two\none\u240d\u21b5two\none\nnew")
    assert session.at.session_state["work"].schema.attributes[0].categories == ("one\ntwo", "one\r\ntwo", "one", "new")


def test_a_column_named_in_odd_ways_can_be_edited(session):
    session.upload(b"a*b_c $x$ [y],=1+1\nno,1\nyes,2\nno,1\n").detail("=1+1").set("text_area", CATEGORIES, "2\n1")
    assert session.errors == []
    assert session.categories == ["2", "1"]


def test_each_of_many_reasons_stands_once(session):
    columns = [f"q{i}" for i in range(6)]
    rows = [",".join("?" if (i + j) % 9 == 0 else "ab"[i % 2] for j in range(6)) for i in range(90)]
    marked = session.upload("\n".join([",".join(columns), *rows]).encode())
    for name in columns:
        assert marked.text.count(f"**{name}:**") == 1, name


def test_a_column_that_somebody_unticked_can_be_ticked_again_and_has_no_reason(survey):
    survey.edit({1: {"in play": False}})
    assert "fruit can be too. id, wave are left out" in survey.text


def test_columns_that_somebody_chose_are_not_called_the_first(session):
    session.upload("\n".join(["a,b,c", *("x,y,z" if i % 2 else "u,v,w" for i in range(60))]).encode())
    session.edit({0: {"in play": False}})
    assert (
        "2 of 3 columns are in play: every answer that is given adds to what a record gives away. a can be too." in session.text
    )
