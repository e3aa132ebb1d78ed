"""Parts of the Audit page."""
