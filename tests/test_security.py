"""SECURITY.md names a test for every promise: each of them is there."""

import ast
import re
from functools import cache

from tests.test_house import ROOT

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


@cache
def named_in(file):
    return {node.name for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)}


def test_every_promise_is_tested():
    promises = TEXT.split("## What is promised")[1]
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", promises)
    assert len(named) > 30
    assert [f"{file}::{test}" for file, test in named if test not in named_in(ROOT / file)] == []
    for promise in re.findall(r"^- .*?(?=^- |^\*\*|^Pickles|\Z)", promises, flags=re.MULTILINE | re.DOTALL):
        assert "::test_" in promise, promise


def test_every_file_that_is_named_is_there():
    for place in re.findall(r"`((?:docs|rrcore|pages|tests)/[\w/.]+)(?:::\w+)?`", TEXT):
        assert (ROOT / place).exists(), place


def test_it_is_found_from_the_front_page():
    assert "(SECURITY.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
