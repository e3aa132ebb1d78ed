"""One thread of linear algebra for each process: several processes with several threads each wait for one another most of the time."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when numpy is first imported, which is after this
