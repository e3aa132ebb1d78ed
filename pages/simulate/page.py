"""Simulate: one simulated release, and what can be estimated from it."""

from pages.shared import widgets
from pages.simulate import associations, estimates

widgets.page("Simulate", {"Estimates": estimates.show, "Associations": associations.show})
