import pytest

import rrcore as rr


@pytest.fixture
def survey(tmp_path, monkeypatch):
    """A directory with true answers, a plan and its mechanism file, which is the current one."""
    table = rr.load_demo("titanic")
    plan = rr.Plan(table, 2.0)
    plan.save(tmp_path / "plan.json")
    rr.MechanismFile.from_plan(plan).save(tmp_path / "m.json")
    (tmp_path / "true.csv").write_text(table.to_csv(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path
