"""What fuzzing begins with and what it ever found, run for good; the search itself is ``make fuzz``."""

import json
from importlib import import_module
from pathlib import Path

import pytest

from fuzz import TARGETS
from fuzz.documents import nodes, text_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("target", TARGETS)
def test_seeds_and_former_findings_are_read_or_refused(target):
    module = import_module(f"fuzz.{target}")
    found = [file.read_bytes() for file in sorted((ROOT / "fuzz" / "found" / target).glob("*"))]
    read = [module.check(data) for data in (*module.SEEDS[:: max(1, len(module.SEEDS) // 40)], *found)]
    assert read[0]
    assert not module.check(b"\x00{")


def test_every_finding_belongs_to_a_target():
    assert {place.name for place in (ROOT / "fuzz" / "found").iterdir() if place.is_dir()} <= set(TARGETS)


def test_changes_reach_every_place_of_a_document():
    good = '{"a": [1, {"b": 2}], "c": "x"}'
    reached = {text_of(b"\x01" + bytes([0, n]) + b'"new"', good) for n in range(len(list(nodes(json.loads(good)))))}
    assert len(reached) == 5
    assert all(b'"new"' in text for text in reached)
