"""How work is done: told of while it goes on, stopped, bounded, and spread over processes and machines."""

from rrcore.work.executors import open_executor
from rrcore.work.memory import leave_no_dump
from rrcore.work.newfile import UnwrittenError, check_new, new_file, new_folder, place, plain_name
from rrcore.work.process import LostError
from rrcore.work.progress import Report, part, quiet
from rrcore.work.tasks import Workers, run
from rrcore.work.worker import Produce, Worker, prepare
