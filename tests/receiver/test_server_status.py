"""The server of a survey as a process of its own: found again by the survey's database, paused, ended, reached in every way offered."""

from __future__ import annotations

import datetime as dt
import io
import ipaddress
import json
import socket
import ssl
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
import zxingcpp
from PIL import Image

from rrcore.asking import invitation_page, qr_code
from rrcore.errors import InputError
from rrcore.limits import MAX_QR_CHARACTERS
from rrcore.receiver import create_store, open_store
from rrcore.receiver import launch as launching
from rrcore.receiver.launch import behind, free_port, here, in_room, start_server
from rrcore.receiver.server_status import end_serving, fault_at, note_served, served_of
from rrcore.receiver.store import SURVEYS
from tests.receiver.phones import asked, line

pytestmark = pytest.mark.long

DAY = dt.date(2026, 3, 1)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def store(tmp_path, mechanism):
    made = create_store(str(tmp_path / "pilot's; survey.survey"), mechanism, title="Pilot; rm -rf '$HOME'")
    yield made
    if (found := served_of(made)) is not None:
        end_serving(made, found)


def test_a_server_is_started_found_again_paused_and_ended(store, mechanism):
    served = start_server(store, here())
    assert served == served_of(open_store(store.place))
    assert (served.host, served.address, fault_at(served, served.address)) == ("127.0.0.1", f"http://localhost:{served.port}", "")
    answers = f"{served.address}/answers"
    first, second = (line(mechanism, (i,) * 8, receipt=f"{i}" * 64) for i in (1, 2))
    assert asked(answers, first)[0] == 200
    with pytest.raises(InputError, match="is already running"):
        start_server(store, here())
    store.pause(DAY)
    assert [asked(served.address)[0], asked(answers, second)[0], asked(answers, first)[0]] == [423, 423, 200]
    store.resume()
    assert [asked(served.address)[0], asked(answers, second)[0]] == [200, 200]
    assert sum(store.by_day().values()) == 2  # the one that came while it was paused was sent again
    end_serving(store, served)
    assert fault_at(served, served.own).startswith("Nothing answers at")
    again = start_server(store, served)
    assert (again.port, again.address, again.run != served.run) == (served.port, served.address, True)
    assert fault_at(served, served.own).startswith("Another program answers at")  # not the run that was known before


STARTED = """
import sys
from rrcore.receiver import open_store
from rrcore.receiver.launch import here, start_server
start_server(open_store(sys.argv[1]), here())
print("started", flush=True)
sys.stdin.read()
"""


def test_the_server_goes_on_when_whoever_started_it_is_killed(store):
    program = [sys.executable, "-c", STARTED, store.place]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as dashboard:
        assert dashboard.stdout.readline() == b"started\n"
        dashboard.kill()
    served = served_of(open_store(store.place))
    time.sleep(0.5)
    assert fault_at(served, served.own) == ""
    (own,) = [
        each for each in psutil.process_iter(["cmdline"]) if f"--db={store.place}" in (each.info["cmdline"] or ())
    ]  # the place is one argument, whatever a shell would make of it
    assert own.parent() is None or own.parent().pid != dashboard.pid
    assert stat.S_IMODE(Path(f"{store.place}.log").stat().st_mode) == 0o600


def test_in_a_room_it_speaks_https_with_a_certificate_of_its_own(store):
    served = start_server(store, in_room(store, "127.0.0.1"))
    assert served.address == f"https://127.0.0.1:{served.port}"
    assert fault_at(served, served.address) == ""
    stranger = replace(served, certificate="")
    assert "is not trusted" in fault_at(stranger, served.address)
    with pytest.raises(urllib.error.URLError) as refused:
        urllib.request.urlopen(served.address, timeout=30)
    assert isinstance(refused.value.reason, ssl.SSLCertVerificationError)
    assert stat.S_IMODE(Path(served.key).stat().st_mode) == 0o600
    certificate = Path(served.certificate).read_bytes()
    with pytest.raises(InputError, match="is already running"):
        start_server(store, in_room(store, "127.0.0.1"))
    assert Path(served.certificate).read_bytes() == certificate  # which is in use
    end_serving(store, served)
    again = start_server(store, served)
    assert again.address == served.address  # people have it
    assert Path(served.certificate).read_bytes() != certificate  # valid from today on
    for wrong in ("www.example.org", "999.1.1.1", ""):
        with pytest.raises(InputError, match="address"):
            in_room(store, wrong)
    with pytest.raises(InputError, match="8600 to 8699 is available"):
        in_room(store, "203.0.113.1")


