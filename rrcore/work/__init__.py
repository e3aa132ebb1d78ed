"""How work is done: told of while it goes on, stopped, bounded, and spread over processes and machines."""

from __future__ import annotations

from rrcore.work.dumps import leave_no_dump as leave_no_dump
from rrcore.work.executors import open_executor as open_executor
from rrcore.work.executors import run as run
from rrcore.work.newfile import UnwrittenError as UnwrittenError
from rrcore.work.newfile import check_new as check_new
from rrcore.work.newfile import new_file as new_file
from rrcore.work.newfile import new_folder as new_folder
from rrcore.work.newfile import place as place
from rrcore.work.progress import Report as Report
from rrcore.work.progress import part as part
from rrcore.work.progress import quiet as quiet
from rrcore.work.worker import LostError as LostError
from rrcore.work.worker import Produce as Produce
from rrcore.work.worker import Worker as Worker
from rrcore.work.worker import prepare as prepare
from rrcore.work.worker import put_away as put_away
from rrcore.work.workers import Workers as Workers
