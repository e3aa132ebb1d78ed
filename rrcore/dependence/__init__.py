"""Dependence between attributes: measured on true answers, or found out from released ones."""

from rrcore.dependence.clustering import Clustering, cluster_attributes
from rrcore.dependence.debiased import debiased_dependence
from rrcore.dependence.estimates import NEIGHBOURS, DependenceEstimate, estimate_as_released, estimate_debiased, estimate_secretly
from rrcore.dependence.pairs import MEASURES, PairTables, cramers_v, measure_pairs, mutual_information
from rrcore.dependence.secure_sum import CollusionView, run_secure_sum, secure_sum_messages
