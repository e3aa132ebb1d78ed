"""Estimates of the true distribution from randomized answers."""

from rrcore.estimate.confidence_sequence import ConfidenceSequence
from rrcore.estimate.estimate import (
    Estimate,
    cell_table,
    estimate_csv,
    estimate_table,
    inversion_text,
    invert_counts,
    written_cell_column,
    written_cells,
)
from rrcore.estimate.estimators import (
    PROJECTIONS,
    MaximumLikelihood,
    Trade,
    clip_and_rescale,
    estimated_blend,
    exact_blend,
    independent_shares,
    maximum_likelihood,
    simplex,
    simplex_of_each,
)
from rrcore.estimate.expected_errors import ExpectedErrors, expected_error, expected_shrunk_error
from rrcore.estimate.ordered import OrderedSummary, has_order, ordered_scores, ordered_summary
from rrcore.estimate.release import FEW, Release, Rows, conditional_shares, merged_shares
from rrcore.estimate.result import Result
from rrcore.estimate.sample import Sample, Tally
from rrcore.estimate.table_model import TableModel
from rrcore.estimate.uncertainty import (
    cell_variance,
    margin,
    normal_point,
)
from rrcore.estimate.weakest_interaction import Weakest, weakest_interaction, weakest_interactions
