"""Sections of the Compare page."""
