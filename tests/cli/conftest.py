from functools import cache

import pytest

import rrcore as rr
from rrcore.auditing import check_answers


@cache
def contents():
    """Texts of a plan, its mechanism file and true answers, by their names."""
    table = rr.load_demo("titanic")
    plan = rr.Plan(table, 2.0)
    return {"plan.json": plan.to_json(), "m.json": rr.MechanismFile.from_plan(plan).to_json(), "true.csv": table.to_csv()}


@pytest.fixture
def survey(tmp_path, monkeypatch):
    """A directory with true answers, a plan and its mechanism file, which is the current one."""
    for name, text in contents().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def rare_alarms(monkeypatch):
    """Audits that accuse by chance 4 times in ten million."""
    monkeypatch.setattr("rrcore.auditing.checks.AUDIT_CONFIDENCE", 1 - 4e-7)
    monkeypatch.setitem(check_answers.__kwdefaults__, "confidence", 1 - 4e-7)
