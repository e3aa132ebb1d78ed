"""Plans and what they cost."""

from rrcore.budget.comparison import SHORTFALL, WEAK, Option, compare
from rrcore.budget.plan import PLAN_VERSION, Plan

__all__ = ["PLAN_VERSION", "SHORTFALL", "WEAK", "Option", "Plan", "compare"]
