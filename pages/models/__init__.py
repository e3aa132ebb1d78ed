"""Models: regressions on collected answers."""
