"""Key-value: the page, and its sections beside it."""
