"""Plans: what is written is read back, and every bad plan is refused with its reason."""

import json
from math import inf

import numpy as np
import pytest

from rrcore.budget import MECHANISMS, Plan, build
from rrcore.budget.recipes import RECIPES
from rrcore.errors import InputError
from rrcore.estimate import weakest_interaction
from rrcore.mechanisms import Kronecker, Safeguards
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
WORKLOAD = {"budget": 3.3, "workload": (("âge", 'he said "x"'), ("smokes",))}

PLANS = (
    [Plan(SCHEMA, LEVELS, 1234, mechanism) for mechanism in MECHANISMS]
    + [Plan(SCHEMA, LEVELS, 1234, "constrained", safeguards) for safeguards in GUARDED]
    + [
        Plan(SCHEMA, n=1234, **WORKLOAD),
        Plan(SCHEMA, None, 1, "optimal", GUARDED[-1], **WORKLOAD),
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
    epsilon = (0.1 + 0.2, 1 / 3, float(np.nextafter(2, 3)))
    assert Plan.from_json(Plan(SCHEMA, epsilon, 10).to_json()).epsilon == epsilon


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_document_states_what_is_achieved(mechanism):
    plan = Plan(SCHEMA, LEVELS, 1234, mechanism)
    document = json.loads(plan.to_json())
    built = plan.build()
    assert document["format"] == "rr-workbench plan"
    assert document["version"] == 1
    assert document["unit_of_levels"] == "nats"
    assert (document["mechanism"], document.get("preserve")) == (plan.mechanism, plan.preserve)
    assert document["n"] == 1234
    assert document["epsilon_total"] == built.epsilon_total
    assert [entry["name"] for entry in document["attributes"]] == list(SCHEMA.names)
    assert [entry["epsilon"] for entry in document["attributes"]] == list(LEVELS)
    assert [entry["epsilon_achieved"] for entry in document["attributes"]] == list(built.epsilon)
    assert [entry["epsilon_informed"] for entry in document["attributes"]] == list(built.epsilon_informed)
    assert document.get("lower_bound") == built.lower_bound
    assert "safeguards" not in document
    assert "workload" not in document
    assert json.loads(plan.to_json(built)) == document
    assert type(built) is type(build(mechanism, SCHEMA.sizes, LEVELS))


def test_document_states_safeguards_and_questions_by_name():
    document = json.loads(Plan(SCHEMA, None, 10, "constrained", GUARDED[-1], **WORKLOAD).to_json())
    assert document["safeguards"] == {"floor": 0.9, "marginals": [["smokes", 'he said "x"']], "slacks": [1.0, None, 1 / 3]}
    assert (document["budget"], document["workload"]) == (3.3, [["âge", 'he said "x"'], ["smokes"]])


def test_safeguarded_plans_are_built_with_their_safeguards():
    free = Plan(SCHEMA, LEVELS, 10, "optimal").build()
    floored = Plan(SCHEMA, LEVELS, 10, "constrained", Safeguards(1.0, ((0, 1, 2),))).build()
    capped = Plan(SCHEMA, LEVELS, 10, "constrained", Safeguards(slacks=(0.2, inf, 0.4))).build()
    whole = np.prod(Kronecker.from_epsilon(SCHEMA.sizes, LEVELS).retentions)
    assert free.factor((0, 1, 2)) < whole * 0.999
    assert floored.factor((0, 1, 2)) >= whole * (1 - 1e-9)
    assert free.epsilon_informed[0] > 1.2 + 1e-3
    assert capped.epsilon_informed[0] <= 1.2 + 1e-9
    assert capped.epsilon_informed[2] <= 1.3 + 1e-9
    assert free.epsilon_total < min(floored.epsilon_total, capped.epsilon_total) - 1e-3


def test_designed_plans_are_built_for_their_questions():
    built = Plan(SCHEMA, n=10, **WORKLOAD).build()
    assert built.sizes == SCHEMA.sizes
    assert built.epsilon_total == pytest.approx(3.3, abs=1e-6)
    with pytest.raises(InputError, match="workload"):
        Plan(SCHEMA, LEVELS, 10, "workload")


def test_a_plan_is_safe_for_pairs_unless_told_otherwise():
    plan = Plan(SCHEMA, LEVELS, 5)
    assert (plan.mechanism, plan.preserve) == ("preserving", 2)
    assert all(weakest_interaction(plan.build().channel(pair)).ratio >= 1 - 1e-9 for pair in ((0, 1), (0, 2), (1, 2)))
    assert Plan(SCHEMA.select(SCHEMA.names[:2]), LEVELS[:2], 5).key == "preserving-2"
    assert Plan(SCHEMA.select(SCHEMA.names[:1]), LEVELS[:1], 5).mechanism == "optimal"
    assert Plan(SCHEMA, 1.0, n=5).key == Plan(SCHEMA, budget=2.0, n=5).key == "preserving-2"


PEOPLE = Dataset(SCHEMA, np.zeros((7, 3), dtype=np.int32))
NAMED = dict(zip(SCHEMA.names, LEVELS, strict=True))


@pytest.mark.parametrize("epsilon", [LEVELS, np.array(LEVELS), NAMED, dict(reversed(NAMED.items()))])
def test_levels_by_name_or_in_order(epsilon):
    assert Plan(PEOPLE, epsilon) == Plan(SCHEMA, LEVELS, 7)
    assert Plan(SCHEMA, epsilon, n=9, mechanism="optimal") == Plan(SCHEMA, LEVELS, 9, "optimal")


def test_one_level_for_all_and_safeguards():
    assert Plan(PEOPLE, 2).epsilon == (2.0, 2.0, 2.0)
    assert Plan(PEOPLE, 2, safeguards=Safeguards(1.0)) == Plan(SCHEMA, (2, 2, 2), 7, "constrained", Safeguards(1.0))


@pytest.mark.parametrize("options", [{}, {"mechanism": "independent"}, {"safeguards": Safeguards(slacks=(0.0, 0.0, 0.0))}])
def test_a_total_is_spent_in_the_ratio_of_the_weights(options):
    plan = Plan(PEOPLE, budget=3, weights={"smokes": 2, "âge": 1, 'he said "x"': 1}, **options)
    np.testing.assert_allclose(np.array(plan.epsilon) / plan.epsilon[0], [1, 2, 1])
    assert plan.build().epsilon_total == pytest.approx(3, abs=1e-6)
    assert plan == Plan(PEOPLE, plan.epsilon, **options)


def test_questions_by_name():
    plan = Plan(PEOPLE, budget=3.3, workload=[["âge", 'he said "x"'], ["smokes"]])
    assert plan == Plan(SCHEMA, n=7, mechanism="workload", **WORKLOAD)
    assert plan.epsilon == (3.3 / 3,) * 3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Plan(SCHEMA, 1.0), "n=1000"),
        (lambda: Plan(PEOPLE, {"smokes": 1}), "no epsilon for 'âge'"),
        (lambda: Plan(PEOPLE, NAMED | {"drinks": 1}), "no attribute 'drinks'"),
        (lambda: Plan(PEOPLE, [1.0, 2.0]), "Expected 3 values of epsilon .*, got 2"),
        (lambda: Plan(PEOPLE, budget=4, weights={"smokes": 1}), "no weight for 'âge'"),
        (lambda: Plan(PEOPLE, budget=-1), "The budget is -1"),
        (lambda: Plan(PEOPLE, budget=10**400), "The budget is 10000"),
        (lambda: Plan(PEOPLE, budget=4, workload=[["drinks"]]), "no attribute 'drinks'"),
        (lambda: Plan(PEOPLE, 1.0, budget=4), "either epsilon or budget"),
        (lambda: Plan(PEOPLE), "either epsilon or budget"),
        (lambda: Plan(PEOPLE, 1.0, weights=2.0), "budget"),
        (lambda: Plan(PEOPLE, 1.0, mechanism="joint", preserve=2), "preserve "),
        (lambda: Plan(PEOPLE, 1.0, preserve=0), "preserve is 0"),
        (lambda: Plan(PEOPLE, 1.0, workload=["smokes"]), "budget"),
    ],
)
def test_what_is_missing_is_said_in_one_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_a_plan_in_a_notebook():
    shown = Plan(PEOPLE, LEVELS)._repr_html_()
    assert "Pairwise-preserving, 7 people" in shown
    assert "he said &quot;x&quot;" in shown
    assert "2.72×" in shown


