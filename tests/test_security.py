"""SECURITY.md names a test for every promise: each of them is there."""

import re

from tests.test_house import ROOT


def test_every_promise_is_tested():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert len(named) > 15
    missing = [(file, test) for file, test in named if f"def {test}(" not in (ROOT / file).read_text(encoding="utf-8")]
    assert missing == []
