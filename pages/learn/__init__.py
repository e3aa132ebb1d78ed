"""Learn: the page."""