def test_titles():
    assert list(RECIPES) == [*MECHANISMS, "constrained", "workload"]
    assert len({recipe.title for recipe in RECIPES.values()}) == len(RECIPES)
    assert all(Plan(SCHEMA, LEVELS, 5, key).title == MECHANISMS[key].title for key in MECHANISMS)


def test_texts_become_numbers_and_another_mechanism_is_another_plan():
    plan = Plan(SCHEMA, ("1", "1.1", 0.9), 5)
    assert plan.epsilon == LEVELS
    assert plan.key == "preserving-2"
    other = plan.with_(mechanism="optimal")
    assert (other.schema, other.epsilon, other.n, other.mechanism) == (SCHEMA, LEVELS, 5, "optimal")
    assert plan.key == "preserving-2"
    guarded = Plan(SCHEMA, None, 5, "constrained", GUARDED[-1], **WORKLOAD).with_(mechanism="joint")
    assert (guarded.safeguards, guarded.workload, guarded.mechanism) == (GUARDED[-1], WORKLOAD["workload"], "joint")


@pytest.mark.parametrize("floor", [0.0, -1.0, inf, float("nan")])
def test_bad_floors(floor):
    with pytest.raises(InputError, match=f"^The accuracy floor is {floor:g}. .* from 0.001 to 1000"):
        Plan(SCHEMA, LEVELS, 10, "constrained", Safeguards(floor))


