"""Field: the page, and its sections beside it."""
