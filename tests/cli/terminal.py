"""A command as a terminal runs it, in process."""

import json

from rrcore.cli import main


def run(capsys, *arguments):
    """(exit code, standard output, standard error)"""
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def result(capsys, *arguments):
    """What a command finds, as JSON."""
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def refused(capsys, *arguments):
    """The message of a command that fails: one line on standard error, nothing on standard output."""
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, ""), err
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    return err
