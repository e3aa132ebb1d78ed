"""Designs on a sample with weights, strata and clusters: bias, standard errors and coverage by simulation."""

import numpy as np
import pytest

from rrcore.channel import MatrixChannel
from rrcore.designs import DESIGNS, read_design
from rrcore.estimate import Sample
from tests.estimate.sample.drawing import report
from tests.estimate.sample.test_variance import check, simulate

STRATA, CLUSTERS, SIZE = 3, 20, 10
SHARES, PEOPLE = np.array([0.1, 0.3, 0.6]), np.array([4000.0, 3000.0, 1000.0])
TRUTH = float(SHARES @ PEOPLE / PEOPLE.sum())


def draw_with(channel):
    """Twenty clusters of ten people in each of three strata of unequal size; people of a cluster are alike."""
    strata = np.repeat(np.arange(STRATA), CLUSTERS * SIZE)
    clusters = np.repeat(np.arange(STRATA * CLUSTERS), SIZE)
    weights = PEOPLE[strata] / (CLUSTERS * SIZE)
    sample = Sample(weights, strata=strata, clusters=clusters)

    def draw(rng):
        level = rng.beta(8 * SHARES, 8 * (1 - SHARES), (CLUSTERS, STRATA)).T.ravel()[clusters]
        answers = (rng.random(clusters.size) < level).astype(np.int64)
        return report(answers, channel, rng), sample

    return draw


def channel_of(key):
    rows = np.array(read_design("q", key, 2, DESIGNS[key].example).matrix(0), dtype=np.float64)
    return MatrixChannel(rows / rows.sum(axis=1, keepdims=True))


ALL = ("warner", "triangular", "kuk", "matrix")
"""Both answers may be lies, only one, more reports than answers, lies that differ: all others have matrices like one of these."""


@pytest.mark.parametrize(
    ("key", "runs"), [("triangular", 60), ("kuk", 60), *(pytest.param(key, 1000, marks=pytest.mark.long) for key in ALL)]
)
def test_a_design_on_a_sample_that_is_not_simple(key, runs):
    channel = channel_of(key)
    check(*simulate(runs, 21, draw_with(channel), TRUTH, channel=channel), TRUTH)
