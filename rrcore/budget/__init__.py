"""Plans, what they cost, what they afford and trade, and what an attacker can learn."""

from rrcore.budget.certainty import (
    BANDS,
    KNOWS,
    Certainty,
    Knows,
    certainties,
    certainty_assumed,
    certainty_in_table,
    rounded_certainty,
)
from rrcore.budget.comparison import EXCEEDED, SHORTFALL, Option, compare, compare_plans
from rrcore.budget.frontier import (
    FrontierPoint,
    accuracy_frontier,
    error_frontiers,
    frontier_errors_by_width,
    leakage_frontier,
    leakage_frontier_slacks,
    safe_frontier,
    safe_frontier_widths,
)
from rrcore.budget.observer import Observer, observe, observe_file, observer_prior
from rrcore.budget.pinned import Pin, Pinned, pinned_attributes
from rrcore.budget.plan import Plan
from rrcore.budget.precision import Assumption, Precision, SmallestGroup
from rrcore.budget.project import Choice, Entry, Invention, Origin, Project, Source, Wishes
from rrcore.budget.requirements import level_for_precision, people_for_precision, precision_of, questions_within_precision
from rrcore.budget.risk import People, Risk, risk_of, risk_of_thousand, safer_levels
from rrcore.budget.total import (
    check_total_weights,
    levels_afforded,
    levels_for_total,
    pair_safe_for_total,
    protects_little,
    total_warning,
)
from rrcore.budget.tradeoffs import Tradeoff, efficient_tradeoffs, tradeoff, tradeoff_sentence, tradeoff_verdict
from rrcore.budget.verdict import Verdict
from rrcore.mechanisms import Questions, accuracy_gains
