"""What devices can do: exact fractions, published designs, the nearest design by search, and variances in closed form."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from rrcore.answers import NIGERIA_SOURCE, nigeria
from rrcore.asking.paper import DEVICES, exact_cards, nearest, read_device
from rrcore.designs import read_design
from rrcore.designs.design import design_rows
from rrcore.errors import InputError
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.table.schema import Attribute, Schema


def designed(key: str, numbers: str, categories: tuple[str, ...] = ("no", "yes")) -> MechanismFile:
    return MechanismFile(Schema((Attribute("used", categories),)), (((0,), read_design("used", key, len(categories), numbers)),))


def question(key: str, numbers: str, device: str, categories: tuple[str, ...] = ("no", "yes")):
    [found] = nearest(designed(key, numbers, categories), read_device(device)).questions
    return found


def done(found) -> list[list[Fraction]]:
    """The matrix that somebody who follows the lists produces: by going through every outcome for every true answer."""
    sizes, whole = found.wanted.sizes, found.device.whole
    reports = len(found.said[0])
    rows = [[Fraction(0)] * reports for _ in range(sizes[0])]
    for true in range(sizes[0]):
        steps = found.said[true if len(found.said) > 1 else 0]
        for outcome, chances in enumerate(found.device.chances):
            said = [report for report in range(reports) if outcome in steps[report]] + [true] * (outcome in found.truth)
            assert len(said) == 1
            rows[true][said[0]] += Fraction(chances, whole)
    return rows


def test_the_die_of_the_niger_delta_survey():
    """Blair, Imai and Zhou (2015): 1 says no, 6 says yes, 2 to 5 the truth."""
    assert "1: say no, 6: say yes" in NIGERIA_SOURCE
    survey = nearest(nigeria().mechanism, read_device("die"))
    [found] = survey.questions
    assert found.exact
    assert found.said == (((0,), (5,)),)
    assert found.truth == (1, 2, 3, 4)
    assert survey.mechanism.sha256 == nigeria().mechanism.sha256  # the answers of the plan's own file
    assert survey.levels == (5,)
    assert found.cost == 1


DESIGNED = [
    ("forced", "2/3, 1/6, 1/6", ("no", "yes")),
    ("warner", "7/10", ("no", "yes")),
    ("warner", "1/5", ("no", "yes")),
    ("unrelated", "2/3, 1/4", ("no", "yes")),
    ("k-ary", "3/5", ("a", "b", "c")),
    ("matrix", "9/10, 1/10; 1/5, 4/5", ("no", "yes")),
    ("matrix", "7/10, 2/10, 1/10; 1/10, 8/10, 1/10; 0, 3/10, 7/10", ("a", "b", "c")),
]


@pytest.mark.parametrize(("key", "numbers", "categories"), DESIGNED)
def test_following_the_lists_is_the_design_that_is_said(key, numbers, categories):
    for device in [*DEVICES, "cards-13"]:
        try:
            found = question(key, numbers, device, categories)
        except InputError:
            if device in ("coin", "coins-2", "dice"):  # too coarse, or sums that cannot be shared out
                continue
            raise
        rows = done(found)
        assert tuple(map(tuple, rows)) == design_rows(found.weights), device
        assert found.exact == (design_rows(found.weights) == design_rows(found.wanted)), device
        assert found.exact or device != "spinner"


@pytest.mark.parametrize("device", ["die", "coins-3", "cards-10", "cards-13"])
@pytest.mark.parametrize("numbers", ["2/3, 1/6, 1/6", "1/2, 1/4, 1/4", "7/10, 1/5, 1/10", "4/5, 1/20, 3/20"])
def test_no_other_design_of_the_device_is_nearer(device, numbers):
    """Against every way of sharing out the device among no, yes and the truth: entries of the matrix, the largest difference first."""
    found = question("forced", numbers, device)
    whole = read_device(device).whole
    wanted = design_rows(found.wanted)

    def distance(no: int, yes: int) -> Fraction:
        rows = ((Fraction(whole - yes, whole), Fraction(yes, whole)), (Fraction(no, whole), Fraction(whole - no, whole)))
        return max(abs(a - b) for row, other in zip(rows, wanted, strict=True) for a, b in zip(row, other, strict=True))

    own = distance(len(found.said[0][0]), len(found.said[0][1]))
    others = [distance(no, yes) for no, yes in itertools.product(range(1, whole), repeat=2) if no + yes < whole]
    assert own == min(others)


def test_the_cost_in_precision_is_the_ratio_of_the_closed_forms():
    """Forced response: the variance of the estimated share is l (1 - l) / (n t^2), l the probability of yes (Boruch 1971)."""

    def variance(truth: Fraction, yes: Fraction) -> Fraction:
        said = yes + truth / 2  # half of all people have the trait
        return said * (1 - said) / truth**2

    for numbers, device in (("2/3, 1/6, 1/6", "coins-2"), ("7/10, 1/5, 1/10", "die"), ("1/2, 1/4, 1/4", "cards-13")):
        found = question("forced", numbers, device)
        (_, yes), (no, _) = design_rows(found.weights)
        _, forced_yes, _ = (Fraction(part) for part in numbers.split(", "))
        expected = variance(1 - yes - no, yes) / variance(Fraction(numbers.split(", ")[0]), forced_yes)
        assert found.cost == pytest.approx(float(expected), rel=1e-12)
    assert question("forced", "2/3, 1/6, 1/6", "coins-2").cost == pytest.approx(16 / 9)


def test_devices_have_the_chances_that_they_have():
    counts = [0] * 13
    for one, other in itertools.product(range(1, 7), repeat=2):
        counts[one + other] += 1
    assert DEVICES["dice"].chances == tuple(counts[2:])
    assert [len(DEVICES[key].outcomes) for key in ("die", "coin", "coins-2", "coins-3", "deck")] == [6, 2, 4, 8, 52]
    assert all(len(set(device.outcomes)) == len(device.outcomes) == len(device.chances) for device in DEVICES.values())


@pytest.mark.parametrize(("key", "numbers", "categories"), DESIGNED)
def test_so_many_cards_are_exact_and_no_fewer_are(key, numbers, categories):
    file = designed(key, numbers, categories)
    number = exact_cards(file)
    exact = []
    for cards in range(2, number + 1):
        try:
            exact.append(nearest(file, read_device(f"cards-{cards}")).exact)
        except InputError:
            exact.append(False)
    assert exact == [False] * (number - 2) + [True]


def test_lies_that_depend_on_each_other_cannot_be_thrown():
    schema = Schema((Attribute("a", ("no", "yes")), Attribute("b", ("no", "yes"))))
    coupled = MechanismFile(schema, integer_groups(build("optimal", (2, 2), (1.0, 1.0))))
    with pytest.raises(InputError, match="'a' is randomised together with 'b', which nobody can do with a die: choose Kronecker"):
        nearest(coupled, read_device("die"))
    assert exact_cards(coupled) is None
    apart = MechanismFile(schema, integer_groups(build("kronecker", (2, 2), (1.0, 1.0))))
    survey = nearest(apart, read_device("dice"))
    assert [found.name for found in survey.questions] == ["a", "b"]
    assert survey.mechanism.sha256 != apart.sha256


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: question("forced", "2/3, 1/6, 1/6", "coin"),
            "There are 2 equally likely chances with a coin, too few for the 3 things",
        ),
        (lambda: question("warner", "1/3", "coin"), "With a coin every true answer to 'used' would be reported in the same way"),
        (
            lambda: question("k-ary", "1/2", "dice", tuple("abcdefghij")),
            "What two dice add up to cannot be shared out for 'used'",
        ),
        (lambda: read_device("cards-1"), "There is no device 'cards-1'"),
        (lambda: read_device("wheel"), "There is no device 'wheel': choose among die, dice, coin"),
    ],
)
def test_what_a_device_cannot_do_is_said_in_a_sentence(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_a_spinner_does_in_whole_degrees_what_has_too_many_digits():
    """The plans of page Budget, whose integers are large; no entry is off by more than half a degree."""
    found = question("warner", "0.700001", "spinner")
    assert (found.exact, sum(found.device.chances)) == (False, 360)
    assert found.cost == pytest.approx(1, abs=0.01)
    for own, wanted in zip(design_rows(found.weights), design_rows(found.wanted), strict=True):
        assert max(abs(a - b) for a, b in zip(own, wanted, strict=True)) <= Fraction(1, 720)
