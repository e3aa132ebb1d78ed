"""A command as a terminal runs it, in process."""

from rrcore.__main__ import main


def run(capsys, *arguments):
    """(exit code, standard output, standard error)"""
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err
