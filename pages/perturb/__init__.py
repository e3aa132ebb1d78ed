"""The perturb page."""
