"""Every statement with a factor in the README and the pages for users is computed by ``tools/statements.py``."""

import pytest

from tools.statements import ADULT, STATEMENTS, stated


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda one: f"{one.page}: {one.text[:30]}")
def test_the_page_says_what_is_computed(statement):
    assert stated(statement), "the statement is not in its page"
    if not statement.adult:  # whose figures the long test below checks
        assert stated(statement) == statement.measured(ADULT)


@pytest.mark.long
@pytest.mark.skipif(not ADULT.exists(), reason=f"UCI Adult is not part of this repository: save its table as {ADULT}")
@pytest.mark.parametrize("statement", [one for one in STATEMENTS if one.adult], ids=lambda one: one.text[:30])
def test_the_page_says_what_is_computed_on_adult(statement):
    assert stated(statement) == statement.measured(ADULT)
