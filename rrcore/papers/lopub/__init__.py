"""LoPub: Bloom-filter reports, joint distributions and synthetic tables."""

from rrcore.papers.lopub.graph import DependencyGraph, compare_edges, information_matrix, kept_by_entropy, thresholds
from rrcore.papers.lopub.joint import METHODS, em_joint
from rrcore.papers.lopub.reports import flip_probability, level, simulate_reports, uniform_protocol
from rrcore.papers.lopub.sources import SOURCES, Filters, LopubCollection, Source, make_source, simulate_collection, source_title
from rrcore.papers.lopub.synthesis import accuracies, half_l1_by_width, split
