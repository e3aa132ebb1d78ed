"""Shares within groups, against what repeated surveys show."""

import numpy as np
import pytest

from rrcore.budget import build
from rrcore.channel import MatrixChannel, SubsetChannel, product_channel
from rrcore.estimate import conditional_shares, invert_counts

FORCED = MatrixChannel(np.array([[5 / 6, 1 / 6], [1 / 6, 5 / 6]]))
DESIGNS = {
    "independent": build("independent", (2, 3), [1.5, 1.5]).channel((0, 1)),
    "coupled": build("preserving-2", (2, 3, 2), [1.2, 1.2, 1.2]).channel((0, 1)),
    "a die, and a group that is not randomized": product_channel(
        [FORCED, SubsetChannel.product((3,), np.array([0.0]))], [[0], [1]]
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_intervals_within_groups_hold(name):
    """1,000 surveys, six cells, three of which tell of the other three: 4.1 standard errors of what is measured; errors are linearized."""
    channel, n = DESIGNS[name], 3000
    truth = np.array([[0.21, 0.12, 0.3], [0.09, 0.18, 0.1]])
    within = truth / truth.sum(axis=0)
    counts = np.random.default_rng(8).multinomial(n, channel.push(truth).ravel(), 1000).reshape(1000, *truth.shape)
    held = np.zeros(truth.shape)
    for each in counts:
        found = conditional_shares(invert_counts(each, channel), [1])
        low, high = found.conf_low.reshape(2, 3), found.conf_high.reshape(2, 3)
        held += (low <= within) & (within <= high)
    assert (abs(held / 1000 - 0.95) <= 0.028).all(), held / 1000
    assert abs(held.mean() / 1000 - 0.95) <= 0.0165, held / 1000