def test_a_key_is_not_written_into_a_file_of_somebody_else(tmp_path):
    place = tmp_path / "pilot.survey.key.pem"
    place.touch(0o666)
    with place.open() as opened_before:
        launching._write_certificate(tmp_path / "pilot.survey", ipaddress.ip_address("127.0.0.1"))
        assert opened_before.read() == ""
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_a_server_that_cannot_start_says_why(store):
    with pytest.raises(InputError, match=r"The answers cannot be sent to 'http://survey.example.org/answers'"):
        start_server(store, behind("http://survey.example.org"))


def test_a_proxy_that_leads_elsewhere_is_told_and_another_program_at_the_port_not_taken_for_the_server(
    store, tmp_path, mechanism
):
    other = create_store(str(tmp_path / "other.survey"), mechanism, title="Other")
    served = start_server(other, behind("https://127.0.0.1:9/pilot/"))
    assert served.address == "https://127.0.0.1:9/pilot"
    assert fault_at(served, served.own) == ""
    assert fault_at(served, served.address).startswith(
        "Nothing answers at https://127.0.0.1:9/pilot"
    )  # before anybody is invited
    note_served(store, replace(served, run=""))  # as a port that was given to another survey since
    mine = served_of(store)
    assert mine.port == served.port
    assert fault_at(mine, mine.own).startswith("Another program answers at")
    end_serving(store, mine)
    time.sleep(3)
    assert fault_at(served, served.own) == ""  # the other one is not ended by that
    end_serving(other, served)
    note_served(store, replace(mine, run=""))


def test_a_free_port_is_taken(monkeypatch):
    first = free_port("127.0.0.1")
    assert first == here().port
    monkeypatch.setattr(launching, "FIRST_SURVEY_PORT", 1)
    monkeypatch.setattr(launching, "LAST_SURVEY_PORT", 0)
    with pytest.raises(InputError, match=r"127.0.0.1"):
        free_port("127.0.0.1")


def test_a_qr_code_is_read_back_and_an_invitation_holds_no_markup_of_strangers():
    import segno

    address = "https://survey.example.org/pilot?x=1#code=7K3QD-9XW2M-4HTRC"
    svg = qr_code(address)
    assert svg.count("<svg") == 1
    out = io.BytesIO()
    segno.make_qr(address, error="m").save(out, kind="png", scale=6, border=4)
    assert [each.text for each in zxingcpp.read_barcodes(Image.open(out))] == [address]
    page = invitation_page("https://survey.example.org", title="<script>x</script>", introduction="<b>", language_code="fr")
    assert "<script>" not in page
    assert "<b>" not in page
    assert 'lang="fr"' in page
    assert "default-src 'none'; script-src 'none'" in page
    for wrong in ("", "a" * (MAX_QR_CHARACTERS + 1)):
        with pytest.raises(InputError, match="A QR code holds"):
            qr_code(wrong)


def test_what_a_database_says_of_its_server_is_read_strictly(store):
    note_served(store, here(8600))
    with SURVEYS.writing(store.place) as connection:
        connection.execute("UPDATE rr_served SET terms = ?", (json.dumps({"host": 1}),))
    with pytest.raises(InputError, match="host: expected text, got 1"):
        served_of(store)
    note_served(store, here(8600))


class NoWayOut(socket.socket):
    """In a room whose network leads nowhere."""

    def connect(self, address):
        raise OSError(101, "Network is unreachable")


def test_in_a_network_without_internet_this_computer_still_knows_its_address(monkeypatch):
    known = {
        each.address
        for addresses in psutil.net_if_addrs().values()
        for each in addresses
        if each.family == socket.AF_INET and not each.address.startswith("127.")
    }
    monkeypatch.setattr(socket, "socket", NoWayOut)
    found = launching.address_in_network()
    assert found in known if known else found == ""
