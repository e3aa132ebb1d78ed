"""Budget: levels and their refusals, totals, mechanisms, lost pairs, and the plan file."""

import math
import re
import sys
from itertools import combinations
from statistics import NormalDist

import pytest

from rrcore.budget import Plan
from rrcore.channel import check_levels
from rrcore.estimate import expected_error, weakest_interaction
from rrcore.limits import MAX_LEVEL
from rrcore.mechanisms import MECHANISMS, build
from rrcore.wording import EVEN_WITHIN
from tests.pages.conftest import SAFE_FOR

CHOSEN = "Attributes of the plan"
MECHANISM = "Mechanism of the plan"
SCALE = "Scale all levels"
SAFE = "Safe for joint distributions of up to 2 attributes (pair\N{NON-BREAKING HYPHEN}safe) (recommended)"
OPTIMUM = "Optimum"


@pytest.fixture
def budget(session):
    """Titanic: Class (4), Sex, Age, Survived (2 each), level 2.0 each."""
    return session.go("budget")


@pytest.fixture
def thirteen(session):
    session.declaring()
    session.declare("smokes: no, yes", "health: 3", "region: 4", *(f"q{i}: no, yes" for i in range(10))).go("budget")
    return session.set("multiselect", CHOSEN, list(session.widget("multiselect", CHOSEN).options))


def nats(odds):
    """The logarithm of printed odds, "× 12.9", "× 8.89 million" or "× 2.65 × 10^10", which are rounded up by 1 % at most."""
    number, million, power = re.fullmatch(r"× ([\d.,]+)( million)?(?: × 10\^(\d+))?", odds).groups()
    return math.log(float(number.replace(",", ""))) + math.log(10) * (6 if million else int(power or 0))


def total(session, mechanism="Kronecker"):
    """The record total of a mechanism beside its name, at most 0.01 too large."""
    return nats(session.captions_of_mechanisms[mechanism].split("whole record ")[1].split(";")[0])


def cost(session, title):
    """The record total of a mechanism in the table that compares them, at most 0.01 too large."""
    (table,) = [frame.value for frame in session.at.dataframe if "Whole record" in frame.value and "Saving" in frame.value]
    return nats(table.set_index("Mechanism")["Whole record"][title])


@pytest.mark.slow
def test_a_level_can_be_changed_and_what_follows_from_it_follows(budget):
    budget.edit({0: {"eps": 1.0}})
    assert budget.errors == []
    assert budget.levels == [1.0, 2.0, 2.0, 2.0]
    row = budget.typed_table.iloc[0]
    assert row["Level"] == "1.00"
    assert row["Truth told"] == f"{100 * math.e / (math.e + 3):.1f} %"
    assert row["Odds up to"] == "× 2.72"


@pytest.mark.slow
def test_several_levels_can_be_pasted(budget):
    budget.edit({0: {"eps": 1.0}, 3: {"eps": 0.5}})
    assert budget.levels == [1.0, 2.0, 2.0, 0.5]


BAD = {"0": "0", "-1": "-1", "nan": "nan", "inf": "inf", "1e-9": "1e-09", "35": "35", "1e3": "1000", "abc": "'abc'", "": "empty"}
"""What is typed, and what the page says the level is."""


@pytest.mark.slow
def test_a_bad_level_gives_one_sentence_is_never_clamped_and_keeps_the_former_level(budget):
    budget.edit({0: {"eps": 1.0}})
    for typed, said in BAD.items():
        budget.edit({1: {"eps": typed}})
        (error,) = budget.errors
        assert f"Level of 'Sex' is {said}: " in error
        assert budget.levels == [1.0, 2.0, 2.0, 2.0]
        assert total(budget) == pytest.approx(7, abs=0.01)


@pytest.mark.slow
def test_a_bad_level_stays_in_its_cell_until_it_is_mended(budget):
    budget.edit({1: {"eps": 0}})
    assert budget.typed_table["Level"].tolist() == ["2.00", "0", "2.00", "2.00"]
    assert budget.typed_table["Odds up to"][1] == "× 7.39"
    budget.edit({1: {"eps": 1.5}})
    assert budget.errors == []
    assert budget.levels == [2.0, 1.5, 2.0, 2.0]


@pytest.mark.slow
def test_a_bad_level_is_reported_even_if_levels_pasted_with_it_are_good(budget):
    budget.edit({0: {"eps": 0}, 1: {"eps": 1.5}})
    (error,) = budget.errors
    assert "Level of 'Class' is 0" in error


@pytest.mark.slow
def test_a_complaint_about_a_level_is_not_shown_for_another_table(budget):
    budget.edit({0: {"eps": 0}}).go("start").click("demo_berkeley")
    assert budget.errors == []


