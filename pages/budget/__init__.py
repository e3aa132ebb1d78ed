"""The sections of the Budget page."""
