"""The larger commands of ``python -m rrcore``, one a file."""
