"""One thread of linear algebra for each process: several processes with several threads each wait for one another most of the time."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when numpy is first imported, which is after this


def pytest_collection_modifyitems(items):
    """Tests that mostly wait come first: else a single one of them would keep the others waiting at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith(("tests/browser/", "tests/test_packaging.py")))
