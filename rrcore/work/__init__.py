"""How work is done: told of while it goes on, stopped, bounded, and spread over processes and machines."""

from rrcore.work.executors import open_executor
from rrcore.work.memory import forbid_memory_dump
from rrcore.work.newfile import UnwrittenError, check_new_file, new_file, new_file_name, new_folder
from rrcore.work.process import LostError
from rrcore.work.progress import Report, part, quiet
from rrcore.work.tasks import Workers, run
from rrcore.work.worker import Produce, Worker, prepare_worker
