"""Plans: what is written is read back, and every bad plan is refused with its reason."""

import json
import re
from dataclasses import replace
from math import inf

import numpy as np
import pytest

from rrcore.budget import Plan, Questions
from rrcore.errors import InputError
from rrcore.estimate import weakest_interaction
from rrcore.mechanisms import MECHANISMS, Joint, Kronecker, Optimal, Safeguards, build
from rrcore.mechanisms.closed_form import ClosedForm
from rrcore.mechanisms.published import Published
from rrcore.mechanisms.recipes import RECIPES
from rrcore.table import Attribute, Dataset, Schema

SCHEMA = Schema(
    (
        Attribute("âge", ("<30", "30–60", ">60"), "ordinal"),
        Attribute("smokes", ("no", "yes")),
        Attribute('he said "x"', ("a", "b, c", "d\n", "é")),
    )
)
LEVELS = (1.0, 1.1, 0.9)


GUARDED = [
    Safeguards(),
    Safeguards(1.0),
    Safeguards(1 / 3, ((0, 2), (2, 1, 0))),
    Safeguards(slacks=(0.1 + 0.2, inf, 0.0)),
    Safeguards(0.9, ((1, 2),), (1.0, inf, 1 / 3)),
]
QUESTIONS = Questions(3.3, ((0, 2), (1,)))

PLANS = (
    [Plan(SCHEMA, LEVELS, 1234, mechanism) for mechanism in MECHANISMS]
    + [Plan(SCHEMA, LEVELS, 1234, "safeguarded", safeguards) for safeguards in GUARDED]
    + [
        Plan(SCHEMA, LEVELS, 1234, "design", questions=replace(QUESTIONS, people=7)),
        Plan(SCHEMA, LEVELS, 1, "optimal", GUARDED[-1], QUESTIONS),
    ]
)


@pytest.mark.slow
@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.mechanism)
def test_json_round_trip(plan):
    text = plan.to_json()
    again = Plan.from_json(text)
    assert again == plan
    assert again.to_json() == text
    assert "NaN" not in text
    assert "Infinity" not in text


def test_levels_survive_to_the_last_digit():
    levels = (0.1 + 0.2, 1 / 3, float(np.nextafter(2, 3)))
    assert Plan.from_json(Plan(SCHEMA, levels, 10).to_json()).levels == levels


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_document_states_what_is_achieved(mechanism):
    plan = Plan(SCHEMA, LEVELS, 1234, mechanism)
    document = json.loads(plan.to_json())
    built = plan.build()
    assert document["format"] == "rr-workbench plan"
    assert document["version"] == 1
    assert document["unit_of_levels"] == "nats"
    assert document["mechanism"] == mechanism
    assert document["respondents"] == 1234
    assert document["total_level"] == built.total_level
    assert [entry["name"] for entry in document["attributes"]] == list(SCHEMA.names)
    assert [entry["requested_level"] for entry in document["attributes"]] == list(LEVELS)
    assert [entry["achieved_level"] for entry in document["attributes"]] == list(built.levels)
    assert [entry["leakage"] for entry in document["attributes"]] == list(built.leakage)
    assert document.get("lower_bound") == built.lower_bound
    assert "safeguards" not in document
    assert "questions" not in document
    assert json.loads(plan.to_json(built)) == document
    assert type(built) is type(build(mechanism, SCHEMA.sizes, LEVELS)) is CLASSES[mechanism]


CLASSES = {
    "kronecker": Kronecker,
    "pair-safe": Optimal,
    "optimal": Optimal,
    "closed-form": ClosedForm,
    "joint": Joint,
    "published": Published,
}


def test_document_states_safeguards_and_questions_by_name():
    document = json.loads(Plan(SCHEMA, LEVELS, 10, "safeguarded", GUARDED[-1], QUESTIONS).to_json())
    assert document["safeguards"] == {"floor": 0.9, "marginals": [["smokes", 'he said "x"']], "slacks": [1.0, None, 1 / 3]}
    assert document["questions"] == {"total": 3.3, "marginals": [["âge", 'he said "x"'], ["smokes"]]}


