"""The command keyvalue: estimates of every key, and conditional questions in every way."""

import json

import pytest

from rrcore.research.keyvalue import PROTOCOLS
from tests.commands.terminal import run


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_prints_every_key(capsys, protocol):
    code, out, _ = run(capsys, "keyvalue", "--eps", "2", "--users", "20000", "--key-count", "5", "--protocol", protocol, "--json")
    result = json.loads(out)
    assert code == 0
    assert len(result["estimates"]["frequency"]) == len(result["keys"]) == 5
    assert result["exact_level"] <= 2 + 1e-9
    for found, error, true in zip(
        *(result["estimates"][k] for k in ("frequency", "frequency_error", "true_frequency")), strict=True
    ):
        assert abs(found - true) < 6 * error


def test_ratings_of_a_file_and_a_question(capsys, tmp_path):
    rows = "".join(f"u{i},tea,{1 + i % 5}\n" + (f"u{i},beer,5\n" if i % 2 else "") for i in range(3000))
    (tmp_path / "r.csv").write_text(f"user,key,value\n{rows}")
    arguments = ("keyvalue", "--in", tmp_path / "r.csv", "--bounds", "1,5", "--keys", "tea,beer", "--eps", "4")
    _, out, _ = run(capsys, *arguments, "--json")
    assert json.loads(out)["estimates"]["true_frequency"] == [1.0, 0.5]
    assert out.startswith('{"note": "contains true shares: do not publish"')
    code, out, _ = run(capsys, *arguments, "--ask", "beer", "--having", "tea", "--json")
    question = json.loads(out)["question"]
    assert code == 0
    assert question["truth"] == {"frequency": 0.5, "mean": 1.0}
    assert set(question["answers"]) == {"ioh", "rr-ind-joint", "pair-safe", "design"}
    for answer in question["answers"].values():
        assert abs(answer["frequency"] - 0.5) < 6 * answer["frequency_error"]
    assert "beer among users having tea" in run(capsys, *arguments, "--ask", "beer", "--having", "tea")[1]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--eps", "0"], "level is 0"),
        (["--eps", "1", "--split", "0", "--protocol", "privkv"], "share of the level for the key is 0"),
        (["--eps", "1", "--key-count", "1001"], "cannot be made"),
        (["--eps", "1", "--ask", "tea"], "There is no key 'tea'"),
        (["--eps", "1", "--ask", "key 1", "--having", "key 1"], "also a condition"),
        (["--eps", "1", "--default", "3", "--protocol", "f2m"], "default value is 3"),
        (["--eps", "1", "--in", "nowhere.csv"], "cannot be read"),
        (["--eps", "1", "--in", "demo:titanic", "--columns", "Class,Sex"], "does not name three columns"),
        (["--eps", "1", "--in", "demo:titanic", "--columns", "Class,Sex,Age"], "is not a number"),
        (["--eps", "1", "--in", "demo:titanic", "--bounds", "1"], "are not two numbers"),
        (
            ["--eps", "1", "--split", ".3", "--rounds", "3"],
            "Protocol 'kvue' has no use for this: leave out --split and --rounds.",
        ),
        (["--eps", "1", "--ask", "key 1", "--protocol", "f2m"], "is answered in every way: leave out --protocol."),
        (["--eps", "1", "--in", "r.csv", "--users", "9"], "'r.csv' has ratings, and none are invented: leave out --users."),
        (["--eps", "1", "--wide", "--header", "no"], "no file is read without --in: leave out --wide and --header."),
        (["--eps", "1", "--in", "demo:titanic", "--wide", "--keys", "Sex", "--top", "3"], "leave out --top."),
    ],
)
def test_bad_input_gets_one_sentence(capsys, more, message):
    code, out, err = run(capsys, "keyvalue", *more)
    assert (code, out) == (2, "")
    assert message in err
    assert err.strip().endswith(".")


def test_a_mean_that_no_interval_holds_is_called_biased(capsys):
    asked = ("keyvalue", "--users", "20000", "--key-count", "2", "--frequency", ".1", "--mean", "-.6", "--eps", "2")
    for protocol, said in (("privkv", True), ("kvue", False)):
        _, out, _ = run(capsys, *asked, "--protocol", protocol)
        assert ("This estimator is biased" in out) == said
        assert (
            any("biased" in note for note in json.loads(run(capsys, *asked, "--protocol", protocol, "--json")[1])["notes"])
            == said
        )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--users", "2.5"), "The number of users is '2.5': give a whole number of at least 1."),
        (("--key-count", "2.5"), "The number of keys is '2.5': give a whole number of at least 1."),
        (("--top", "-1"), "The number of keys is '-1': give a whole number of at least 1."),
        (("--rounds", "0"), "The number of rounds is '0': give a whole number of at least 1."),
        (("--having", "tea"), "--having and --lacking say whose key is asked about: add --ask with the key."),
    ],
)
def test_numbers_that_are_not_whole_and_conditions_of_no_question_are_refused(arguments, said, capsys):
    """2.5 users were 2, and -1 rounds none."""
    code, out, err = run(capsys, "keyvalue", "--eps", "2", f"{arguments[0]}={arguments[1]}")
    assert (code, out, err.strip()) == (2, "", said)
