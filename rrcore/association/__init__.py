"""Association between attributes, from tables or from randomized answers."""

from rrcore.association.clustering import cluster_attributes
from rrcore.association.debiased import debiased_dependence
from rrcore.association.estimates import (
    DependenceEstimate,
    Pairs,
    estimate_as_released,
    estimate_debiased,
    estimate_secretly,
)
from rrcore.association.independence import independence_of
from rrcore.association.pairs import PairTables, cramers_v, measure_pairs, mutual_information
from rrcore.association.secure_sum import run_secure_sum, secure_sum_messages
