"""A mechanism file as the estimators see it, against the channel that is written out."""

from itertools import permutations
from time import perf_counter

import numpy as np
import pytest

from rrcore.channel import MatrixChannel, ProductChannel
from rrcore.channel.liesets import LieSets
from rrcore.collect.certificate import nats
from rrcore.collect.rounding import lie_mechanism
from rrcore.collect.weights import LieWeights, MatrixWeights
from rrcore.limits import MAX_FILE_SETS
from tests import oracles
from tests.collect.designs_zoo import ZOO, file_of


def every_order(k):
    return [axes for w in range(1, k + 1) for axes in permutations(range(k), w)]


@pytest.mark.parametrize("name", ZOO)
def test_every_marginal_in_every_order(name):
