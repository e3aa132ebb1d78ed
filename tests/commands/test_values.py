"""What an option takes: each type makes a value of a text, or says in one sentence what is wrong with it, whichever command it is of."""

import argparse
import datetime as dt

import pytest

from rrcore.commands.values import adder, day, named_part, number, port, quantity, seed, whole
from rrcore.errors import InputError
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile
from rrcore.promise.integers import integer_groups
from rrcore.table import Attribute, Schema
from tests.commands.terminal import run


@pytest.mark.parametrize(
    ("takes", "text", "value"),
    [
        (whole("number of people"), " 12 ", 12),
        (whole("number of runs", None), "0", 0),
        (seed, "0", 0),
        (number, "1e3", 1000.0),
        (quantity("precision", "a number"), "inf", float("inf")),
        (day("day"), "2026-01-31", dt.date(2026, 1, 31)),
        (port(), "65535", 65535),
        (port(0), "0", 0),
    ],
)
def test_what_is_understood(takes, text, value):
    assert takes(text) == value


@pytest.mark.parametrize(
    ("takes", "text", "message"),
    [
        (whole("number of people"), "0", "The number of people is '0': give a whole number of at least 1."),
        (whole("number of runs", None), "1e5", "The number of runs is '1e5': give a whole number."),
        (seed, "٣", "The seed is '٣': give a whole number of at least 0."),
        (number, "inf", "'inf' is not one number: give one, for example 1."),
        (number, "1,2", "'1,2' is not one number: give one, for example 1."),
        (quantity("precision", "a number, for example 2"), "nan", "The precision is 'nan': give a number, for example 2."),
        (day("date"), "31.1.2026", "The date is '31.1.2026': write it like 2026-01-31."),
        (port(), "0", "The port is '0': give a whole number from 1 to 65535."),
        (port(0), "99999", "The port is '99999': give a whole number from 1 to 65535."),
    ],
)
def test_what_is_refused(takes, text, message):
    with pytest.raises(InputError) as refused:
        takes(text)
    assert str(refused.value) == message


def test_a_refusal_is_all_that_a_command_says(capsys):
    """Even where other options are missing: it is what was typed."""
    assert run(capsys, "keyvalue", "--seed", "x") == (2, "", "The seed is 'x': give a whole number of at least 0.\n")


def test_help_names_what_is_taken_and_every_default(capsys):
    with pytest.raises(SystemExit):
        run(capsys, "keyvalue", "--help")
    text = " ".join(capsys.readouterr().out.split())
    assert "--seed N seed of the simulation (default 0)" in text
    assert "--having HAVING with --ask: keys that users have, for example a,b --lacking" in text  # nothing by default


def test_options_are_named_by_what_they_take_unless_they_say_otherwise():
    parser = argparse.ArgumentParser()
    add = adder(parser)
    add("--a", "a file", "FILE")
    add("--b", "a number", whole("b"), metavar="SECONDS")
    add("--c", "a list", str.split)
    add("--d", "a choice", {"one": 1, "two": 2})
    assert [action.metavar for action in parser._actions[1:]] == ["FILE", "SECONDS", None, None]
    given = ["--a", "x", "--b", "2", "--c", "y z", "--d", "two"]
    assert parser.parse_args(given) == argparse.Namespace(a="x", b=2, c=["y", "z"], d="two")
    assert parser._actions[-1].choices == ("one", "two")


@pytest.mark.parametrize("text", ["smokes", "=yes", " = yes"])
def test_a_text_without_a_name_in_front_of_its_sign_is_refused_with_what_was_expected(text):
    assert named_part(" smokes =yes=no", "") == ("smokes", "yes=no")
    with pytest.raises(InputError, match=f"^'{text}' is not understood: write --among 'attribute=answer'.$"):
        named_part(text, "--among 'attribute=answer'")


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("plan --eps 1 --categories smokes=no|yes --categories smokes=no|yes|refused", "--categories"),
        ("plan --in demo:titanic --eps 1 --bins Sex=1,2 --bins Sex=1", "--bins"),
        ("read --mechanism m.json --in a.csv --scores age=1,2,3 --scores age=1,2,4", "--scores"),
        ("form --mechanism m.json --wording age=Old? --wording age=Young? --out f.html", "--wording"),
    ],
)
def test_an_option_is_given_once_for_each_attribute(capsys, tmp_path, monkeypatch, words, option):
    """The second one would silently take the place of the first."""
    monkeypatch.chdir(tmp_path)
    schema = Schema((Attribute("age", ("young", "middle", "old"), "ordinal"),))
    MechanismFile(schema, integer_groups(build("kronecker", (3,), [1.0]))).save("m.json")
    (tmp_path / "a.csv").write_text("age\nyoung\nold\nold\n", encoding="utf-8")
    code, out, err = run(capsys, *words.split())
    name = words.partition(f"{option} ")[2].partition("=")[0]
    assert (code, out) == (2, "")
    assert err == f"{option} is given twice for '{name}': give it once for each attribute.\n"
    assert not (tmp_path / "f.html").exists()
