"""Plans, what they cost, what they afford and what they trade."""

from rrcore.budget.comparison import EXCEEDED, SHORTFALL, WEAK, Option, compare
from rrcore.budget.frontier import (
    FrontierPoint,
    accuracy_frontier,
    error_frontier,
    frontier_errors_by_width,
    leakage_frontier,
    leakage_frontier_slacks,
    safe_frontier,
    safe_frontier_widths,
)
from rrcore.budget.pinned import Pin, Pinned, pinned_attributes
from rrcore.budget.plan import Plan
from rrcore.budget.precision import Assumption, Precision, SmallestGroup
from rrcore.budget.project import Choice, Entry, Origin, Project, Source, Wishes
from rrcore.budget.requirements import (
    NEAR,
    level_for_precision,
    people_for_precision,
    precision_of,
    questions_within_precision,
)
from rrcore.budget.total import check_total_weights, levels_for_total, protects_little, total_warning
from rrcore.budget.tradeoffs import Tradeoff, efficient_tradeoffs, tradeoff, tradeoff_sentence, tradeoff_verdict
from rrcore.mechanisms import Gain, Questions, ScaledLevels, accuracy_gains
