"""Parts of the Synthesize page."""
