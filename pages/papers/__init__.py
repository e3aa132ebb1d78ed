"""The page Papers, and its sections."""