def test_safeguarded_plans_are_built_with_their_safeguards():
    free = Plan(SCHEMA, LEVELS, 10, "optimal").build()
    floored = Plan(SCHEMA, LEVELS, 10, "safeguarded", Safeguards(1.0, ((0, 1, 2),))).build()
    capped = Plan(SCHEMA, LEVELS, 10, "safeguarded", Safeguards(slacks=(0.2, inf, 0.4))).build()
    whole = np.prod(Kronecker.from_levels(SCHEMA.sizes, LEVELS).retentions)
    assert free.factor((0, 1, 2)) < whole * 0.999
    assert floored.factor((0, 1, 2)) >= whole * (1 - 1e-9)
    assert free.leakage[0] > 1.2 + 1e-3
    assert capped.leakage[0] <= 1.2 + 1e-9
    assert capped.leakage[2] <= 1.3 + 1e-9
    assert free.total_level < min(floored.total_level, capped.total_level) - 1e-3


def test_designed_plans_are_built_for_their_questions():
    built = Plan(SCHEMA, LEVELS, 10, "design", questions=QUESTIONS).build()
    assert built.sizes == SCHEMA.sizes
    assert built.total_level == pytest.approx(3.3, abs=1e-6)
    with pytest.raises(
        InputError, match=r"^A plan designed for joint distributions needs them: give a total and at least one marginal\.$"
    ):
        Plan(SCHEMA, LEVELS, 10, "design")


def test_a_plan_is_safe_for_pairs_unless_told_otherwise():
    plan = Plan(SCHEMA, LEVELS, 5)
    assert plan.mechanism == "pair-safe"
    assert all(weakest_interaction(plan.build().marginal_channel(pair)).ratio >= 1 - 1e-9 for pair in ((0, 1), (0, 2), (1, 2)))
    assert Plan(SCHEMA.select(SCHEMA.names[:2]), LEVELS[:2], 5).mechanism == "pair-safe"
    assert Plan(SCHEMA.select(SCHEMA.names[:1]), LEVELS[:1], 5).mechanism == "optimal"
    assert (
        Plan.for_levels(SCHEMA, 1.0, respondents=5).mechanism
        == Plan.for_total(SCHEMA, 2.0, respondents=5).mechanism
        == "pair-safe"
    )


PEOPLE = Dataset(SCHEMA, np.zeros((7, 3), dtype=np.int32))
NAMED = dict(zip(SCHEMA.names, LEVELS, strict=True))


@pytest.mark.parametrize("levels", [LEVELS, np.array(LEVELS), NAMED, dict(reversed(NAMED.items()))])
def test_levels_by_name_or_in_order(levels):
    assert Plan.for_levels(PEOPLE, levels) == Plan(SCHEMA, LEVELS, 7)
    assert Plan.for_levels(SCHEMA, levels, respondents=9, mechanism="optimal") == Plan(SCHEMA, LEVELS, 9, "optimal")


def test_one_level_for_all_and_safeguards():
    assert Plan.for_levels(PEOPLE, 2).levels == (2.0, 2.0, 2.0)
    assert Plan.for_levels(PEOPLE, 2, safeguards=Safeguards(1.0)) == Plan(SCHEMA, (2, 2, 2), 7, "safeguarded", Safeguards(1.0))


@pytest.mark.parametrize("options", [{}, {"mechanism": "kronecker"}, {"safeguards": Safeguards(slacks=(0.0, 0.0, 0.0))}])
def test_a_total_is_spent_in_the_ratio_of_the_weights(options):
    plan = Plan.for_total(PEOPLE, 3, weights={"smokes": 2, "âge": 1, 'he said "x"': 1}, **options)
    np.testing.assert_allclose(np.array(plan.levels) / plan.levels[0], [1, 2, 1])
    assert plan.build().total_level == pytest.approx(3, abs=1e-6)
    assert plan == Plan.for_levels(PEOPLE, plan.levels, **options)


