"""What whoever runs a dashboard may watch, in Prometheus' format at an address of its own: numbers only, and of no one in particular."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

from prometheus_client import Counter, Gauge, ProcessCollector, disable_created_metrics
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared.hosting import health, turns, uploads
from rrcore import __version__
from rrcore.commands.app import METRICS_VARIABLE
from rrcore.commands.metrics import serve_metrics
from rrcore.work import LostError

_GROUPS = Path("/sys/fs/cgroup")
_STEP = 2**20  # bytes: the size of an upload to the byte could say which file it is

REFUSALS = Counter("rr_refusals", "Requests refused, by HTTP status, or by code of the websocket.", ["status"], registry=None)
TABS = Gauge("rr_tabs", "Browser tabs that are connected.", registry=None)
ENDED = Counter("rr_jobs_ended", "Calculations that were ended for time or memory, or lost.", ["reason"], registry=None)


class Calculations(Protocol):
    """The calculations of all sessions: how many are at work and how many wait, and what is told when one did not end by itself."""

    ended: Callable[[Exception], None]

    @property
    def load(self) -> tuple[int, int]: ...


@cache
def tell(calculations: Calculations) -> None:
    """Tell the metrics where the operator asked for them. Raises InputError where that is not possible."""
    address = os.environ.get(METRICS_VARIABLE)
    if not address:
        return
    disable_created_metrics()  # type: ignore[no-untyped-call]
    registry = serve_metrics(address)
    for each in (REFUSALS, TABS, ENDED, Dashboard(calculations), ProcessCollector(registry=None)):
        registry.register(each)
    calculations.ended = count_end


def count_end(error: Exception) -> None:
    """Count a job that did not end by itself."""
    if isinstance(error, LostError):
        ENDED.labels(error.why).inc()


@dataclass(frozen=True)
class Dashboard(Collector):
    """Numbers that are looked up when somebody asks."""

    calculations: Calculations

    def describe(self) -> list[Metric]:
        """Nothing is looked into before somebody asks."""
        return []

    def collect(self) -> Iterator[Metric]:
        """All of them, as they are now."""
        at_work, waiting = self.calculations.load
        yield GaugeMetricFamily("rr_healthy", "Whether the operator's folders can be written.", value=not health.HEALTH.fault())
        yield _labelled("rr_info", "What runs.", "version", {__version__: 1})
        yield GaugeMetricFamily("rr_jobs_at_work", "Calculations at work.", value=at_work)
        yield GaugeMetricFamily("rr_jobs_waiting", "Calculations that wait for a place.", value=waiting)
        yield GaugeMetricFamily("rr_pages_waiting", "Pages that wait for their turn to run.", value=turns.pages.waiting)
        held = -(-uploads.held().total() // _STEP) * _STEP
        yield GaugeMetricFamily("rr_uploads_bytes", "Memory of what was uploaded, in whole units of 2^20 bytes.", value=held)
        yield GaugeMetricFamily("rr_memory_bytes", "Memory of the server and all its processes.", value=memory())
        rooms = {name: shutil.disk_usage(folder).free for name, folder in health.folders().items() if folder.is_dir()}
        yield _labelled("rr_disk_free_bytes", "Room on the disk of a folder of the operator's.", "folder", rooms)


def memory() -> int:
    """Bytes in memory of this process and all that descend from it, what they share counted for each; 0 where that is not known.

    In a unit of systemd it is what ``MemoryMax`` bounds, which counts what they share once, and what they read from disk: a unit with
    ``ProtectProc`` hides from the server the processes that nobody may look into, which those of calculations are.
    """
    if sys.platform != "linux":
        return 0
    if os.environ.get("SYSTEMD_EXEC_PID") == str(os.getpid()):
        with suppress(OSError, StopIteration):  # control groups of version 1
            lines = Path("/proc/self/cgroup").read_text().splitlines()
            group = next(line.removeprefix("0::/") for line in lines if line.startswith("0::/"))
            return int((_GROUPS / group / "memory.current").read_text())
    pages: dict[int, tuple[int, int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                pages[int(entry.name)] = parent, int((entry / "statm").read_text().split()[1])
            except (OSError, IndexError, ValueError):  # it has ended meanwhile
                continue
    own = {os.getpid()}
    while more := {each for each, (parent, _) in pages.items() if parent in own} - own:
        own |= more
    return sum(pages[each][1] for each in own & pages.keys()) * os.sysconf("SC_PAGE_SIZE")


def _labelled(name: str, text: str, label: str, values: dict[str, int]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    return family


@dataclass(frozen=True)
class MetricsMiddleware:
    """ASGI middleware that counts what is refused, and tabs that are connected."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        accepted = False

        async def tell(message: Message) -> None:
            nonlocal accepted
            if message["type"] == "http.response.start" and message["status"] >= 400:
                REFUSALS.labels(str(message["status"])).inc()
            elif message["type"] == "websocket.accept":
                accepted = True
                TABS.inc()
            elif message["type"] == "websocket.close" and message.get("code", 1000) not in (1000, 1001):
                REFUSALS.labels(f"websocket {message['code']}").inc()
            await send(message)

        try:
            await self.app(scope, receive, tell)
        finally:
            if accepted:
                TABS.dec()