@pytest.mark.slow
def test_the_scale_multiplies_every_level_and_the_totals(budget):
    budget.edit({0: {"eps": 1.0}}).set("slider", SCALE, 0.5)
    assert budget.levels == [0.5, 1.0, 1.0, 1.0]
    assert total(budget) == pytest.approx(3.5, abs=0.01)
    budget.set("slider", SCALE, 2.0)
    assert budget.levels == [2.0, 4.0, 4.0, 4.0]
    assert total(budget) == pytest.approx(14, abs=0.01)


@pytest.mark.slow
def test_a_level_typed_under_a_scale_is_the_level_shown(budget):
    budget.set("slider", SCALE, 0.5).edit({0: {"eps": 3.0}})
    assert budget.levels == pytest.approx([3.0, 1.0, 1.0, 1.0])
    budget.set("slider", SCALE, 1.0)
    assert budget.levels == pytest.approx([6.0, 2.0, 2.0, 2.0])


@pytest.mark.slow
def test_a_scale_that_lifts_a_level_too_high_is_refused_and_can_be_taken_back(budget):
    budget.edit({0: {"eps": MAX_LEVEL / 2}}).set("slider", SCALE, 3.0)
    (error,) = budget.errors
    assert f"Level of 'Class' is {1.5 * MAX_LEVEL:g}: " in error
    budget.set("slider", SCALE, 1.0)
    assert budget.errors == []
    assert budget.levels == [MAX_LEVEL / 2, 2.0, 2.0, 2.0]


def test_the_total_of_kronecker_is_the_sum_of_the_levels(budget):
    for levels in ((0.25, 1.5, 3, 0.75), (MAX_LEVEL,) * 4, (0.01,) * 4, (2,) * 4):
        budget.edit({i: {"eps": eps} for i, eps in enumerate(levels)})
        assert budget.levels == pytest.approx(levels)
        assert -1e-9 < total(budget) - sum(levels) < 0.01


def test_mechanisms_say_what_they_save(budget):
    captions = budget.captions_of_mechanisms
    assert list(captions) == ["Kronecker", SAFE, "Optimum"]
    saved = round(100 * (1 - total(budget, SAFE) / total(budget)))
    assert f"{saved} % less for the record; one answer × 7.39, others known × " in captions[SAFE]
    budget.given(bargain_found=True).show_all_mechanisms()
    assert list(budget.captions_of_mechanisms) == [*captions, "Closed form", "RR-Joint", "Published heuristic"]
    assert cost(budget, "Optimum") <= min(cost(budget, other) for other in ("Kronecker", "Pair-safe", "Closed form"))
    assert "proved: no mechanism with these levels costs less" in budget.text
    assert (
        "proved: no mechanism with these levels that keeps joint distributions of up to 2 attributes as accurate as Kronecker costs less"
        in budget.text
    )


def test_safe_for_pairs_is_recommended_and_chosen_first(budget):
    assert budget.widget("radio", MECHANISM).value == "pair-safe"
    assert Plan.from_json(budget.download("plan.json")).mechanism == "pair-safe"
    assert "lost" not in budget.captions_of_mechanisms[SAFE]
    assert "weakened" not in budget.captions_of_mechanisms[SAFE]


@pytest.mark.slow
def test_the_published_heuristic_says_how_many_levels_it_exceeds(budget):
    budget.edit({0: {"eps": 1.0}, 1: {"eps": 3.0}, 2: {"eps": 0.5}})
    kept = build("published", (4, 2, 2, 2), (1.0, 3.0, 0.5, 2.0))
    assert kept.violations
    budget.given(bargain_found=True).show_all_mechanisms()
    assert budget.captions_of_mechanisms["Published heuristic"].startswith("**exceeds the levels asked; one answer × ")
    assert f"exceeds {len(kept.violations)} level" in budget.text


@pytest.mark.slow
def test_choosing_the_optimum_says_which_pairs_are_lost(budget):
    budget.set("multiselect", CHOSEN, ["Sex", "Age", "Survived"]).set("slider", SCALE, 0.25)
    assert budget.levels == [0.5, 0.5, 0.5]
    budget.choose("optimal")
    assert "**3 pairs lost**" in budget.captions_of_mechanisms[OPTIMUM]
    (warning,) = [warning for warning in budget.warnings if "erases how they go together" in warning]
    for first, second in (("Sex", "Age"), ("Sex", "Survived"), ("Age", "Survived")):
        assert f"{first} and {second}" in warning or f"{second} and {first}" in warning
    assert "Choose a mechanism safe for 2 attributes or more, or raise the levels." in warning


