"""A command as a terminal runs it, in process."""

import argparse

from rrcore.__main__ import _parser, main


def parser_of(name):
    """The parser of a command."""
    (commands,) = (action for action in _parser([name])._actions if isinstance(action, argparse._SubParsersAction))
    return commands.choices[name]


def run(capsys, *arguments):
    """(exit code, standard output, standard error)"""
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def intervals(found, at=""):
    """Where in a result, printed as JSON, there are intervals: place -> (low, high), which may be lists."""
    if isinstance(found, list):
        return {place: ends for i, each in enumerate(found) for place, ends in intervals(each, f"{at}/{i}").items()}
    if not isinstance(found, dict):
        return {}
    pairs = {f"{at}/{name}": (found[name], found[name.replace("low", "high")]) for name in found if name.endswith("low")}
    pairs |= {f"{at}/{name}": ends for name, ends in (("interval", found.get("interval")),) if ends}
    return pairs | {place: ends for name, each in found.items() for place, ends in intervals(each, f"{at}/{name}").items()}


def check_narrower(wide, narrow):
    """Every interval of the one result lies within that of the other, and is shorter wherever that has a length; numbers only."""
    other = intervals(narrow)
    assert list(intervals(wide)) == list(other)
    for place, ends in intervals(wide).items():
        for low, high, lower, higher in zip(*map(_flat, (*ends, *other[place])), strict=True):
            if isinstance(low, (int, float)):
                assert low <= lower <= higher <= high, place
                assert higher - lower < high - low or low == high, place


def _flat(value):
    return [each for part in value for each in _flat(part)] if isinstance(value, list) else [value]
