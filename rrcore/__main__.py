"""Run the command line with ``python -m rrcore``."""

import sys

from rrcore.cli import main

if __name__ == "__main__":
    sys.exit(main())
