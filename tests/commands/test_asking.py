"""The commands that make something to ask people with: the form."""

from __future__ import annotations

import pytest

from tests.commands.terminal import run


@pytest.fixture
def mechanism(tmp_path, capsys):
    path = tmp_path / "m.json"
    run(
        capsys, "mechanism", "--design", "q=forced:2/3,1/6,1/6", "--categories", "q=no|yes",
        "--design", "r=k-ary:3/5", "--categories", "r=a|b|c", "--out", path,
    )  # fmt: skip
    return path


def test_a_form_in_another_language(mechanism, tmp_path, capsys):
    out = tmp_path / "form.html"
    code, told, _ = run(capsys, "form", "--mechanism", mechanism, "--language", "pt", "--wording", "q=Já?", "--out", out)
    assert code == 0
    assert told.startswith("form in Português written to")
    assert '<html lang="pt">' in out.read_text(encoding="utf-8")
    assert "Já?" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("form", "--language", "xx"), "invalid choice: 'xx'"),
        (("form", "--wording", "x=?"), "'x=?' is not understood"),
    ],
)
def test_bad_options_end_with_a_sentence(mechanism, tmp_path, capsys, options, message):
    code, _, error = run(capsys, *options, "--mechanism", mechanism, "--out", tmp_path / "out")
    assert code == 2
    assert message in error
    assert not (tmp_path / "out").exists()
