"""Metrics of a receiver: what an operator sees, and that whoever looks every second learns no time of an answer."""

import datetime as dt
import json
import re
import secrets
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from rrcore.__main__ import main
from rrcore.receiver import Submission, create_store, open_store
from rrcore.receiver.app import receiver_app
from rrcore.receiver.metrics import SurveyMetrics
from rrcore.receiver.reach import Terms
from tests.ports import free_port
from tests.receiver.phones import KINDS, ask, finished, line, running, serving

DAY = dt.date(2026, 3, 1)


def values(text):
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_scrape_says_the_same_before_and_after_an_answer_of_the_same_day(place, mechanism):
    store, today = create_store(place, mechanism, title="Pilot"), [DAY]
    store.add([Submission((1,) * 8, secrets.token_bytes(32)) for _ in range(3)], DAY - dt.timedelta(1))
    store.opened(5, DAY - dt.timedelta(1))
    app = receiver_app(store, Terms("https://survey.example.org"), today=lambda: today[0])
    registry = CollectorRegistry()
    registry.register(SurveyMetrics(store, app.state.health, app.state.refused, lambda: today[0]))

    async def people_come():
        async with running(app):
            before = generate_latest(registry)
            seen = []
            for i in range(10):
                body = line(mechanism, (i,) * 8, receipt=secrets.token_hex(32)).encode()
                answers = [
                    await ask(app, "GET", "/"),
                    await ask(app, "POST", "/answers", body),
                    await ask(app, "POST", "/answers", b"{"),
                ]
                assert [status for status, *_ in answers] == [200, 200, 400]
                seen.append(generate_latest(registry))
        return before, seen

    before, seen = finished(people_come())
    assert seen == [before] * 10
    told = values(before.decode())
    assert (told["rr_receiver_healthy",], told["rr_receiver_closed",]) == (1, 0)
    assert (told["rr_receiver_answers_total",], told["rr_receiver_forms_total",]) == (3, 5)
    assert not [name for name in told if "created" in name[0] or name[0].startswith(("process", "python"))]

    today[0] = DAY + dt.timedelta(1)
    told = values(generate_latest(registry).decode())
    assert (told["rr_receiver_answers_total",], told["rr_receiver_forms_total",]) == (13, 15)
    assert told["rr_receiver_refusals_total", "400"] == 10


def test_what_is_wrong_is_told(tmp_path, mechanism):
    place = tmp_path / "place.db"
    store = create_store(str(place), mechanism, title="Pilot")
    app = receiver_app(store, Terms("https://survey.example.org"))
    registry = CollectorRegistry()
    registry.register(SurveyMetrics(store, app.state.health, app.state.refused))
    told = values(generate_latest(registry).decode())
    assert told["rr_receiver_disk_free_bytes",] > 0
    assert re.fullmatch(r"[125]0*", str(int(told["rr_receiver_disk_free_bytes",])))
    place.rename(tmp_path / "away")
    app.state.health.recheck()
    told = values(generate_latest(registry).decode())
    assert told["rr_receiver_healthy",] == 0


@pytest.mark.slow
def test_metrics_have_an_address_of_their_own_and_the_log_says_days(tmp_path, mechanism):
    place, port = str(tmp_path / "place.db"), free_port()
    create_store(place, mechanism, title="Pilot")

    def scrape(host="127.0.0.1"):
        with urllib.request.urlopen(f"http://{host}:{port}/metrics", timeout=30) as answer:
            return answer.read()

    with serving(tmp_path, place, mechanism, "--metrics", str(port), "--json") as (_, address, log):
        before = scrape()
        for i in range(5):
            body = line(mechanism, (i,) * 8, receipt=secrets.token_hex(32)).encode()
            urllib.request.urlopen(urllib.request.Request(f"{address}/answers", body, KINDS), timeout=60).close()
        assert scrape() == before
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{address}/metrics", timeout=30)
        assert open_store(place).answers().n == 5
        listening = [each.split() for each in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        assert [each[1] for each in listening if each[3] == "0A" and each[1].endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]
    (told,) = map(json.loads, log.read_text().splitlines())
    assert told["title"] == "Pilot"


@pytest.mark.parametrize("address", ["70000", "0", "host:", "a b:9108", "http://127.0.0.1:9108"])
def test_an_address_that_is_none_makes_no_survey(address, tmp_path, mechanism, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.json").write_text(mechanism.to_json(), encoding="utf-8")
    command = ("serve", "--mechanism", "m.json", "--db", "pilot.survey", "--title", "Pilot", "--port", "0")
    assert main((*command, "--metrics", address)) == 2
    assert capsys.readouterr().err.startswith("The address of the metrics is")
    assert not (tmp_path / "pilot.survey").exists()
