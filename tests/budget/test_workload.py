"""The competition for the questions: the best of designs, mechanisms that preserve joint distributions and RR-Joint, by exact error."""

import math
from itertools import combinations

import numpy as np
import pytest

from rrcore.budget import Questions, build, epsilon_for_total, preserved_width, preserving_key, recommended_recipe
from rrcore.errors import InputError
from rrcore.estimate import expected_shrunk_error
from rrcore.mechanisms import Joint, Kronecker
from rrcore.mechanisms.workload import Designed, closure
from rrcore.wording import epsilon_text
from tests import oracles

ADULT = (9, 16, 7, 15, 6, 5, 2, 2)


def worth(mechanism, total, asked):
    """Of the marginal where that is least: how many times as many people Kronecker at equal split needs for the same exact error."""
    k = mechanism.k
    kronecker = Kronecker.from_epsilon(mechanism.sizes, np.full(k, total / k))
    found = []
    for axes in asked:
        own, other = mechanism.channel(axes), kronecker.channel(axes)
        found.append(0.0 if own.lost() else other.uniform_variance / own.uniform_variance)
    return min(found)


def rivals(sizes, total, asked):
    """Every mechanism that competes, made again."""
    yield "RR-Joint", Joint.from_total(sizes, total)
    for width in range(1, max(map(len, asked)) + 1):
        yield (
            preserving_key(width),
            epsilon_for_total(sizes, total, [1.0] * len(sizes), mechanism=preserving_key(width)).mechanism,
        )
    yield "design", Designed.for_questions(sizes, total, closure(asked))


NOT_THE_DESIGN = (3, 6, 3), 5.148326942131749, ((0, 2), (1,), (1, 2))
"""A workload that another than the design serves best."""


def workloads():
    """Sizes, a total and one to four questions of one to three attributes."""
    rng = np.random.default_rng(13)
    for _ in range(5):
        k = int(rng.integers(3, 6))
        sizes = tuple(int(a) for a in rng.integers(2, 7, k))
        asked = {tuple(sorted(map(int, rng.permutation(k)[: rng.integers(1, 4)]))) for _ in range(rng.integers(1, 5))}
        yield sizes, float(rng.uniform(1, 10)), tuple(sorted(asked))


@pytest.mark.parametrize(
    ("sizes", "total", "asked"), [NOT_THE_DESIGN, *(pytest.param(*each, marks=pytest.mark.long) for each in workloads())]
)
def test_at_least_as_good_as_every_rival(sizes, total, asked):
    made = Questions(total, asked).build(sizes)
    assert made.epsilon_total <= total
    best = worth(made, total, asked)
    for name, rival in rivals(sizes, total, asked):
        assert best >= worth(rival, total, asked) * (1 - 1e-6), name
    assert made.entrants[0].worth == pytest.approx(best, rel=1e-6)
    assert [each.worth for each in made.entrants] == sorted((each.worth for each in made.entrants), reverse=True)


def test_the_exact_error_is_that_of_the_dense_matrix():
    sizes, total, asked = (3, 2, 2), 3.0, ((0, 1), (2,))
    made, kronecker = Questions(total, asked).build(sizes), Kronecker.from_epsilon(sizes, [1.0] * 3)
    found = []
    for axes in asked:
        uniform = np.full([sizes[i] for i in axes], 1 / math.prod(sizes[i] for i in axes))
        own, other = (
            oracles.dense_variance(uniform, oracles.dense(each.channel(axes)), 1, population=False).mean()
            for each in (made, kronecker)
        )
        found.append(other / own)
    assert made.entrants[0].worth == pytest.approx(min(found), rel=1e-9)


@pytest.mark.long
def test_on_all_pairs_of_adult_the_design_no_longer_stands_alone():
    """12 nats: the pairwise-preserving mechanism is worth 10.75 times as many people as Kronecker, the design 5.5."""
    pairs = tuple(combinations(range(8), 2))
    made = Questions(12.0, pairs).build(ADULT)
    tried = {each.title: each.worth for each in made.entrants}
    assert round(tried["preserving up to 2 attributes"], 2) in (10.75, 10.76)
    assert round(tried["the design"], 1) == 5.5
    assert worth(made, 12.0, pairs) == pytest.approx(max(tried.values()), rel=1e-6)
    assert made.epsilon_total == pytest.approx(12, abs=1e-6)


def test_a_question_about_few_attributes_is_served_by_the_design():
    made = Questions(4.0, ((0, 1),)).build((4, 2, 2, 2))
    assert made.entrants[0].title == "the design"
    assert made.gains((0, 1)) == pytest.approx(made.factor((0, 1)) / made.reference.factor((0, 1)))
    assert made.workload == closure([(0, 1)])


@pytest.mark.parametrize("asked", [((0, 1),), ((1,),), ((1, 3), (0, 2)), ((0,),)])
def test_no_binary_attribute_is_turned_round(asked):
    """On Titanic's sizes an attribute that was not asked used to come out with a level below 0."""
    assert (Questions(4.0, asked).build((4, 2, 2, 2)).retentions[1:] >= 0).all()


