"""The command ``designs``: the list, what a design gives away and how precise it is."""

import json

import pytest

from rrcore.designs import DESIGNS
from tests.commands.terminal import run


def test_every_design_is_listed_with_its_paper(capsys):
    code, out, _ = run(capsys, "designs")
    assert code == 0
    for key, design in DESIGNS.items():
        assert f"{key}: {design.title}." in out
        assert design.source in out
    code, out, _ = run(capsys, "designs", "--json")
    assert [one["name"] for one in json.loads(out)["designs"]] == list(DESIGNS)


@pytest.mark.parametrize("key", DESIGNS)
def test_every_design_is_shown_with_its_example(capsys, key):
    code, out, _ = run(capsys, "designs", key)
    assert code == 0
    assert f"Numbers (its example): {DESIGNS[key].example}" in out
    assert "asked openly" in out


def test_the_channel_is_exact(capsys):
    code, out, _ = run(capsys, "designs", "kuk", "--numbers", "3/5, 1/5, 2", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["channel"] == [["16/25", "8/25", "1/25"], ["4/25", "12/25", "9/25"]]
    assert found["level"]["odds"] == "9"
    assert found["error"] == pytest.approx(0.0266, abs=5e-5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "no design 'nothing'"),
        (["warner", "--numbers", "1/2"], "nothing can be estimated"),
        (["warner", "--sizes", "3"], "is for two answers"),
        (["matrix", "--numbers", "1,0;0,1", "--sizes", "3"], "give one for each of 3 answers"),
    ],
)
def test_mistakes_get_one_sentence(capsys, words, message):
    code, _, error = run(capsys, "designs", *words)
    assert code == 2
    assert message in error
