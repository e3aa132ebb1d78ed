"""Analyze: estimates from randomized answers."""

from pages.analyze import check, proportions, regression
from pages.shared import widgets

widgets.page("Analyze", {"Proportions": proportions.show, "Regression": regression.show, "Check a mechanism": check.show})
