"""Perturb & estimate: the page, and its sections beside it."""
