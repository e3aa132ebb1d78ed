"""Plan, run and read multi-attribute randomized response. The pages and the command line are thin layers over this."""

__version__ = "0.2.0"
