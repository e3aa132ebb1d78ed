"""Estimating the true distribution from released answers."""

from rrcore.estimate.adjustment import Adjustment, adjust
from rrcore.estimate.always import Always, Course, course
from rrcore.estimate.anytime import ConfidenceSequence
from rrcore.estimate.bounds import (
    absolute_frequency_error,
    published_independent_bound,
    published_independent_mse,
    published_joint_bound,
    relative_frequency_error,
)
from rrcore.estimate.cautious import ShareVariance
from rrcore.estimate.cells import cell_table, cell_texts, estimate_table, reports_table, written_cells, written_column
from rrcore.estimate.change import Change, Foreseen, change_error, foresee, linked_change, pair_tally, unlinked_change
from rrcore.estimate.conditional import Conditional, conditional_shares, functional_error
from rrcore.estimate.confused import merged_text
from rrcore.estimate.countable import Countable, CountedRelease
from rrcore.estimate.em import MaximumLikelihood, maximum_likelihood
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
from rrcore.estimate.hybrid import Thresholds, Trade, blended, exact_trade, inversion_pays, published_choice, published_thresholds
from rrcore.estimate.independent import independent_product
from rrcore.estimate.marginal import Estimate, estimate_marginal, estimate_tally
from rrcore.estimate.matrices import naive, reduced
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
from rrcore.estimate.point import PointEstimate
from rrcore.estimate.projection import PROJECTIONS, clip_and_rescale, simplex, simplex_each
from rrcore.estimate.release import Release
from rrcore.estimate.sample import Margin, Replicates, Sample, Spread, Tally, bootstrap, for_nonresponse, jackknife, rake, tally
from rrcore.estimate.score import ShareLaws, normal_point, share_laws, two_sided_point
from rrcore.estimate.simultaneous import joint_point
from rrcore.estimate.together import TogetherShare, shares_together
from rrcore.estimate.truncated import truncate
from rrcore.estimate.uncertainty import cell_variance, expected_error, margin
from rrcore.estimate.weakest import Weakest, weakest, weakest_of_each_order
