"""LoPub: Bloom-filter reports, joint distributions from them, the dependency graph, and a synthetic table."""

from rrcore.research.lopub.bloom import best_hashes, best_length, flip_probability, level
from rrcore.research.lopub.collection import LopubCollection, Standing, closest, contest, simulate_collection
from rrcore.research.lopub.em import em_entries, em_joint
from rrcore.research.lopub.graph import DependencyGraph, compare_edges, information_matrix, kept_by_entropy, thresholds
from rrcore.research.lopub.lasso import METHODS
from rrcore.research.lopub.reports import simulate_reports, uniform_protocol
from rrcore.research.lopub.sources import SOURCES, Filters, Source, make_source, source_title
from rrcore.research.lopub.synthesis import Synthetic
from rrcore.research.lopub.usefulness import (
    CLASSIFIERS,
    Accuracy,
    accuracies,
    accuracies_by_target,
    half_l1_by_width,
    split,
    v_difference,
)
