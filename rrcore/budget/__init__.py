"""Plans, what they cost, what they afford and what they trade."""

from rrcore.budget.comparison import EXCEEDED, SHORTFALL, WEAK, Option, compare
from rrcore.budget.frontier import (
    FrontierPoint,
    accuracy_frontier,
    error_frontier,
    expected_by_width,
    leakage_frontier,
    leakage_slacks,
    safe_frontier,
    safe_widths,
)
from rrcore.budget.pinned import PINNED_VERSION, Pin, Pinned, common_attributes
from rrcore.budget.plan import PLAN_VERSION, Plan
from rrcore.budget.precision import NEAR, Assumption, Precision, level_for, people_for, precision_of, questions_within
from rrcore.budget.project import PROJECT_VERSION, Choice, Entry, Origin, Project, Source, Wishes
from rrcore.budget.total import check_weights, levels_for_total, protects_little, untouched_share, untouched_warning
from rrcore.budget.tradeoffs import Tradeoff, efficient, tradeoff, tradeoff_sentence, tradeoff_verdict
from rrcore.errors import moved
from rrcore.mechanisms import Gain, Questions, ScaledLevels, gains

__getattr__ = moved(
    __name__,
    Afforded="ScaledLevels",
    Bargain="Tradeoff",
    Point="FrontierPoint",
    bargain="tradeoff",
    bargain_sentence="tradeoff_sentence",
    bargain_verdict="tradeoff_verdict",
    unbeaten="efficient",
)
