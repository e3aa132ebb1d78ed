"""How work is done: told of while it goes on, stopped, bounded, and spread over processes and machines."""

from rrcore.executors import open_executor, run
from rrcore.files import UnwrittenError, check_new_file, new_file, new_file_name, new_folder
from rrcore.progress import Report, part, quiet
