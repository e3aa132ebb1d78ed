"""Pinned plans: names, changes that leave the former ones as they were, and a file that is read back or refused in one sentence."""

import json

import pytest

from rrcore.budget import Pin, Pinned, Plan
from rrcore.errors import InputError
from rrcore.limits import MAX_PINNED, MAX_TEXT
from rrcore.mechanisms import Safeguards
from rrcore.table.schema import Attribute, Schema

SCHEMA = Schema(
    (Attribute("âge", ("<30", "30–60", ">60"), "ordinal"), Attribute("smokes", ("no", "yes")), Attribute("z", ("a", "b")))
)
PLAN = Plan(SCHEMA, (1.0, 1.1, 1 / 3), 1234)
KRONECKER = PLAN.with_(mechanism="independent")
GUARDED = PLAN.with_(mechanism="constrained", safeguards=Safeguards(0.5, ((0, 2),), (1.0, float("inf"), 0.25)))
DESIGNED = PLAN.with_(mechanism="workload", budget=3.0, workload=(("âge", "smokes"), ("z",)))
IMPOSSIBLE = PLAN.with_(mechanism="constrained", safeguards=Safeguards(1000.0))


def names(pinned):
    return [pin.name for pin in pinned.pins]


# names


def test_a_plan_is_called_after_its_mechanism_and_numbered_if_that_is_taken():
    pinned = Pinned().pin(PLAN).pin(KRONECKER).pin(PLAN).pin(PLAN)
    assert names(pinned) == ["Pairwise-preserving", "Independent (Kronecker)", "Pairwise-preserving 2", "Pairwise-preserving 3"]
    assert [pin.plan for pin in pinned.pins] == [PLAN, KRONECKER, PLAN, PLAN]


def test_the_first_free_number_is_used_again():
    pinned = Pinned().pin(PLAN).pin(PLAN).pin(PLAN).remove("Pairwise-preserving 2").pin(KRONECKER.with_(mechanism="preserving-2"))
    assert names(pinned) == ["Pairwise-preserving", "Pairwise-preserving 3", "Pairwise-preserving 2"]