@pytest.mark.parametrize("slack", [-0.1, float("nan"), 1001.0])
def test_bad_slacks(slack):
    with pytest.raises(InputError, match=f"^The slack of 'smokes' is {slack:g}. .* from 0 to 1000"):
        Plan(SCHEMA, LEVELS, 10, "constrained", Safeguards(slacks=(1.0, slack, 1.0)))


BAD_LEVELS = [
    *[((1, level, 1), rf"The epsilon of 'smokes' is {level}. .*") for level in (0, -2, float("nan"), float("inf"), 31)],
    ((1, 1), r"Expected 3 values of epsilon .*, got 2"),
    ((1, 1, 1, 1), r"Expected 3 values of epsilon .*, got 4"),
]


@pytest.mark.parametrize(("epsilon", "message"), BAD_LEVELS)
def test_bad_levels(epsilon, message):
    with pytest.raises(InputError, match=message):
        Plan(SCHEMA, epsilon, 10)


@pytest.mark.parametrize("n", [0, -5, 2.5, 10.0, "10", None, True])
def test_bad_number_of_people(n):
    with pytest.raises(InputError, match=r"n is|n=1000"):
        Plan(SCHEMA, LEVELS, n)


def test_bad_mechanism():
    with pytest.raises(InputError, match=r"'best'.*independent"):
        Plan(SCHEMA, LEVELS, 10, "best")


def test_a_mechanism_that_cannot_meet_the_levels_says_so_when_it_is_built():
    plan = Plan(SCHEMA, (0.3, 2.5, 1.0), 10, "closed-form")
    for use in (plan.build, plan.to_json):
        with pytest.raises(InputError, match=r"^The closed form does not exist"):
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
    return changed(
        mechanism="constrained", preserve=..., safeguards={key: value for key, value in entry.items() if value is not ...}
    )


