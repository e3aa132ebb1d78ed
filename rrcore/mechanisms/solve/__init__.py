"""The programmes that mechanisms are found by."""
