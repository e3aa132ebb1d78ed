"""Estimating the true distribution from released answers."""

from rrcore.estimate.adjustment import Adjustment, adjust
from rrcore.estimate.anytime import ConfidenceSequence
from rrcore.estimate.blend import Trade, estimated_blend, exact_blend
from rrcore.estimate.cell_table import (
    TRUE_SHARES,
    cell_table,
    cell_texts,
    closest_cell_column,
    estimate_csv,
    estimate_table,
    reported_cell_table,
    written_cell_column,
    written_cells,
)
from rrcore.estimate.conditional import Conditional, conditional_shares, functional_error, merged_shares
from rrcore.estimate.countable import CountedRelease
from rrcore.estimate.estimate import Estimate
from rrcore.estimate.expected import ExpectedErrors, expected_error, expected_shrunk_error
from rrcore.estimate.finding import finding_beside_truth, finding_from_answers
from rrcore.estimate.forecast import Forecast, forecast
from rrcore.estimate.independent import independent_shares
from rrcore.estimate.interactions import Weakest, weakest_interaction, weakest_interactions
from rrcore.estimate.inversion import inversion_text, invert_counts
from rrcore.estimate.metrics import (
    METRICS,
    count_query_errors,
    coverage,
    half_l1,
    largest_absolute_error,
    mean_absolute_error,
    mean_squared_error,
    metric_text,
    random_query,
)
from rrcore.estimate.ordered import OrderedSummary, has_order, ordered_scores, ordered_summary
from rrcore.estimate.projections import (
    PROJECTIONS,
    MaximumLikelihood,
    clip_and_rescale,
    count_outside,
    maximum_likelihood,
    simplex,
    simplex_of_each,
)
from rrcore.estimate.published import (
    published_absolute_error,
    published_choice,
    published_independent_bound,
    published_independent_mse,
    published_joint_bound,
    published_naive_inversion,
    published_reduced_inversion,
    published_relative_error,
    published_thresholds,
    published_truncation,
)
from rrcore.estimate.release import Release
from rrcore.estimate.sample import Sample, Tally
from rrcore.estimate.simulated import simulated_columns, simulated_csv, simulated_file_name, simulated_parquet, simulation_mark
from rrcore.estimate.table_model import TableModel
from rrcore.estimate.uncertainty import (
    ShareVariance,
    WithinVariance,
    cell_variance,
    margin,
    normal_point,
    widest_margin,
)
