"""``rrcore plan`` does not publish the names of rare categories unless the user decides how."""

import json

import pytest

from tests.commands.terminal import run


def planned(capsys, folder, rows, *options):
    """(exit code, standard error, categories in the plan file or None)"""
    table, plan = folder / "table.csv", folder / "plan.json"
    table.write_text("town,sex\n" + "".join(f"{town},{'fm'[i % 2]}\n" for i, town in enumerate(rows)))
    code, _, err = run(capsys, "plan", "--in", table, "--eps", "2", "--out", plan, *options)
    return code, err, json.loads(plan.read_text())["attributes"][0]["categories"] if plan.exists() else None


@pytest.fixture(params=[False, True], ids=["whole", "in batches"])
def towns(request, monkeypatch):
    """A table with a town of 4 people, read whole or in batches."""
    if request.param:
        monkeypatch.setattr("rrcore.commands.table_options.read_in_batches", lambda name: True)
    return ["Oslo"] * 10 + ["Rome"] * 10 + ["Lund"] * 4


def test_rare_names_are_refused(capsys, tmp_path, towns):
    code, err, categories = planned(capsys, tmp_path, towns)
    assert (code, categories) == (2, None)
    assert "'town' (1)" in err
    assert "Lund" not in err
    assert "'sex'" not in err
    for option in ("--merge-rare", "--categories", "--publish-categories"):
        assert option in err


def test_five_people_are_enough(capsys, tmp_path, towns):
    assert planned(capsys, tmp_path, [*towns, "Lund"])[::2] == (0, ["Lund", "Oslo", "Rome"])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--merge-rare"], ["Oslo", "Rome", "(other)"]),
        (["--categories", "town=Rome|Oslo"], ["Rome", "Oslo", "(other)"]),
        (["--categories", "town=Rome|Oslo|Lund|Bern"], ["Rome", "Oslo", "Lund", "Bern"]),
        (["--publish-categories"], ["Lund", "Oslo", "Rome"]),
    ],
)
def test_the_user_decides_about_rare_names(capsys, tmp_path, towns, options, expected):
    assert planned(capsys, tmp_path, towns, *options)[::2] == (0, expected)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--merge-rare", "--publish-categories"], "--publish-categories"),
        (["--categories", "city=a|b"], "'city'"),
        (["--categories", "town=a|b", "--bins", "town=1,2"], "--bins"),
    ],
)
def test_contradicting_choices_are_refused(capsys, tmp_path, options, named):
    code, err, categories = planned(capsys, tmp_path, ["a", "b"] * 9, *options)
    assert (code, categories) == (2, None)
    assert named in err


def test_a_plan_that_is_not_written_is_not_refused(capsys, tmp_path):
    (tmp_path / "table.csv").write_text("town,sex\nOslo,f\nRome,m\n")
    assert run(capsys, "plan", "--in", tmp_path / "table.csv", "--eps", "2")[0] == 0
