"""Names from a file are shown as text where what is wrong with a plan is said."""

import pytest

NAME = "![x](https://evil.example/p.png)"


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
