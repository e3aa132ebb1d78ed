"""Estimating the true distribution from released answers."""

from rrcore.estimate.export import estimate_csv
from rrcore.estimate.inversion import castell, invert, lost_interactions, spectral
from rrcore.estimate.marginal import Estimate, estimate_marginal
from rrcore.estimate.projection import PROJECTIONS, clip_and_rescale, simplex
from rrcore.estimate.uncertainty import cell_variance, expected_error, expected_pair_errors, squared_inverse

__all__ = [
    "PROJECTIONS",
    "Estimate",
    "castell",
    "cell_variance",
    "clip_and_rescale",
    "estimate_csv",
    "estimate_marginal",
    "expected_error",
    "expected_pair_errors",
    "invert",
    "lost_interactions",
    "simplex",
    "spectral",
    "squared_inverse",
]
