"""Optimization problems whose solutions are mechanisms."""