@pytest.mark.slow
def test_kronecker_loses_no_pair(budget):
    budget.set("multiselect", CHOSEN, ["Sex", "Age", "Survived"]).set("slider", SCALE, 0.25)
    assert "lost" not in budget.captions_of_mechanisms["Kronecker"]
    assert budget.warnings == []


def test_a_question_of_ones_own_compares_the_mechanisms(budget):
    budget.set("multiselect", "Joint distribution of", ["Age", "Survived"])
    (answers,) = [frame.value for frame in budget.at.dataframe if EVEN_WITHIN in frame.value]
    assert answers["Mechanism"].tolist() == [
        "Kronecker",
        "Pair-safe",
        "Optimum",
    ]
    within = {"Kronecker": "kronecker", "Pair-safe": "pair-safe", "Optimum": "optimal"}
    for title, text in zip(answers["Mechanism"], answers[EVEN_WITHIN], strict=True):
        channel = build(within[title], (4, 2, 2, 2), (2.0,) * 4).marginal_channel((2, 3))
        assert text == f"± {100 * NormalDist().inv_cdf(0.975) * expected_error(channel, 2201):.1f} points"
    assert "4 combinations, an average of 25.0 % each" in budget.text


@pytest.mark.slow
def test_a_question_about_a_lost_pair_is_called_not_identifiable(budget):
    budget.set("multiselect", CHOSEN, ["Sex", "Age", "Survived"]).set("slider", SCALE, 0.25)
    budget.set("multiselect", "Joint distribution of", ["Sex", "Age"])
    (answers,) = [frame.value for frame in budget.at.dataframe if EVEN_WITHIN in frame.value]
    found = dict(zip(answers["Mechanism"], answers[EVEN_WITHIN], strict=True))
    assert found["Optimum"] == "cannot be read"
    assert found["Kronecker"].startswith("± ")


@pytest.mark.slow
def test_thirteen_attributes_have_an_optimum_too(thirteen):
    """Thirteen questions of level 2: the optimum proved; what is safe for pairs is never above Kronecker's 26."""
    sizes = Plan.from_json(thirteen.download("plan.json")).schema.sizes
    assert cost(thirteen, "Optimum") == pytest.approx(build("optimal", sizes, (2.0,) * 13).total_level, abs=0.01)
    assert cost(thirteen, "Optimum") <= total(thirteen, SAFE) <= total(thirteen) == pytest.approx(26, abs=0.01)
    assert thirteen.errors == []
    assert Plan.from_json(thirteen.download("plan.json")).schema.names == tuple(thirteen.typed_table["Attribute"])


@pytest.mark.slow
def test_a_mechanism_that_is_no_longer_possible_is_replaced_with_a_warning(budget):
    budget.choose("closed-form").edit({0: {"eps": 0.1}, 1: {"eps": 6.0}})
    assert any(text.startswith("Closed form: ") and "Pair-safe is used instead" in text for text in budget.warnings)
    assert budget.widget("radio", MECHANISM).value == "pair-safe"


@pytest.mark.slow
def test_the_line_under_the_title_follows_the_choices(budget):
    budget.set("multiselect", CHOSEN, ["Age", "Sex"]).set("number_input", "People", 900)
    assert "**Titanic** · 2,201 people, planned for 900 · 2 attributes" in budget.text


def test_no_attribute_chosen_is_explained(budget):
    budget.set("multiselect", CHOSEN, [])
    assert budget.errors == ["No attribute is chosen: choose at least one."]
    budget.set("multiselect", CHOSEN, ["Age"])
    assert budget.errors == []


def test_one_attribute_alone_is_a_plan(budget):
    budget.set("multiselect", CHOSEN, ["Class"])
    assert budget.errors == []
    assert total(budget) == pytest.approx(2, abs=0.01)
    assert Plan.from_json(budget.download("plan.json")).schema.names == ("Class",)


@pytest.mark.slow
def test_the_downloaded_plan_says_what_the_page_says(budget):
    budget.edit({0: {"eps": 1.25}}).set("number_input", "People", 750)
    for mechanism in MECHANISMS:
        budget.choose(mechanism)
        budget.widget("download_button", "Download plan").click()
        budget.run()
        plan = Plan.from_json(budget.download("plan.json"))
        assert plan.schema.names == ("Class", "Sex", "Age", "Survived")
        assert plan.levels == (1.25, 2.0, 2.0, 2.0)
        assert (plan.respondents, plan.mechanism) == (750, mechanism)
        shown = cost(budget, MECHANISMS[mechanism].title)
        assert plan.build().total_level <= shown + 1e-6
        assert shown - plan.build().total_level < 0.01


def test_a_level_is_what_was_typed(budget):
    for typed, level in (("1.5", 1.5), ("1,5", 1.5), (" 0.5 ", 0.5), ("1e1", 10.0)):
        budget.edit({0: {"eps": "3"}}).edit({0: {"eps": typed}})
        assert budget.errors == []
        assert budget.levels == [level, 2.0, 2.0, 2.0]