def with_questions(**changes):
    """A plan designed for questions, some of their fields replaced or removed."""
    return changed(**{"mechanism": "workload", "preserve": ..., "budget": 2.0, "workload": [["âge", "smokes"]]} | changes)


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
    "an empty mechanism": (changed(mechanism=""), "name of the mechanism"),
    "a width of joint": (changed(mechanism="joint"), "preserve "),
    "no people": (changed(n=...), "'n'"),
    "empty attributes": (changed(attributes=[]), "No attribute is chosen"),
    "attributes null": (changed(attributes=None), "attributes: expected a list, got null"),
    "attributes a text": (changed(attributes="age"), "attributes: expected a list, got 'age'"),
    "no level": (with_attribute(epsilon=...), "attributes[1]: the field 'epsilon' is missing"),
    "no name": (with_attribute(name=...), "attributes[1]: the field 'name' is missing"),
    "a name twice": (with_attribute(name="âge"), "'âge'"),
    "another kind": (with_attribute(kind="fuzzy"), "attributes[1].kind: expected 'nominal' or 'ordinal', got 'fuzzy'"),
    "a field of another name": (with_attribute(level=1.0), "attributes[1]: the field 'level' is unknown"),
    "level 0": (with_attribute(epsilon=0), "The epsilon of 'smokes' is 0"),
    "level infinite": (
        with_attribute(epsilon=float("inf")),
        "attributes[1].epsilon: expected a number, got Infinity",
    ),
    "level text": (with_attribute(epsilon="x"), "attributes[1].epsilon: expected a number, got 'x'"),
    "level of 400 digits": (with_attribute(epsilon=10**400), "attributes[1].epsilon"),
    "safeguards a list": (
        changed(mechanism="constrained", preserve=..., safeguards=[]),
        "safeguards: expected a set of named fields",
    ),
    "a floor that is a text": (with_safeguards(floor="x"), "safeguards.floor: expected a number or null, got 'x'"),
    "a floor for nobody": (with_safeguards(marginals=[["âge", "shoe size"]]), "There is no attribute 'shoe size'"),
    "a floor twice for one": (with_safeguards(marginals=[["âge", "âge"]]), "The attribute 'âge' is named twice"),
    "two slacks": (with_safeguards(slacks=[1, 2]), "slack"),
    "a slack that is a text": (with_safeguards(slacks=[1, "x", 2]), "safeguards.slacks[1]: expected a number or null, got 'x'"),
    "no questions": (changed(mechanism="workload", preserve=...), "workload"),
    "questions without a total": (with_questions(budget=...), "budget"),
    "a question about nobody": (with_questions(workload=[["shoe size"]]), "There is no attribute 'shoe size'"),
}


@pytest.mark.parametrize(("text", "named"), BAD_FILES.values(), ids=BAD_FILES)
def test_bad_files(text, named):
    with pytest.raises(InputError) as caught:
        Plan.from_json(text)
    assert named in str(caught.value)


def test_the_unchanged_file_is_good():
    assert Plan.from_json(changed()) == Plan.from_json(with_attribute()) == Plan(SCHEMA, LEVELS, 10)
    assert Plan.from_json(with_safeguards()).safeguards == Safeguards(1.0, ((0, 1),), (1.0, inf, 0.0))
    assert Plan.from_json(with_questions()).workload == (("âge", "smokes"),)


@pytest.mark.parametrize(
    "text",
    [
        with_safeguards(marginals=[["âge"]]),
        with_safeguards(marginals=[[]]),
        with_safeguards(floor=1e9),
        with_questions(budget=-1),
        with_questions(budget=float("nan")),
        with_questions(budget=1e9),
        with_questions(workload=[]),
        with_questions(workload=[[]]),
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
    plan = Plan(SCHEMA, budget=3.0, mechanism="optimal", n=10)
    found = plan.build()
    assert found is plan.build()
    assert found.epsilon_total == pytest.approx(3.0, abs=1e-6)
    again = Plan(SCHEMA, plan.epsilon, 10, "optimal")
    assert again == plan
    assert again.build().epsilon_total == pytest.approx(found.epsilon_total, abs=1e-9)
    assert plan.with_(mechanism="independent").build().epsilon_total == pytest.approx(sum(plan.epsilon))


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), inf])
def test_levels_are_not_multiplied_by_what_makes_them_others_in_silence(factor):
    with pytest.raises(InputError, match=r"^factor is .* positive number"):
        Plan(SCHEMA, 1.0, n=10).scaled(factor)
