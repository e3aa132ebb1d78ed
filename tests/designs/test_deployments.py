"""Levels that others chose: surveys against the odds of their own probabilities, guesses and errors in closed form, a source for each."""

import math

import numpy as np
import pytest

from rrcore.designs.deployments import compared_levels, published
from rrcore.errors import InputError


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
def test_the_level_of_a_survey_is_the_largest_ratio_of_its_probabilities(what, yes_if_true, yes_if_false):
    ratios = [yes_if_true / yes_if_false, math.inf if yes_if_true == 1 else (1 - yes_if_false) / (1 - yes_if_true)]
    assert of(what).level == pytest.approx(math.log(max(ratios)))


def test_every_number_has_a_source_and_each_model_is_there():
    assert all(each.source and each.unit and each.level > 0 for each in published())
    assert {each.model for each in published()} == {"local", "central"}
    assert len({(each.who, each.what) for each in published()}) == len(published())


def test_guesses_and_errors_are_those_of_randomised_answers():
    rows = compared_levels({"a": math.log(3), "b": 0.2}, 400, total=math.log(3) + 0.2)
    kept = 0.75
    simulated = np.random.default_rng(5)
    true = simulated.random(400_000) < 0.5
    right = np.mean(np.where(simulated.random(true.size) < kept, true, ~true) == true)  # who believes the report
    assert rows[0].guesses == pytest.approx(100 * right, abs=0.3)
    share_sent = 0.5
    assert rows[0].error == pytest.approx(1.959964 * math.sqrt(share_sent * (1 - share_sent) / 400) / (2 * kept - 1), rel=1e-6)
    assert [row.own for row in rows[:4]] == [True, True, True, False]
    assert rows[2].deployment.level == pytest.approx(math.log(3) + 0.2)
    assert math.isnan(rows[2].error)
    assert all(math.isnan(row.error) for row in rows if row.deployment.model == "central")


def test_a_level_that_is_none_is_refused():
    with pytest.raises(InputError, match="The level of 'a' is 0"):
        compared_levels({"a": 0.0}, 100)
