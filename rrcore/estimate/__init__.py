"""Estimating the true distribution from released answers."""

from rrcore.estimate.adjustment import Adjustment, adjust
from rrcore.estimate.anytime import ConfidenceSequence
from rrcore.estimate.blend import Trade, blended, exact_trade, independent_product, inversion_pays
from rrcore.estimate.cells import (
    cell_table,
    cell_texts,
    closest_column,
    estimate_table,
    reports_table,
    written_cells,
    written_column,
)
from rrcore.estimate.change import Change, Foreseen, change_error, foresee, linked_change, unlinked_change
from rrcore.estimate.conditional import Conditional, conditional_shares, functional_error
from rrcore.estimate.countable import Countable, CountedRelease
from rrcore.estimate.expected import ExpectedErrors, expected_shrunk_error
from rrcore.estimate.export import (
    TRUE_SHARES,
    count_outside,
    estimate_csv,
    file_name,
    simulated_columns,
    simulated_csv,
    simulated_parquet,
    simulation_mark,
    widest_margin,
)
from rrcore.estimate.finding import Finding, beside_truth, combination, from_answers, largest_finding
from rrcore.estimate.forecast import Forecast, forecast
from rrcore.estimate.interactions import Weakest, weakest, weakest_of_each_order
from rrcore.estimate.inversion import estimate_marginal, estimate_tally, merged_text
from rrcore.estimate.marginal import Estimate, PointEstimate
from rrcore.estimate.merged import TogetherShare, shares_together
from rrcore.estimate.metrics import (
    METRICS,
    count_query_errors,
    coverage,
    error_text,
    half_l1,
    hellinger,
    largest_absolute_error,
    mean_absolute_error,
    mean_squared_error,
    random_query,
)
from rrcore.estimate.ordered import OrderedSummary, Quantile, cumulative_laws, has_order, ordered_summary, proposed_scores
from rrcore.estimate.probabilities import (
    PROJECTIONS,
    MaximumLikelihood,
    clip_and_rescale,
    maximum_likelihood,
    possible_only,
    simplex,
    simplex_each,
)
from rrcore.estimate.published import (
    Thresholds,
    absolute_frequency_error,
    naive,
    published_choice,
    published_independent_bound,
    published_independent_mse,
    published_joint_bound,
    published_thresholds,
    reduced,
    relative_frequency_error,
    truncate,
)
from rrcore.estimate.refusals import Always, Course, course
from rrcore.estimate.release import Release
from rrcore.estimate.sample import (
    Margin,
    Replicates,
    Sample,
    Spread,
    Tally,
    bootstrap,
    for_nonresponse,
    jackknife,
    pair_tally,
    rake,
    tally,
)
from rrcore.estimate.score import ShareLaws, joint_point, normal_point, share_laws, two_sided_point
from rrcore.estimate.short import robust_point
from rrcore.estimate.short_coverage import SHORTER_PROMISE
from rrcore.estimate.table_model import TableModel, table_model
from rrcore.estimate.uncertainty import ShareVariance, cell_variance, expected_error, margin
from rrcore.estimate.within import WithinVariance
