"""Where long calculations of the dashboard go: to the operator's cluster, or nowhere."""

import pytest

from pages.shared.hosting import cluster
from pages.shared.hosting.operator import Operator
from rrcore.errors import InputError


def test_without_a_scheduler_a_job_does_its_work_itself():
    with cluster.opened() as executor:
        assert executor is None


def test_with_one_it_goes_there(monkeypatch):
    asked = []
    monkeypatch.setattr(cluster, "operator", lambda: Operator(scheduler="tcp://cluster:8786"))
    monkeypatch.setattr(cluster, "open_executor", asked.append)
    cluster.opened()
    assert asked == ["tcp://cluster:8786"]


def test_a_scheduler_that_does_not_answer_is_said(monkeypatch):
    pytest.importorskip("distributed", reason="a cluster needs Dask: install rr-workbench[cluster]")
    monkeypatch.setattr("rrcore.work.cluster._SECONDS", 0.1)
    monkeypatch.setattr(cluster, "operator", lambda: Operator(scheduler="tcp://localhost:1"))
    with pytest.raises(InputError, match="No Dask scheduler answers at 'tcp://localhost:1'"):
        cluster.opened()
