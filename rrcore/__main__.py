"""The pipeline of the pages without a browser: ``rrcore COMMAND``; ``--help`` lists the commands.

Results go to standard output (JSON with ``--json``), messages to standard error; bad input ends with exit code 2 and one sentence.
A FILE that is called - is standard input or output; where a command's file goes there, its result goes to standard error.
"""

import argparse
import json
import re
import signal
import sys
from collections.abc import Container, Sequence
from importlib import import_module
from typing import Any, NoReturn

from rrcore import __version__
from rrcore.commands.exits import OK, REFUSED, UNREAD
from rrcore.commands.files import PLACES, STANDARD, check_outputs, note, place, say, says_everything
from rrcore.commands.results import RESULT_VERSION
from rrcore.commands.workers import add_workers, check_workers
from rrcore.errors import InputError, need
from rrcore.wording.json_values import finite

COMMANDS = {
    "describe": ("describe", "rows, columns, categories and warnings of a table"),
    "plan": ("plan", "what a record costs at given levels, or which levels a total affords"),
    "simulate": ("simulate", "perturb a table and estimate a marginal from the release"),
    "compare": ("compare", "errors of many schemes on the same simulated releases"),
    "lopub": ("lopub", "a synthetic table from estimated marginals, by LoPub or from other schemes"),
    "keyvalue": ("keyvalue", "frequencies and means of keys, and conditional questions, by every protocol"),
    "mechanism": ("mechanism", "a plan, or designs already in the field, as a mechanism file in integers"),
    "designs": ("designs", "designs of the field by name: paper, level and precision"),
    "certify": ("mechanism", "what a mechanism file promises, in exact arithmetic"),
    "form": ("asking", "the respondents' form: one HTML file that asks and randomises, in several languages"),
    "collect": ("collect", "randomise true answers for real, from the system's entropy"),
    "serve": ("serve", "give out the respondents' form and receive its answers"),
    "invite": ("serve", "codes for a survey that is served, each of which works once"),
    "poll": ("poll", "a question to a class, randomised on its phones, read as answers arrive, and kept nowhere"),
    "answers": ("answers", "what was received, as a table"),
    "read": ("collect", "estimates from answers that were collected this way"),
    "model": ("model", "a regression whose outcome or predictors were randomised"),
    "pause": ("close", "have a survey in the field take no answers for a while"),
    "resume": ("close", "have a paused survey take answers again"),
    "close": ("close", "close a survey in the field: freeze it, record it in a ledger, write its report"),
    "audit": ("audit", "whether a mechanism file, a sampler or randomized answers keep their claim"),
    "ledger": ("ledger", "what has been released about the same people, and what one more release adds"),
    "papers": ("papers", "tables and figures of five papers, measured again"),
    "learn": ("learn", "ten chapters about randomized response: one HTML file to play"),
    "app": ("app", "the dashboard in a browser"),
}
"""Command -> (its module in rrcore.commands, which is imported when the command is chosen; what it does)."""

_FILES_WRITTEN = ("out", "report", "csv", "mechanism_out")


