"""The command line: each command reads its options, calls the library and prints the result."""

import os
import re
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

from cyclopts import App, CycloptsError, Group, Parameter

from rrcore.cli.output import USUAL, CheckFailedError, Result, note, stop_progress
from rrcore.errors import InputError
from rrcore.wording import legible

COMMANDS = {
    "app": ("dashboard:app", "Open the dashboard in a browser."),
    "describe": ("planning:describe", "Describe the columns of a table."),
    "plan": ("planning:plan", "Plan a mechanism for given epsilons or a privacy budget."),
    "mechanism": ("planning:mechanism", "Create or check a mechanism file."),
    "simulate": ("planning:simulate", "Simulate a release of a table and compare estimates with the truth."),
    "release": ("release:release", "Randomize true answers for publication."),
    "survey": ("survey:survey", "Run a survey that randomizes answers on respondents' devices."),
    "analyze": ("analysis:analyze", "Estimate shares and associations from randomized answers."),
    "fit": ("analysis:fit", "Fit a regression to randomized answers."),
    "audit": ("analysis:audit", "Test a mechanism file, a sampler or answers against the claimed ε."),
    "ledger": ("ledger:ledger", "Record releases about the same people."),
    "learn": ("teaching:learn", "Write ten playable chapters, or poll a class."),
    "papers": ("papers:papers", "Recompute results of five papers, and apply their methods."),
}
"""Command -> (where it is, what it is about). A command is imported when it is used."""

Json = Annotated[bool, Parameter(group=Group("Every command", sort_key=100))]

app = App(
    name="rrcore",
    help="RR Workbench plans and analyzes surveys in which randomized response protects every answer. It chooses mechanisms under local "
    "differential privacy, randomizes tables or survey forms, and estimates shares with confidence intervals.",
    version=import_module("rrcore").__version__,
    version_flags=["--version"],
    result_action="return_value",
    print_error=False,
    exit_on_error=False,
    suppress_keyboard_interrupt=False,
    group_parameters=Group("Parameters", sort_key=0),
    default_parameter=USUAL,
)
app.meta.suppress_keyboard_interrupt = False
for _name, (_place, _about) in COMMANDS.items():
    app.command(f"rrcore.cli.{_place}", name=_name, help=_about)
app.register_install_completion_command()


@app.meta.default
def _launch(*words: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)], json: Json = False) -> int:
    """Run a command.

    Parameters
    ----------
    json
        JSON output instead of text
    """
    result = app(words)
    if isinstance(result, Result):
        to = sys.stderr if result.out == "/dev/stdout" else sys.stdout
        print(result.to_json() if json else legible(result.text()), file=to, flush=True)
        return int(result.failed)
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Returns
    -------
    int
        0 on success, 1 if a check failed, 2 for invalid input, 130 after Ctrl+C, or 141 if the output is closed.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_args, **_more: note(_options(str(message)))
            return int(app.meta(list(sys.argv[1:] if arguments is None else arguments)) or 0)
    except CycloptsError as error:
        return _refuse(_usage(error))
    except CheckFailedError as error:
        _refuse(str(error))
        return 1
    except InputError as error:
        return _refuse(_options(str(error)))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
    finally:
        stop_progress()


def _options(message: str) -> str:
    """Return a message of the library with options instead of arguments."""
    message = re.sub(r"with '(\w+)' ?", r"with --read \1=", message)
    return re.sub(r"\b(columns|bins|rare|missing)=(\w*)", lambda found: f"--{found[1]} {found[2]}".rstrip(), message)


def _usage(error: CycloptsError) -> str:
    """Return what is wrong with the options and where to look."""
    error.verbose = False
    command = " ".join(["rrcore", *(error.command_chain or ())])
    return f"{error} See '{command} --help'."


def _refuse(message: str) -> int:
    note(f"Error: {message}")
    return 2
