"""Epsilons, and the channels that describe randomization.

The module also defines the common interface of everything that randomizes.
"""

from rrcore.channel.channels import Channel, MatrixChannel, SubsetChannel, log_subset_counts, product_channel, subsets_of_counts
from rrcore.channel.epsilon import check_epsilon, epsilon_from_lie, lie_from_epsilon
from rrcore.channel.interactions import factors_of, invert_each_axis, kernel_from_factors, on_each_axis, top_interaction
from rrcore.channel.randomizer import Randomizer
