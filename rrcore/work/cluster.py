"""Workers of a Dask cluster, on any number of machines."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from importlib import import_module
from typing import Any, TypeVar

from rrcore.errors import InputError, need
from rrcore.work.tasks import Workers

Result = TypeVar("Result")

_SECONDS = 5  # that a scheduler may take to answer


class Cluster(Workers):
    """Dask's own executor, connected again after the connection was lost.

    Dask runs the tasks of a lost worker again by itself, and gives a task up that has cost it several workers.

    Parameters
    ----------
    address : of the scheduler, for example "tcp://host:8786"
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._connect()
        self.head_start = 0.0

    def _connect(self) -> None:
        distributed = need("distributed", "A Dask cluster")
        try:
            with ThreadPoolExecutor(1) as thread:  # this one may run an event loop
                thread.submit(asyncio.run, _call(self._address)).result()
            self._client = distributed.Client(self._address, timeout=_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise InputError(
                f"No Dask scheduler answers at '{self._address}': check the address, for example tcp://host:8786, "
                "and that 'dask scheduler' runs there."
            ) from error
        try:
            versions = set(self._client.run(_version).values())
        except ImportError:
            versions = {"none"}
        if versions - {_version()}:
            self._client.close()
            raise InputError(
                f"Workers of the cluster at '{self._address}' have version {', '.join(sorted(versions))} of rr-workbench and this "
                f"machine has {_version()}: install the same version on all."
            )
        self._executor: Executor = self._client.get_executor(pure=False)

    def _connect_again(self) -> None:
        if self._client.status == "closed":
            self._connect()

    @property
    def count(self) -> int:
        """Threads of all workers of the cluster."""
        with self._lock:
            self._connect_again()
            return max(1, sum(self._client.nthreads().values()))

    def submit(self, function: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """Hand one task over, by a new connection if the former was lost."""
        with self._lock:
            self._connect_again()
            return super().submit(function, *args, **kwargs)

    def tries_lost_by(self, error: BaseException) -> int:
        """How many tries were lost: Dask's KilledWorker comes after several."""
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        if isinstance(error, KilledWorker):
            return int(import_module("dask").config.get("distributed.scheduler.allowed-failures")) + 1
        return int(isinstance(error, (CancelledError, CommClosedError)))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect; tasks that are still there are given up. The cluster stays."""
        self._executor.shutdown(wait=False)
        self._client.close()


async def _call(address: str) -> None:
    """See whether anybody answers there, since a client that cannot connect goes on trying."""
    from distributed.comm import connect

    await (await connect(address, timeout=_SECONDS)).close()  # type: ignore[no-untyped-call]


def _version() -> str:
    own: str = import_module("rrcore").__version__  # by name, since the public face is above
    return own
