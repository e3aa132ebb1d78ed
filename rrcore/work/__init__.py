"""How work is done: told of while it goes on, stopped, bounded, and spread over processes and machines."""

from __future__ import annotations

from rrcore.work.progress import Report as Report
from rrcore.work.progress import part as part
from rrcore.work.progress import quiet as quiet
from rrcore.work.worker import LostError as LostError
from rrcore.work.worker import Produce as Produce
from rrcore.work.worker import Worker as Worker
from rrcore.work.worker import prepare as prepare
