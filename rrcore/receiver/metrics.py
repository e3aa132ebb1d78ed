"""What whoever runs a receiver may watch, in Prometheus' format: health and disk as they are, and numbers of finished days only.

Times of answers are not kept, so they must not be told to whoever looks every second either. What moves with a request is told when its day
is over. Memory, time of the processor, open connections and the size of the database are not told at all: each moves with every answer.
Free room is told in steps of 1, 2, 5, 10, ..., so that only the answer by which a step is passed moves it.
"""

import datetime as dt
import shutil
from collections.abc import Callable, Iterator

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from rrcore.errors import InputError
from rrcore.receiver.log import EventCounter
from rrcore.receiver.store import Store
from rrcore.receiver.tables import SURVEYS
from rrcore.work.database.places import path_of
from rrcore.work.web.health import Health


class SurveyMetrics(Collector):
    """The metrics of one survey.

    Parameters
    ----------
    store : Store
    health : Health
    refused : EventCounter, of refusals by status
    today : gives the day
    """

    def __init__(self, store: Store, health: Health, refused: EventCounter, today: Callable[[], dt.date] = dt.date.today) -> None:
        self._store, self._health, self._refused, self._today = store, health, refused, today
        self._path = path_of(store.place, SURVEYS.thing)
        self._counted: tuple[dt.date, int, int] | None = None

    def describe(self) -> list[Metric]:
        """Nothing is looked into before somebody asks."""
        return []

    def collect(self) -> Iterator[Metric]:
        """All of them, as they are now."""
        yield GaugeMetricFamily("rr_receiver_healthy", "Whether answers can be stored.", value=not self._health.fault())
        try:
            answers, forms = self._totals()
            yield CounterMetricFamily("rr_receiver_answers", "Answers stored until the end of yesterday.", value=answers)
            yield CounterMetricFamily("rr_receiver_forms", "Forms given out until the end of yesterday.", value=forms)
            closed = self._store.closed is not None
            yield GaugeMetricFamily("rr_receiver_closed", "Whether the survey is closed.", value=closed)
        except InputError:  # health tells it
            pass
        sentence = "Requests refused until the end of yesterday, since the receiver was started, by HTTP status."
        refused = CounterMetricFamily("rr_receiver_refusals", sentence, labels=["status"])
        for status, number in sorted(self._refused.finished().items()):
            refused.add_metric([status], number)
        yield refused
        if self._path is not None:
            free = in_steps(shutil.disk_usage(self._path.parent).free)
            yield GaugeMetricFamily("rr_receiver_disk_free_bytes", "Room on the survey's disk, in steps of 1, 2, 5.", value=free)

    def _totals(self) -> tuple[int, int]:
        """Answers and forms until the end of yesterday, counted once a day."""
        today = self._today()
        if self._counted is None or self._counted[0] != today:
            days = self._store.by_day(), self._store.begun_by_day()
            answers, forms = (sum(number for day, number in each.items() if day < today) for each in days)
            self._counted = today, answers, forms
        return self._counted[1:]


def in_steps(number: int) -> int:
    """The largest of 0, 1, 2, 5, 10, 20, 50, ... that is not above ``number``.

    Examples
    --------
    >>> [in_steps(number) for number in (0, 1, 4, 99, 50_000, 123_456)]
    [0, 1, 2, 50, 50000, 100000]
    """
    power = 10 ** (len(str(number)) - 1)
    return max(step * power for step in (0, 1, 2, 5) if step * power <= number)
