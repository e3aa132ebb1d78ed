"""The operator's cluster, which long calculations go to where there is one."""

from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext

from pages.shared.hosting.operator import operator
from rrcore.work import open_executor


def opened() -> AbstractContextManager[Executor | None]:
    """The executor of the cluster, to be opened inside a job; None where there is no cluster, and the job's own process does it all.

    Raises
    ------
    InputError
        If the operator named a scheduler and none answers.
    """
    scheduler = operator().scheduler
    return open_executor(scheduler) if scheduler else nullcontext()
