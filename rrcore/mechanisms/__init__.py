"""Mechanisms: ways to randomize records with given epsilons."""

from rrcore.mechanisms.base import PROVED, Counted, Listed, Mechanism
from rrcore.mechanisms.blocks import Blocks
from rrcore.mechanisms.closed_form import Joint, Kronecker
from rrcore.mechanisms.heuristic import Heuristic, published_two_attribute_optimum
from rrcore.mechanisms.optimal import Optimal
from rrcore.mechanisms.safeguards import Safeguards