def test_a_name_is_put_on_one_line():
    assert Pin("  my \n first\tplan ", PLAN).name == "my first plan"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", ".* needs a name.*"),
        (" \n ", ".* needs a name.*"),
        ("x" * (MAX_TEXT + 1), rf"The name of the saved plan has {MAX_TEXT + 1} characters. Use at most {MAX_TEXT}\."),
    ],
)
def test_bad_names(name, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        Pin(name, PLAN)
    with pytest.raises(InputError, match=f"^{message}$"):
        Pinned().pin(PLAN, "mine").rename("mine", name)


def test_names_are_distinct():
    pinned = Pinned().pin(PLAN, "a").pin(KRONECKER, "b")
    for clash in (
        lambda: pinned.pin(PLAN, "a"),
        lambda: pinned.rename("b", " a "),
        lambda: Pinned((Pin("x", PLAN), Pin("x", PLAN))),
    ):
        with pytest.raises(InputError, match=r"^Two saved plans .* '[ax]'"):
            clash()


def test_a_free_name_for_the_longest_name_is_no_longer():
    longest = "x" * MAX_TEXT
    both = Pinned().pin(PLAN, longest).add(Pinned().pin(KRONECKER, longest))
    assert names(both) == [longest, "x" * (MAX_TEXT - 2) + " 2"]


# changes


def test_renaming_keeps_place_and_plan():
    pinned = Pinned().pin(PLAN, "a").pin(KRONECKER, "b").pin(PLAN, "c")
    renamed = pinned.rename("b", "B two")
    assert names(renamed) == ["a", "B two", "c"]
    assert renamed.pins[1].plan == KRONECKER
    assert names(pinned) == ["a", "b", "c"]
    assert pinned.rename("a", "a") == pinned


def test_removing_takes_one_away_and_leaves_the_former_ones_for_undo():
    pinned = Pinned().pin(PLAN, "a").pin(KRONECKER, "b")
    assert names(pinned.remove("a")) == ["b"]
    assert names(pinned) == ["a", "b"]


@pytest.mark.parametrize("change", [lambda pinned: pinned.rename("c", "d"), lambda pinned: pinned.remove("c")])
def test_an_unknown_name_is_refused(change):
    with pytest.raises(InputError, match=r"no saved plan named 'c'"):
        change(Pinned().pin(PLAN, "a"))


def test_adding_keeps_the_order_and_finds_free_names():
    ours, theirs = Pinned().pin(PLAN, "a").pin(PLAN, "a 2"), Pinned().pin(KRONECKER, "a").pin(KRONECKER, "b")
    both = ours.add(theirs)
    assert names(both) == ["a", "a 2", "a 3", "b"]
    assert [pin.plan for pin in both.pins] == [PLAN, PLAN, KRONECKER, KRONECKER]


def test_only_so_many_are_kept():
    full = Pinned(tuple(Pin(str(i), PLAN) for i in range(MAX_PINNED)))
    sentence = rf"^There would be {MAX_PINNED + 1} saved plans.* {MAX_PINNED} "
    for more in (lambda: full.pin(PLAN), lambda: full.add(Pinned().pin(PLAN)), lambda: Pinned((*full.pins, Pin("x", PLAN)))):
        with pytest.raises(InputError, match=sentence):
            more()
    assert len(full.remove("0").pin(PLAN).pins) == MAX_PINNED


# the file


def test_round_trip():
    pinned = Pinned().pin(PLAN, 'é "quoted" ✓').pin(KRONECKER).pin(GUARDED).pin(DESIGNED).pin(IMPOSSIBLE, "too much")
    text = pinned.to_json()
    assert Pinned.from_json(text) == pinned
    assert Pinned.from_json(text.encode()) == pinned
    assert Pinned.from_json(b"\xef\xbb\xbf" + text.encode()) == pinned  # as some editors save it
    assert Pinned.from_json(text).to_json() == text


def test_nothing_pinned_is_a_file_too():
    assert Pinned.from_json(Pinned().to_json()) == Pinned()


def test_the_file_says_what_it_is_and_holds_no_answers():
    document = json.loads(Pinned().pin(PLAN).to_json())
    assert (document["format"], document["version"]) == ("rr-workbench pinned plans", 1)
    (entry,) = document["plans"]
    assert set(entry) == {"name", "plan"}
    assert set(entry["plan"]) == {"format", "version", "unit_of_levels", "mechanism", "preserve", "n", "attributes"}
    for attribute in entry["plan"]["attributes"]:
        assert set(attribute) - {"kind"} == {"name", "categories", "epsilon"}


def test_no_mechanism_is_made_for_the_file(monkeypatch):
    monkeypatch.setattr(Plan, "build", lambda self, **_: pytest.fail("a mechanism was made"))
    Pinned.from_json(Pinned().pin(IMPOSSIBLE).pin(PLAN).to_json())


def test_a_single_plan_file_is_read_under_a_name_of_its_own():
    assert Pinned.from_json(KRONECKER.to_json()) == Pinned().pin(KRONECKER, "Independent (Kronecker)")


def changed(**fields):
    """A good file with the fields of its document replaced, or removed where None."""
    document = json.loads(Pinned().pin(KRONECKER, "mine").to_json()) | fields
    return json.dumps({key: value for key, value in document.items() if value is not None})


def with_plan(**fields):
    """A good file with fields of its only plan replaced, or removed where None."""
    plan = json.loads(changed())["plans"][0]["plan"] | fields
    return changed(plans=[{"name": "mine", "plan": {key: value for key, value in plan.items() if value is not None}}])


BAD = {
    "cut off": (changed()[:200], "line 1, column"),
    "a list": ("[]", "expected a set of named fields"),
    "another format": (changed(format="rr-workbench mechanism"), "format: expected 'rr-workbench pinned plans'"),
    "version 2": (changed(version=2), "version: expected 1, got 2"),
    "no plans": (changed(plans=None), "'plans'"),
    "not an entry": (changed(plans=["mine"]), "plans[0]: "),
    "no name": (changed(plans=[{"plan": {}}]), "plans[0]"),
    "an empty name": (changed(plans=[{"name": " ", "plan": json.loads(KRONECKER.to_json())}]), "plans[0]"),
    "the same name twice": (changed(plans=json.loads(changed())["plans"] * 2), "'mine'"),
    "too many": (
        changed(plans=[entry | {"name": str(i)} for i, entry in enumerate(json.loads(changed())["plans"] * (MAX_PINNED + 1))]),
        f"at most {MAX_PINNED}, got a list of {MAX_PINNED + 1}",
    ),
    "a plan of version 99": (with_plan(version=99), "plans[0].plan.version: expected 1, got 99"),
    "no level": (
        with_plan(attributes=[{"name": "x", "categories": ["a", "b"]}]),
        "plans[0].plan.attributes[0]: the field 'epsilon' is missing",
    ),
    "a single plan": (json.dumps(json.loads(KRONECKER.to_json()) | {"version": 99}), "version: expected 1, got 99"),
}


@pytest.mark.parametrize(("content", "named"), BAD.values(), ids=BAD)
def test_a_bad_file_is_refused_by_its_place(content, named):
    with pytest.raises(InputError) as caught:
        Pinned.from_json(content)
    assert "file of pinned plans" in str(caught.value)
    assert named in str(caught.value)
