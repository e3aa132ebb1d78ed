"""The parts of the Read page."""