def test_questions_by_name():
    plan = Plan.for_questions(PEOPLE, 3.3, [["âge", 'he said "x"'], ["smokes"]])
    assert plan == Plan(SCHEMA, (3.3 / 3,) * 3, 7, "design", questions=replace(QUESTIONS, people=7))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Plan.for_levels(SCHEMA, 1.0), "number of people is not known from a schema"),
        (lambda: Plan.for_levels(PEOPLE, {"smokes": 1}), "'âge' has no level: give one for every attribute"),
        (lambda: Plan.for_levels(PEOPLE, NAMED | {"drinks": 1}), "no attribute 'drinks'"),
        (lambda: Plan.for_levels(PEOPLE, [1.0, 2.0]), "2 levels for 3 attributes"),
        (lambda: Plan.for_total(PEOPLE, 4, weights={"smokes": 1}), "'âge' has no weight"),
        (lambda: Plan.for_total(PEOPLE, -1), "The total is -1"),
        (lambda: Plan.for_questions(PEOPLE, 4, [["drinks"]]), "no attribute 'drinks'"),
        (lambda: Plan.for_questions(PEOPLE, 4, []), "has none"),
    ],
)
def test_what_is_missing_is_said_in_one_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_a_plan_in_a_notebook():
    shown = Plan.for_levels(PEOPLE, LEVELS)._repr_html_()
    assert "Pair-safe, 7 people" in shown
    assert "he said &quot;x&quot;" in shown
    assert "× 2.72" in shown


def test_only_what_is_made_near_the_least_total_says_so():
    said = {name for name in (*MECHANISMS, "3-safe") if Plan(SCHEMA, LEVELS, 9, name, closeness="first").remark}
    assert said == {"pair-safe", "3-safe"}
    assert Plan(SCHEMA, LEVELS, 9, "pair-safe").remark == ""


def test_titles():
    assert list(RECIPES) == [*MECHANISMS, "safeguarded", "design"]
    assert len({recipe.title for recipe in RECIPES.values()}) == 8
    assert all(Plan(SCHEMA, LEVELS, 5, key).title == MECHANISMS[key].title for key in MECHANISMS)


def test_texts_become_numbers_and_another_mechanism_is_another_plan():
    plan = Plan(SCHEMA, ("1", "1.1", 0.9), 5)
    assert plan.levels == LEVELS
    assert plan.mechanism == "pair-safe"
    other = plan.with_mechanism("optimal")
    assert (other.schema, other.levels, other.respondents, other.mechanism) == (SCHEMA, LEVELS, 5, "optimal")
    assert plan.mechanism == "pair-safe"
    guarded = Plan(SCHEMA, LEVELS, 5, "safeguarded", GUARDED[-1], QUESTIONS).with_mechanism("joint")
    assert (guarded.safeguards, guarded.questions, guarded.mechanism) == (GUARDED[-1], QUESTIONS, "joint")


