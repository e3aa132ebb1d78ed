"""Dependence between attributes: measured on true answers, or found out from released ones."""

from rrcore.dependence.debiased import Debiased, debiased_dependence
from rrcore.dependence.measures import MEASURES, corrected_cramers_v, cramers_v, measure_pairs, mutual_information, pearson
from rrcore.dependence.pairs import PairTables

__all__ = [
    "MEASURES",
    "Debiased",
    "PairTables",
    "corrected_cramers_v",
    "cramers_v",
    "debiased_dependence",
    "measure_pairs",
    "mutual_information",
    "pearson",
]
