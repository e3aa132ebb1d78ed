"""LoPub: Bloom-filter reports, joint distributions from them, the dependency graph, and a synthetic table."""

from rrcore.research.lopub.bloom import BloomFilter, best_hashes, best_length, flip_probability, level
from rrcore.research.lopub.collection import LopubCollection, Pruning, Standing, closest, contest, simulate_collection
from rrcore.research.lopub.em import JointEstimate, em_entries, em_joint
from rrcore.research.lopub.graph import DependencyGraph, Edges, compare_edges, information_matrix, kept_by_entropy, thresholds
from rrcore.research.lopub.lasso import METHODS, candidate_matrix, lasso_em_joint, lasso_joint, pair_lasso_joint
from rrcore.research.lopub.reports import ReportProtocol, Reports, simulate_reports, uniform_protocol
from rrcore.research.lopub.sources import SOURCES, Filters, Source, make_source, source_title
from rrcore.research.lopub.synthesis import Synthetic, check_cliques, synthesize
from rrcore.research.lopub.usefulness import (
    CLASSIFIERS,
    Accuracy,
    accuracies,
    accuracies_by_target,
    half_l1_by_width,
    split,
    v_difference,
)
