"""Plans, their privacy loss and accuracy, and what an attacker can learn."""

from rrcore.budget.comparison import Option, compare, compare_plans
from rrcore.budget.curves import CurvePoint, equal_terms, trace_curves
from rrcore.budget.pair_errors import expected_pair_errors, respondents_factors
from rrcore.budget.plan import Plan
from rrcore.budget.project import Draft, Entry, Invention, Origin, Project, Source
from rrcore.budget.recipes import (
    MECHANISMS,
    RECOMMENDED_WIDTH,
    build,
    offered_recipes,
    preserved_width,
    preserving_key,
    recipe,
    recommended_recipe,
)
from rrcore.budget.risk import Risk, beliefs_of, risk_of
from rrcore.budget.saved_comparison import PrivacyLoss, SavedPlan, undominated
from rrcore.budget.saved_plans import Pin, Pinned, pinned_attributes
from rrcore.budget.total import check_total_weights, epsilon_for_total
from rrcore.budget.verdicts import (
    Accuracy,
    accuracy,
    default_epsilon,
    largest_epsilon_not_weak,
    protection,
    smallest_epsilon_usable,
    surety,
)
from rrcore.budget.workload import Questions
