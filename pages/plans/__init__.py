"""The sections of the Plans page."""
