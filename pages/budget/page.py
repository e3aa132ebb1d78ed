"""Budget: an epsilon for each attribute, and what the whole record costs."""

from pages.budget import choosing_epsilon, plan, saved, whatif
from pages.shared import widgets

widgets.page(
    "Budget", {"Plan": plan.show, "What-if": whatif.show, "Saved plans": saved.show, "Choosing ε": choosing_epsilon.show}
)