class _Once(argparse._StoreAction):
    """An option that takes one value: a second one would silently take the place of the first."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: object, values: Any, option_string: str | None = None) -> None:
        if option_string:
            given: dict[str, str] = namespace.__dict__.setdefault("given", {})
            if self.dest in given:
                raise argparse.ArgumentError(self, "it is given twice, and holds once")
            given[self.dest] = self.option_strings[0]
        setattr(namespace, self.dest, values)


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one sentence on standard error and exit code 2."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for action in (None, "store"):
            self.register("action", action, _Once)

    def format_help(self) -> str:
        """With an example below that of a command; what that takes is loaded for nothing else."""
        from rrcore.commands.examples import epilog

        name = self.prog.partition(" ")[2]
        self.epilog = epilog(name) if name else None
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        raise InputError(f"The command line was not understood: {message}; see '{self.prog} --help'.")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """The value of an option; what refuses it with a sentence of its own is heard."""
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError as error:
            if isinstance(error.__context__, InputError):
                raise error.__context__ from None
            raise

    def _print_message(self, message: str, file: object = None) -> None:
        say(message, end="")


class _Help(argparse.RawDescriptionHelpFormatter):
    """An example stays on its line, and every option says what holds where it is not given."""

    def _get_help_string(self, action: argparse.Action) -> str:
        help = action.help or ""
        nothing = action.default is None or action.default is False or action.default in ("", argparse.SUPPRESS, [], ())
        given = action.option_strings and not nothing
        return f"{help} (default %(default)s)" if given and "(default" not in help else help


class _PrintCompletion(argparse.Action):
    """Prints what a shell completes the commands, options and files with."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: object, values: Any, option_string: str | None = None) -> None:
        shtab = need("shtab", "Tab completion")
        if values not in shtab.SUPPORTED_SHELLS:
            raise InputError(f"There is no completion for '{values}': choose among {', '.join(shtab.SUPPORTED_SHELLS)}.")
        say(shtab.complete(_parser(COMMANDS, file=shtab.FILE), values))
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns one of the exit codes ``EXITS``."""
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except InputError as error:
        note(str(error))
        return REFUSED
    except BrokenPipeError:
        return UNREAD


def _run(arguments: Sequence[str]) -> int:
    chosen = [argument for argument in arguments if argument in COMMANDS][:1]
    parser = _parser(chosen)
    options = parser.parse_args(arguments)
    check_workers(options, *chosen)
    written = [getattr(options, name, None) for name in _FILES_WRITTEN]
    if not getattr(options, "checks_outputs", False):
        check_outputs(written)
    try:
        result = options.run(options)
    except InputError as error:
        raise _by_options(error, options) from error
    if result is None:
        return OK
    text = _as_json(result | {"kind": chosen[0], "version": RESULT_VERSION}) if options.json else options.tell(result)
    if STANDARD in written:
        note(text)
    else:
        say(text)
    return int(options.code(result)) if hasattr(options, "code") else OK


def _by_options(error: InputError, options: argparse.Namespace) -> InputError:
    """An error that says which option of the command decides: "with 'header'" becomes "with --header"."""

    def option(found: re.Match[str]) -> str:
        return f"with --{found[1].replace('_', '-')}" if hasattr(options, found[1]) else found[0]

    return InputError(re.sub(r"with '(\w+)'", option, str(error)), quoted=error.quoted)


def _as_json(result: Any) -> str:
    return json.dumps(finite(result), ensure_ascii=not says_everything(), allow_nan=False)


def _parser(chosen: Container[str], file: Any = None) -> argparse.ArgumentParser:
    """The whole command line, with the options of the ``chosen`` commands; ``file`` is how a shell completes the names of files."""
    parser = _Parser(prog="rrcore", description=__doc__)
    parser.add_argument("--version", action="version", version=f"rrcore {__version__}")
    parser.add_argument("--print-completion", action=_PrintCompletion, metavar="SHELL", help="print tab completion for a shell")
    add_workers(parser)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    for name, (module, summary) in COMMANDS.items():
        about = summary[0].upper() + summary[1:] + "."
        command = commands.add_parser(name, help=summary, description=about, formatter_class=_Help)
        if name in chosen:
            getattr(import_module(f"rrcore.commands.{module}"), f"add_{name}")(command)
            add_workers(command, again=True)
            command.add_argument("--json", action="store_true", help="print JSON instead of text")
            for action in command._actions:
                if action.metavar == "FILE":
                    action.complete = file  # type: ignore[attr-defined]
                if action.metavar in PLACES:
                    action.type = place
    return parser


def command() -> int:
    """The program ``rrcore``: ``main``, and an interrupt ends it at once and quietly, even while a library is being imported."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return main()


if __name__ == "__main__":
    sys.exit(command())
