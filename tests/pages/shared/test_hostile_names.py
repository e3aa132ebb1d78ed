"""Names from a file are shown as text on every page: no picture is fetched, no link made, nothing set in bold."""

import re

import pytest

NAME = "![x](https://evil.example/p.png)"
TABLE = f"{NAME},_b_ $c$,*d*\n" + "<b>yes</b>,:red[p],x\nno,q,y\n" * 40 + "no,:red[p],y\n" * 20
WRITTEN = ("markdown", "caption", "warning", "error", "info")


@pytest.mark.slow
@pytest.mark.parametrize("page", ["data", "budget", "perturb", "collect", "audit", "synthesize"])
def test_names_of_columns_cannot_carry_markup(session, page):
    session.upload(TABLE.encode()).go(page)
    texts = [element.value for kind in WRITTEN for element in getattr(session.at, kind)]
    assert texts
    for text in texts:
        assert not re.search(r"(?<!\\)\]\(https", text), text
        assert not re.search(r"(?<!\\)\*d", text), text


@pytest.mark.slow
def test_names_are_escaped_where_a_pair_is_lost(session):
    rows = "".join(f"{'yn'[i % 2]},{'yn'[i // 2 % 2]},{'yn'[i // 4 % 2]}\n" for i in range(80))
    session.upload(f"{NAME},_b_,*d*\n{rows}".encode()).go("budget")
    session.set("slider", "Scale all levels", 0.25).choose("optimal")
    lost, question = session.warnings  # every pair that is lost, and the pair in question with it
    assert all(r"!\[x\]" in warning for warning in (lost, question))
    assert r"\*d\*" in lost
    session.go("perturb")
    (error,) = session.errors
    assert "erases" in error
    assert "](https" not in error.replace(r"\]", "")