@pytest.mark.slow
def test_a_useless_plan_is_called_useless(budget):
    budget.set("slider", "Scale all levels", 0.1).set("number_input", "People", 100)
    assert any("Too few people" in warning for warning in budget.warnings)


# safe for joint distributions


def test_the_slider_says_for_how_many_attributes_the_mechanism_is_safe(budget):
    assert (
        "Joint distributions of more than 2 attributes may be read less accurately than from independent answers." in budget.text
    )
    assert "Recommended:" not in budget.text
    budget.set("slider", SAFE_FOR, 3)
    assert budget.widget("radio", MECHANISM).value == "3-safe"
    assert (
        "Joint distributions of more than 3 attributes may be read less accurately than from independent answers. Recommended: 2."
        in budget.text
    )
    assert cost(budget, "3-safe") == pytest.approx(build("3-safe", (4, 2, 2, 2), (2.0,) * 4).total_level, abs=0.01)


@pytest.mark.slow
def test_kronecker_has_no_slider_and_the_slider_remembers_its_place(budget):
    budget.choose("4-safe").choose("kronecker")
    assert not budget.has("slider", SAFE_FOR)
    assert budget.choose("4-safe").widget("slider", SAFE_FOR).value == 4


@pytest.mark.slow
def test_fewer_attributes_are_all_safe_and_more_are_as_before(budget):
    budget.choose("4-safe").set("multiselect", CHOSEN, ["Class", "Sex"])
    assert Plan.from_json(budget.download("plan.json")).mechanism == "pair-safe"
    budget.set("multiselect", CHOSEN, ["Class"])
    assert Plan.from_json(budget.download("plan.json")).mechanism == "optimal"
    budget.set("multiselect", CHOSEN, ["Class", "Sex", "Age", "Survived"])
    assert Plan.from_json(budget.download("plan.json")).mechanism == "4-safe"


@pytest.mark.slow
def test_a_wide_question_is_recommended_a_wide_mechanism(budget):
    budget.set("multiselect", "Joint distribution of", ["Class", "Sex", "Age", "Survived"]).run()
    assert Plan.from_json(budget.download("plan.json")).mechanism == "pair-safe"
    assert "Recommended: 4." in budget.text
    assert budget.choose("4-safe").widget("radio", MECHANISM).options[1].endswith("4 attributes (recommended)")


@pytest.mark.slow
def test_a_question_that_is_read_worse_is_marked_and_mended(budget):
    """The optimum of unequal levels keeps some pairs less than Kronecker does."""
    budget.edit({row: {"eps": level} for row, level in enumerate((0.5, 1.0, 2.0, 3.0))}).choose("optimal")
    mechanism = build("optimal", (4, 2, 2, 2), (0.5, 1.0, 2.0, 3.0))
    pair = next(
        axes for axes in combinations(range(4), 2) if weakest_interaction(mechanism.marginal_channel(axes)).error_ratio > 1.01
    )
    names, found = [("Class", "Sex", "Age", "Survived")[i] for i in pair], weakest_interaction(mechanism.marginal_channel(pair))
    budget.set("multiselect", "Joint distribution of", names)
    assert found.sentence(names) in budget.warnings
    tables = [frame.value for frame in budget.at.dataframe if {"Mechanism", "Beside independent answers"} <= set(frame.value)]
    assert tables[0].set_index("Mechanism")["Beside independent answers"]["Optimum"] == found.text
    budget.click("Make it safe for 2 attributes")
    assert budget.widget("radio", MECHANISM).value == "pair-safe"
    assert found.sentence(names) not in budget.warnings


def test_a_level_that_changes_has_the_list_of_levels_validated_by_its_plan_and_its_project_alone(session, monkeypatch):
    session.go("budget").edit({0: {"level": 1.5}})
    lists, validate = [], check_levels

    def counted(levels, names):
        lists.extend([names] if len(names) > 1 else [])  # not the one level that was typed
        return validate(levels, names)

    for module in list(sys.modules.values()):
        if getattr(module, "check_levels", None) is validate:
            monkeypatch.setattr(module, "check_levels", counted)
    assert session.edit({1: {"level": 1.7}}).levels[:2] == [1.5, 1.7]
    assert len(lists) <= 2, lists


def test_a_table_of_one_person_is_not_of_one_people(session):
    session.upload(b"sex,smokes\nf,yes\n")
    session.set("text_area", "Possible answers, one question a line", "sex: f, m\nsmokes: yes, no").click("Use this table").go(
        "budget"
    )
    assert "for 1 person, if all answers are equally common" in session.text
    assert "1 people" not in session.text
