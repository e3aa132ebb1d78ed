"""Tasks for workers: of a module that other processes can import, as all tasks are."""

import os
import resource
import signal
import time
from pathlib import Path


def square(number):
    return number * number


def refuse(number):
    raise ValueError(f"no {number}")


def leave(error):
    raise error


def environment(_):
    return os.environ["OMP_NUM_THREADS"], os.getpid()


def core_limit(_):
    return resource.getrlimit(resource.RLIMIT_CORE)


def kill_own_worker_once(folder, number):
    """The square of a number; where it is 3, its worker is killed the first time that it is asked."""
    mark = Path(folder, f"asked_{number}")
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def kill_own_worker(folder, number):
    with Path(folder, "killed").open("a") as file:
        file.write(".")
    os.kill(os.getpid(), signal.SIGKILL)


def rest(folder, number):
    (written := Path(folder, f"writing_{number}")).write_text(str(os.getpid()))
    written.rename(Path(folder, f"pid_{number}"))  # which is there with its number or not at all
    time.sleep(60)
