"""Parts of the Key-value page."""
