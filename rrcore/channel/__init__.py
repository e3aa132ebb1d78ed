"""What randomising does to shares: levels, lie sets, and the channels that they make."""

from rrcore.arrays import Floats
from rrcore.channel.base import Channel, Randomization, top_piece
from rrcore.channel.confined import ConfinedChannel
from rrcore.channel.levels import check_levels, level_from_lie, lie_probability, retention, truth_probability
from rrcore.channel.liesets import (
    LieSets,
    apply_factors,
    castell,
    factors_of,
    kernel_from_factors,
    lies_of_counts,
    log_lie_counts,
    on_each_axis,
    spectral,
)
from rrcore.channel.matrix import MatrixChannel
from rrcore.channel.product import ProductChannel, side_by_side
from rrcore.channel.stacked import StackedChannel
from rrcore.channel.waves import PanelChannel, Stages, Way, transition_matrix
