"""Names of files and places that options take: an empty one, as of a variable that a shell does not know, is never the current folder."""

import argparse

import pytest

from rrcore import __main__ as main_module
from rrcore.commands.files import PLACES
from rrcore.errors import InputError
from rrcore.table.opening import open_stream
from tests.commands.terminal import run


def options_of_places():
    """(command, option, how many words it takes) of each option that names a file or a place."""
    parser = main_module._parser(main_module.COMMANDS)
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return [
        (name, action.option_strings[0], 2 if isinstance(action.metavar, tuple) else 1)
        for name, command in commands.choices.items()
        for action in command._actions
        if action.metavar in PLACES
    ]


OPTIONS = options_of_places()


@pytest.mark.parametrize("first", ["", "  "])
def test_an_empty_name_is_refused(first, capsys, tmp_path, monkeypatch):
    """Of every option, empty or spaces in turns."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "true.csv").write_text("smokes\nno\nyes\n")
    for number, (command, option, words) in enumerate(OPTIONS):
        empty = "" if (number % 2 == 0) == (first == "") else "  "
        code, out, err = run(capsys, command, option, *[empty] * words)
        assert (code, out) == (2, ""), (command, option, empty)
        assert f"argument {option}: the name is empty, give that of a file or place" in err, (command, option, empty)
        assert err.count("\n") == 1, (command, option, empty)
        assert [each.name for each in tmp_path.iterdir()] == ["true.csv"], (command, option, empty)


def test_options_that_name_files_are_among_them():
    found = {option for _, option, _ in OPTIONS}
    assert {"--in", "--out", "--db", "--mechanism", "--answers", "--report", "--ledger", "--tls"} <= found
    assert {"--population-sizes", "--csv", "--survey", "--plan"} <= found


def test_the_library_does_not_read_the_current_folder_either(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "true.csv").write_text("smokes\nno\nyes\n")
    for place in ("", [""]):
        with pytest.raises(InputError, match="No file"):
            open_stream(place)
