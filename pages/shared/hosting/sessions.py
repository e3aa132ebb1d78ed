"""Nothing any more: ``queue`` asks for it until it goes."""

GRACE = 15.0
"""Seconds that what is computed for a session goes on without its tab."""
