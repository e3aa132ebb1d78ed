"""Analyze: the page and its tabs."""
