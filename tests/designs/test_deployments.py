"""Published epsilons: surveys against the ratio of their own probabilities, and a source for each."""

import math

import pytest

from rrcore.designs.deployments import published


def of(what):
    (found,) = [each for each in published() if each.what == what]
    return found


@pytest.mark.parametrize(
    ("what", "yes_if_true", "yes_if_false"),
    [
        ("Ties to armed groups, Nigeria", 5 / 6, 1 / 6),
        ("Personal history, students", 5 / 6, 1 / 6),
        ("RAPPOR's first step, one bit", 3 / 4, 1 / 4),
        ("Heads: the truth; tails: say yes", 1.0, 1 / 2),
    ],
)
def test_epsilon_of_a_survey_is_its_largest_ratio(what, yes_if_true, yes_if_false):
    ratios = [yes_if_true / yes_if_false, math.inf if yes_if_true == 1 else (1 - yes_if_false) / (1 - yes_if_true)]
    assert of(what).epsilon == pytest.approx(math.log(max(ratios)))


def test_every_number_has_a_source_and_each_model_is_there():
    assert all(each.source and each.unit and each.epsilon > 0 for each in published())
    assert {each.model for each in published()} == {"local", "central"}
    assert len({(each.who, each.what) for each in published()}) == len(published())
