"""Dependence between attributes: measured on true answers, or found out from released ones."""

from rrcore.dependence.clustering import Clustering, Step, cluster_attributes
from rrcore.dependence.debiased import Debiased, debiased_dependence
from rrcore.dependence.measures import MEASURES, corrected_cramers_v, cramers_v, measure_pairs, mutual_information, pearson
from rrcore.dependence.pairs import PairTables
from rrcore.dependence.routes import NEIGHBOURS, Route, debiased_route, pairwise_route, released_route, secure_sum_route
from rrcore.dependence.secure_sum import Total, Transcript, View, message_count, run_protocol, secure_sum