def test_turning_an_attribute_changes_neither_total_nor_what_survives():
    design = Designed.for_questions((2, 2, 3), 4.0, [(1, 2)])
    q = np.flip(design.subsets.probabilities, axis=0)
    turned = type(design.subsets)(design.sizes, q)
    assert turned.epsilon_total == pytest.approx(design.epsilon_total, abs=1e-12)
    np.testing.assert_allclose(np.abs(turned.factors), np.abs(design.subsets.factors), atol=1e-12)


def test_what_cannot_be_had_is_listed_and_the_others_go_on():
    """A total that no levels up to 30 nats can use: only the design and RR-Joint spend it."""
    made = Questions(59.0, ((0,),)).build((2, 2))
    refused = [each for each in made.entrants if each.refusal]
    assert refused == [each for each in made.entrants if math.isnan(each.worth)]
    assert not made.entrants[0].refusal
    assert made.epsilon_total <= 59


def test_bad_totals_and_too_many_attributes():
    with pytest.raises(InputError, match=r"1 to 12 attributes, got 13"):
        Questions(4.0, ((0, 1),)).build((2,) * 13)
    with pytest.raises(InputError, match=r"^The total ε is 61 for 2 attributes"):
        Questions(61.0, ((0, 1),)).build((2, 2))


def test_progress_ends_and_can_be_stopped():
    shown = []
    Questions(4.0, ((0, 1),)).build((3, 2), report=lambda fraction, text: shown.append((fraction, text)))
    fractions = [fraction for fraction, _ in shown]
    assert fractions == sorted(fractions)
    assert fractions[0] >= 0
    assert fractions[-1] <= 1
    assert {text.split(":")[0] for _, text in shown} == {"the design", "the optimum", "preserving up to 2 attributes", "RR-Joint"}

    class StopError(Exception):
        pass

    def stop(fraction, text):
        raise StopError

    with pytest.raises(StopError):
        Questions(4.0, ((0, 1),)).build((3, 2), report=stop)


@pytest.mark.parametrize("width", [1, 2, 3, 4, 12, 999])
def test_names_of_widths_read_backwards(width):
    assert preserved_width(preserving_key(width)) == width


@pytest.mark.parametrize(
    "name", ["preserving-1", "preserving-03", "3-preserving", "preserving--3", "preserving-3 ", "independent", ""]
)
def test_other_names_have_no_width(name):
    assert preserved_width(name) is None


def test_the_recommended_mechanism_preserves_pairs():
    assert [recommended_recipe(k) for k in (1, 2, 3, 4)] == ["optimal", "preserving-2", "preserving-2", "preserving-2"]
    assert build("preserving-9", (2, 3), [1, 1]).epsilon_total == build("preserving-2", (2, 3), [1, 1]).epsilon_total


def test_for_people_the_whole_table_is_read_by():
    """Worth is how many times as many people Kronecker needs for shrinkage to be as close."""
    sizes, asked, people = (4, 2, 2, 2), ((0, 1, 2),), 2_000
    found = {n: Questions(1.0, asked, n).build(sizes) for n in (None, people)}
    assert found[None].entrants[0].title == "RR-Joint"  # which is best without bias, and where singles and pairs tell much is not
    best = found[people].entrants[0]
    assert best.title == "the optimum"
    kronecker = Kronecker.from_epsilon(sizes, [0.25] * 4).channel((0, 1, 2))
    own = expected_shrunk_error(found[people].channel((0, 1, 2)), people)
    assert best.worth > 1
    assert expected_shrunk_error(kronecker, people * best.worth) == pytest.approx(own, rel=1e-4)


def test_with_endless_people_both_ways_of_reading_choose_alike():
    sizes, asked = (4, 2, 2, 2), ((0, 1), (2, 3))
    whole, alone = (Questions(4.0, asked, n).build(sizes).entrants for n in (10**10, None))
    assert [each.title for each in whole] == [each.title for each in alone]
    assert [each.worth for each in whole] == pytest.approx([each.worth for each in alone], rel=1e-3)


@pytest.mark.parametrize("people", [0, -1, 10**10 + 1])
def test_a_number_of_people_that_cannot_be(people):
    with pytest.raises(InputError, match=r"people\. .* from 1 to 10,000,000,000"):
        Questions(4.0, ((0, 1),), people).check(2)


def test_an_answer_that_is_turned_round_is_shown_to_give_away_what_it_does():
    """Seeing it shifts odds by e^|level|: by the definition, the largest ratio of two rows of its channel."""
    mechanism = Questions(1.0, ((0, 1),)).build((2, 3, 4))
    assert mechanism.epsilon[2] < 0
    rows = oracles.dense(mechanism.channel((2,)))
    shown = epsilon_text(np.log((rows.max(axis=0) / rows.min(axis=0)).max()))
    assert f", {shown}, whole record" in repr(mechanism)
    assert f">{shown}<" in mechanism._repr_html_()
