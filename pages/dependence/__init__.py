"""Sections of the Dependence page."""
