"""What randomising does to shares: levels, lie sets, and the channels that they make."""

from rrcore.channel.base import Channel, Randomization
from rrcore.channel.factors import factors_of, invert_each_axis, kernel_from_factors, on_each_axis, top_interaction
from rrcore.channel.levels import check_levels, level_from_lie, lie_from_level
from rrcore.channel.liesets import LieSets, lie_sets_of_counts, log_lie_set_counts
from rrcore.channel.matrix import MatrixChannel
from rrcore.channel.product import product_channel
