"""Load: the dashboard as it is served, and many browser tabs that speak to it through real websockets. See ``python -m benchmarks.load``."""
