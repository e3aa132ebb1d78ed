"""A dashboard that is watched: metrics at an address of their own, health of the operator's folders, and lines of the log with their time."""

import json
import re
import time
import urllib.error
import urllib.request

import pytest

from pages.shared.hosting.health import fault_of
from pages.shared.queue import Owner, Queue
from rrcore.work import LostError, Worker
from tests.ports import free_port
from tests.receiver.test_health import fill, small_disk
from tests.receiver.test_metrics import values
from tests.serving.conftest import serving

pytestmark = pytest.mark.long


def asked(port, path, **headers):
    try:
        with urllib.request.urlopen(
            urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers), timeout=60
        ) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_metrics_and_health_tell_of_a_full_disk_that_is_freed(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        (tmp_path / "operator.toml").write_text('ledgers = "disk"\n', encoding="utf-8")
        watched = free_port()
        with serving(tmp_path, "--operator", "operator.toml", "--metrics", str(watched), "--json") as server:

            def until(status):
                for _ in range(600):
                    found = asked(server.port, "/_stcore/health")
                    if found[0] == status:
                        return found[1]
                    time.sleep(0.2)
                pytest.fail(f"health is {found}")

            def scrape():
                return values(asked(watched, "/metrics")[1])

            assert until(200) == "ok"
            before = scrape()
            assert (before["rr_healthy",], before["rr_tabs",], before["rr_jobs_at_work",], before["rr_uploads_bytes",]) == (
                1,
                0,
                0,
                0,
            )
            assert before["rr_memory_bytes",] > 50 * 2**20
            assert 0 < before["rr_disk_free_bytes", "ledgers"] <= 4 * 2**20
            assert asked(server.port, "/", Host="elsewhere.example")[0] == 421
            filler = fill(disk)
            told = json.loads(until(503))
            assert told == {
                "status": "failing",
                "reason": "Nothing can be written to the folder of the ledgers: its disk is full.",
            }
            after = scrape()
            assert (after["rr_healthy",], after["rr_refusals_total", "421"]) == (0, 1)
            filler.unlink()
            assert until(200) == "ok"
            assert asked(server.port, "/metrics")[0] != 200 or "rr_healthy" not in asked(server.port, "/metrics")[1]
        assert all(json.loads(line)["time"] for line in (tmp_path / "server.log").read_text().splitlines())


def test_an_ended_job_is_counted_by_its_reason():
    counted = []
    queue = Queue(is_open=lambda session: True, each=1, all=1)
    queue.ended = counted.append
    for seconds, megabytes, reason in ((0.2, 5000, "time"), (60, 100, "memory")):

        def work(job, seconds=seconds, megabytes=megabytes):
            list(Worker(job.produce, megabytes=megabytes).pieces(seconds=seconds))

        queue._work = work
        job = queue.start(Owner(), "try", None, lambda report: [bytes(2**29) and time.sleep(60)])
        assert job.done.wait(120)
        assert isinstance(job.error, LostError)
        assert counted.pop().why == reason == job.error.why
    assert queue.load == (0, 0)


def test_health_names_the_setting_and_no_place(tmp_path):
    folders = {"ledgers": tmp_path}
    assert (fault_of(folders), list(tmp_path.iterdir())) == ("", [])
    folders["surveys"] = tmp_path / "gone"
    assert fault_of(folders) == "Nothing can be written to the folder of the surveys: it is not there or broken."


@pytest.mark.parametrize("as_json", [False, True])
def test_every_line_of_the_log_has_its_time_whichever_library_says_it(as_json, tmp_path):
    import os
    import subprocess
    import sys

    program = (
        "import logging, warnings, streamlit.logger\n"
        "streamlit.logger.get_logger('streamlit.early')\n"
        "logging.getLogger('uvicorn.access').setLevel('INFO')\n"  # as uvicorn does
        "from pages.shared.hosting import log\n"
        "log.set_up()\n"
        "for name in ('streamlit.early', 'streamlit.late', 'uvicorn.error', 'asyncio'):\n"
        "    logger = streamlit.logger.get_logger(name) if name[0] == 's' else logging.getLogger(name)\n"
        "    logger.error('said by %s', name)\n"
        "warnings.warn('said by Python')\n"
        "logging.getLogger('quiet').info('not said')\n"
        "logging.getLogger('uvicorn.error').setLevel('INFO')\n"
        "logging.getLogger('uvicorn.error').info('%s - WebSocket %s', '10.0.0.7:4711', '/_stcore/stream')\n"
        "logging.getLogger('uvicorn.access').info('not said either')\n"
        "try:\n"
        "    1 / 0\n"
        "except ZeroDivisionError:\n"
        "    logging.getLogger('own').exception('a defect')\n"
    )
    environment = {**os.environ, "RR_WORKBENCH_JSON": "yes" if as_json else ""}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    lines = done.stderr.splitlines()
    if as_json:
        assert [each["message"] for each in map(json.loads, lines)][:4] == [
            f"said by {name}" for name in ("streamlit.early", "streamlit.late", "uvicorn.error", "asyncio")
        ]
        *plain, warned, defect = map(json.loads, lines)
        assert "said by Python" in warned["message"]
        assert (warned["level"], warned["logger"], defect["level"], defect["logger"]) == (
            "warning",
            "py.warnings",
            "error",
            "own",
        )
        assert defect["traceback"].endswith("ZeroDivisionError: division by zero")
        assert not any("traceback" in each for each in (*plain, warned))
    else:
        assert sum(bool(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} (ERROR|WARNING) ", line)) for line in lines) == 6
        assert not any("not said" in line for line in lines)
