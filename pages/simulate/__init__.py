"""The page Simulate and its tabs."""
