"""Start: the page."""
