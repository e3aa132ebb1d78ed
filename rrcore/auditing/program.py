"""Run a program as a sampler: true records in, randomized records out, as CSV.

The program uses standard input and standard output.
"""

import shlex
import subprocess
from collections.abc import Sequence
from functools import partial

from rrcore.answers import read_answers
from rrcore.arrays import Codes
from rrcore.auditing.frequencies import Sampler
from rrcore.errors import InputError, check_number
from rrcore.limits import SAMPLER_SECONDS
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.dataset import Dataset
from rrcore.wording import counted

_QUOTED = 200  # characters of what a program complains of


def program_sampler(command: str, file: MechanismFile, *, seconds: float = SAMPLER_SECONDS) -> Sampler:
    """Return a sampler that runs a program for randomization.

    The program reads and writes CSV with a header, one line for each record, in the same order. It is started without a shell.

    Parameters
    ----------
    command : command line, such as "python mine.py"
    file : MechanismFile with the attributes, categories and reports
    seconds : time limit of the program

    Raises
    ------
    InputError
        If the command is invalid. The sampler also raises InputError if the program cannot be started, fails, or takes too long.
        The program must write one line with known categories for each record.
    """
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise InputError(f"The sampler '{command[:_QUOTED]}' cannot be parsed ({error}). Check its quotation marks.") from None
    if not arguments:
        raise InputError("The sampler command is empty. Enter the command that starts the sampler, for example 'python mine.py'.")
    check_number("The timeout", seconds, 0, 10**6)
    return partial(_sampled, arguments, file, seconds)


def _sampled(arguments: Sequence[str], file: MechanismFile, seconds: float, true: Codes) -> Codes:
    written = _run(arguments, Dataset(file.schema, true).to_csv(), seconds)
    try:
        answers = read_answers([(written, "output.csv")], file)
    except InputError as error:
        raise InputError(f"The output of the sampler cannot be used. {error}") from None
    if wrong := (*answers.rejected, *answers.unmatched):
        first = wrong[0]
        raise InputError(
            f"The output of the sampler contains {first.reason} ({first.first}). Change the sampler so that it "
            "writes only known categories."
        )
    if answers.dataset.n != len(true):
        raise InputError(
            f"Expected one line from the sampler for each of {counted(len(true), 'record', 'records')}, got {answers.dataset.n:,}."
        )
    return answers.dataset.codes


def _run(arguments: Sequence[str], records: str, seconds: float) -> bytes:
    name = arguments[0][:_QUOTED]
    try:
        done = subprocess.run(list(arguments), input=records.encode("utf-8"), capture_output=True, timeout=seconds, check=False)  # nosec B603: the program that the person who audits named, without a shell
    except subprocess.TimeoutExpired:
        raise InputError(
            f"The sampler '{name}' did not stop within {counted(round(seconds), 'second', 'seconds')}. It must stop when "
            "its standard input ends. Correct it, or allow more time with --timeout."
        ) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"The sampler '{name}' cannot be started ({why}). Check the command.") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        said = f" Its last message was: {lines[-1][:_QUOTED]}" if lines else ""
        raise InputError(
            f"The sampler '{name}' failed with exit code {done.returncode}. Run it yourself on a few records to see why.{said}"
        )
    return done.stdout
