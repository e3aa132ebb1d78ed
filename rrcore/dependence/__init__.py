"""Dependence between attributes: measured on true answers, or found out from released ones."""

from rrcore.dependence.clustering import Clustering, Step, cluster_attributes
from rrcore.dependence.debiased import Debiased, debiased_dependence
from rrcore.dependence.measures import MEASURES, corrected_cramers_v, cramers_v, measure_pairs, mutual_information, pearson
from rrcore.dependence.pairs import PairTables
from rrcore.dependence.routes import Route, debiased_route, pairwise_route, released_route, secure_sum_route
from rrcore.dependence.secure_sum import Total, Transcript, View, message_count, run_protocol, secure_sum

__all__ = [
    "MEASURES",
    "Clustering",
    "Debiased",
    "PairTables",
    "Route",
    "Step",
    "Total",
    "Transcript",
    "View",
    "cluster_attributes",
    "corrected_cramers_v",
    "cramers_v",
    "debiased_dependence",
    "debiased_route",
    "measure_pairs",
    "message_count",
    "mutual_information",
    "pairwise_route",
    "pearson",
    "released_route",
    "run_protocol",
    "secure_sum",
    "secure_sum_route",
]