@pytest.mark.parametrize(
    ("safeguards", "message"),
    [
        (Safeguards(0.0), r"The accuracy floor is 0: give a positive number, for example 1\."),
        (Safeguards(-1.0), r"The accuracy floor is -1: give a positive number, for example 1\."),
        (Safeguards(inf), r"The accuracy floor is inf: give a number from 0\.001 to 1000, for example 1\."),
        (Safeguards(float("nan")), r"The accuracy floor is nan: give a positive number, for example 1\."),
        (
            Safeguards(slacks=(1.0, -0.1, 1.0)),
            r"The leakage slack of 'smokes' is -0\.1: give 0 or a positive number of nats, for example 1\.",
        ),
        (
            Safeguards(slacks=(1.0, float("nan"), 1.0)),
            r"The leakage slack of 'smokes' is nan: give 0 or a positive number of nats, for example 1\.",
        ),
        (Safeguards(slacks=(1.0, 1001.0, 1.0)), r"The leakage slack of 'smokes' is 1001: give at most 1000, or none at all\."),
    ],
)
def test_bad_safeguards(safeguards, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        Plan(SCHEMA, LEVELS, 10, "safeguarded", safeguards)


BAD_LEVELS = [
    *[((1, level, 1), rf"Level of 'smokes' is {level}: .*") for level in (0, -2, float("nan"), float("inf"), 31)],
    ((1, 1), r"There are 2 levels for 3 attributes: give one level for each attribute\."),
    ((1, 1, 1, 1), r"There are 4 levels for 3 attributes: give one level for each attribute\."),
]


@pytest.mark.parametrize(("levels", "message"), BAD_LEVELS)
def test_bad_levels(levels, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        Plan(SCHEMA, levels, 10)


@pytest.mark.parametrize("respondents", [0, -5, 2.5, 10.0, "10", None, True])
def test_bad_number_of_people(respondents):
    with pytest.raises(
        InputError, match=rf"^The number of people is {re.escape(repr(respondents))}: give a whole number of at least 1\.$"
    ):
        Plan(SCHEMA, LEVELS, respondents)


def test_bad_mechanism():
    with pytest.raises(InputError) as refusal:
        Plan(SCHEMA, LEVELS, 10, "best")
    assert str(refusal.value) == (
        "There is no mechanism 'best': choose among kronecker, pair-safe, optimal, closed-form, joint, published, safeguarded, design, "
        "or 3-safe, 4-safe and so on."
    )


def test_a_mechanism_that_cannot_meet_the_levels_says_so_when_it_is_built():
    plan = Plan(SCHEMA, (0.3, 2.5, 1.0), 10, "closed-form")
    for use in (plan.build, plan.to_json):
        with pytest.raises(InputError, match=r"^The closed form does not exist for these levels"):
            use()


GOOD = Plan(SCHEMA, LEVELS, 10).to_json()


def changed(**changes):
    """A valid plan file with top-level fields replaced, or removed where the value is ``...``."""
    document = json.loads(GOOD) | changes
    return json.dumps({key: value for key, value in document.items() if value is not ...})


def with_attribute(**changes):
    """The same with fields of the second attribute replaced or removed."""
    attributes = json.loads(GOOD)["attributes"]
    attributes[1] = {key: value for key, value in (attributes[1] | changes).items() if value is not ...}
    return changed(attributes=attributes)


def with_safeguards(**changes):
    """The same with safeguards, some of their fields replaced or removed."""
    entry = {"floor": 1.0, "marginals": [["âge", "smokes"]], "slacks": [1, None, 0]} | changes
    return changed(mechanism="safeguarded", safeguards={key: value for key, value in entry.items() if value is not ...})


def with_questions(**changes):
    """A plan designed for questions, some of their fields replaced or removed."""
    entry = {"total": 2.0, "marginals": [["âge", "smokes"]]} | changes
    return changed(mechanism="design", questions={key: value for key, value in entry.items() if value is not ...})


BAD_FILES = {
    "csv": ("a,b\n1,2\n", "line 1, column 1"),
    "cut off": (changed()[:-20], "line 1, column"),
    "a number": ("3", "expected a set of named fields, got 3"),
    "another format": (changed(format="other"), "format: expected 'rr-workbench plan', got 'other'"),
    "no format": (changed(format=...), "'format'"),
    "version 5": (changed(version=5), "version: expected 1, got 5"),
    "version true": (changed(version=True), "version: expected 1, got true"),
    "no version": (changed(version=...), "'version'"),
    "no mechanism": (changed(mechanism=...), "'mechanism'"),
    "a list of mechanisms": (changed(mechanism=["joint"]), "mechanism: expected text"),
    "an empty mechanism": (changed(mechanism=""), "There is no mechanism ''"),
    "another mechanism": (changed(mechanism="best"), "There is no mechanism 'best'"),
    "no people": (changed(respondents=...), "'respondents'"),
    "nobody": (changed(respondents=0), "The number of people is 0"),
    "empty attributes": (changed(attributes=[]), "No attribute is chosen"),
    "attributes null": (changed(attributes=None), "attributes: expected a list, got null"),
    "attributes a text": (changed(attributes="age"), "attributes: expected a list, got 'age'"),
    "no level": (with_attribute(requested_level=...), "attributes[1]: there is no field 'requested_level'"),
    "no name": (with_attribute(name=...), "attributes[1]: there is no field 'name'"),
    "one category": (with_attribute(categories=["no"]), "'smokes' has only the category 'no'"),
    "a category twice": (with_attribute(categories=["a", "a"]), "'smokes' lists the category 'a' twice"),
    "a name twice": (with_attribute(name="âge"), "'âge'"),
    "another kind": (with_attribute(kind="fuzzy"), "attributes[1].kind: expected 'nominal' or 'ordinal', got 'fuzzy'"),
    "a field of another name": (with_attribute(level=1.0), "attributes[1]: there is an unknown field 'level'"),
    "level 0": (with_attribute(requested_level=0), "Level of 'smokes' is 0"),
    "level negative": (with_attribute(requested_level=-1), "Level of 'smokes' is -1"),
    "level infinite": (
        with_attribute(requested_level=float("inf")),
        "attributes[1].requested_level: expected a number, got Infinity",
    ),
    "level text": (with_attribute(requested_level="x"), "attributes[1].requested_level: expected a number, got 'x'"),
    "level too large": (with_attribute(requested_level=1e9), "Level of 'smokes' is 1e+09"),
    "level of 400 digits": (with_attribute(requested_level=10**400), "attributes[1].requested_level"),
    "safeguards a list": (changed(mechanism="safeguarded", safeguards=[]), "safeguards: expected a set of named fields"),
    "a floor of 0": (with_safeguards(floor=0), "The accuracy floor is 0"),
    "a floor that is a text": (with_safeguards(floor="x"), "safeguards.floor: expected a number or null, got 'x'"),
    "a floor for nobody": (with_safeguards(marginals=[["âge", "shoe size"]]), "There is no attribute 'shoe size'"),
    "a floor twice for one": (with_safeguards(marginals=[["âge", "âge"]]), "The attribute 'âge' is named twice"),
    "two slacks": (with_safeguards(slacks=[1, 2]), "slack"),
    "a slack that is a text": (with_safeguards(slacks=[1, "x", 2]), "safeguards.slacks[1]: expected a number or null, got 'x'"),
    "a slack below 0": (with_safeguards(slacks=[1, -1, 2]), "The leakage slack of 'smokes' is -1"),
    "no questions": (changed(mechanism="design"), "A plan designed for joint distributions needs them"),
    "questions without a total": (with_questions(total=...), "questions: there is no field 'total'"),
    "a question about nobody": (with_questions(marginals=[["shoe size"]]), "There is no attribute 'shoe size'"),
}


@pytest.mark.parametrize(("text", "named"), BAD_FILES.values(), ids=BAD_FILES)
def test_bad_files(text, named):
    with pytest.raises(InputError) as caught:
        Plan.from_json(text)
    assert named in str(caught.value)


def test_the_unchanged_file_is_good():
    assert Plan.from_json(changed()) == Plan.from_json(with_attribute()) == Plan(SCHEMA, LEVELS, 10)
    assert Plan.from_json(with_safeguards()).safeguards == Safeguards(1.0, ((0, 1),), (1.0, inf, 0.0))
    assert Plan.from_json(with_questions()).questions == Questions(2.0, ((0, 1),))


@pytest.mark.parametrize(
    "text",
    [
        with_safeguards(marginals=[["âge"]]),
        with_safeguards(marginals=[[]]),
        with_safeguards(floor=1e9),
        with_questions(total=-1),
        with_questions(total=float("nan")),
        with_questions(total=1e9),
        with_questions(marginals=[]),
        with_questions(marginals=[[]]),
    ],
    ids=[
        "floor on one attribute",
        "floor on none",
        "huge floor",
        "total -1",
        "total nan",
        "huge total",
        "no marginal",
        "empty one",
    ],
)
def test_a_file_that_cannot_be_carried_out_says_so_when_read_or_built(text):
    """One sentence, whichever of the two notices."""
    with pytest.raises(InputError, match=r"^[A-Z][^\n]{20,300}\.$"):
        Plan.from_json(text).build()


def test_a_plan_for_a_total_keeps_the_mechanism_that_was_found(monkeypatch):
    plan = Plan.for_total(SCHEMA, 3.0, mechanism="optimal", respondents=10)
    found = plan.build()
    assert found is plan.build()
    assert found.total_level == pytest.approx(3.0, abs=1e-6)
    again = Plan(SCHEMA, plan.levels, 10, "optimal")
    assert again == plan
    assert again.build().total_level == pytest.approx(found.total_level, abs=1e-9)
    assert plan.with_mechanism("kronecker").build().total_level == pytest.approx(sum(plan.levels))


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), inf])
def test_levels_are_not_multiplied_by_what_makes_them_others_in_silence(factor):
    with pytest.raises(InputError, match=r"^The levels are multiplied by .*: give a positive number, for example 0\.5\.$"):
        Plan.for_levels(SCHEMA, 1.0, respondents=10).scaled(factor)
