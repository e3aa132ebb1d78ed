"""Estimating the true distribution from released answers."""

from rrcore.estimate.export import estimate_csv, estimate_table
from rrcore.estimate.inversion import castell, invert, lost_interactions, spectral
from rrcore.estimate.marginal import Estimate, estimate_marginal
from rrcore.estimate.projection import PROJECTIONS, clip_and_rescale, simplex
from rrcore.estimate.uncertainty import cell_variance, expected_error, expected_pair_errors, margin, squared_inverse

__all__ = [
    "PROJECTIONS",
    "Estimate",
    "castell",
    "cell_variance",
    "clip_and_rescale",
    "estimate_csv",
    "estimate_marginal",
    "estimate_table",
    "expected_error",
    "expected_pair_errors",
    "invert",
    "lost_interactions",
    "margin",
    "simplex",
    "spectral",
    "squared_inverse",
]
