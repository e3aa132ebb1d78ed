"""The steps of the Collect page."""
