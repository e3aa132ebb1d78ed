"""Plans, what they cost, what they afford and what they trade."""

from rrcore.budget.answer import bargain_sentence
from rrcore.budget.bargains import Bargain, bargain, bargain_verdict, common_attributes, unbeaten
from rrcore.budget.comparison import EXCEEDED, SHORTFALL, WEAK, Option, compare
from rrcore.budget.frontier import (
    Point,
    accuracy_frontier,
    error_frontier,
    leakage_frontier,
    leakage_slacks,
    safe_frontier,
    safe_widths,
)
from rrcore.budget.inverse import Afforded, check_weights, levels_for_total
from rrcore.budget.pinned import PINNED_VERSION, Pin, Pinned
from rrcore.budget.plan import PLAN_VERSION, Plan
from rrcore.budget.precision import NEAR, Assumption, Precision, level_for, people_for, precision_of, questions_within
from rrcore.budget.project import PROJECT_VERSION, Choice, Entry, Origin, Project, Source, Wishes
from rrcore.budget.untouched import untouched_share, untouched_warning
from rrcore.mechanisms import Gain, Questions, gains
