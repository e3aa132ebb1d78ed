"""Dependence between attributes: measured on true answers, or found out from released ones."""

from rrcore.dependence.clustering import Clustering, ClusterStep, cluster_attributes
from rrcore.dependence.debiased import Debiased, debiased_dependence
from rrcore.dependence.estimates import (
    NEIGHBOURS,
    DependenceEstimate,
    estimate_as_released,
    estimate_by_randomised_pairs,
    estimate_by_secure_sums,
    estimate_debiased,
    estimate_secretly,
)
from rrcore.dependence.pairs import (
    MEASURES,
    PairTables,
    corrected_cramers_v,
    cramers_v,
    measure_pairs,
    mutual_information,
    pearson,
)
from rrcore.dependence.secure_sum import CollusionView, SecureTotal, Transcript, run_secure_sum, secure_sum, secure_sum_messages
