"""A dashboard without a proxy and one address that opens more than it is given: whoever comes from elsewhere is served."""

import time
from contextlib import ExitStack

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import InvalidStatus

from tests.crowd import ELSEWHERE, HALF, crowd, ended, served_in_time, wait_for
from tests.serving.conftest import serving
from tests.serving.visitor import Browser, Tab, stream

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crowd")
    (folder / "operator.toml").write_text("unfinished_per_address = 100\nunfinished_seconds = 8\n", encoding="utf-8")
    with serving(folder, "--operator", "operator.toml") as started:
        yield started


def test_two_thousand_half_sent_requests_of_one_address_end_and_keep_nobody_out(server):
    """The finding: all of them stayed open, for as long as they liked."""
    with crowd(server.port, 2000, HALF) as connections:
        assert served_in_time(server.port)
        wait_for(lambda: ended(connections) == 2000, 60)


@pytest.mark.parametrize("says", [b"", BackMsg(app_heartbeat=True).SerializeToString()], ids=["silent", "speaking"])
def test_three_hundred_tabs_of_one_address_leave_places_for_others(server, says):
    """The finding: 500 idle websockets, and everybody else had a blank page."""
    with ExitStack() as opened:
        refused = 0
        for _ in range(300):
            try:
                one = opened.enter_context(stream(server.port, source=ELSEWHERE))
                if says:
                    one.send(says)
            except InvalidStatus:
                refused += 1
        assert refused == (100 if says else 0)
        assert served_in_time(server.port)
        Tab(opened.enter_context(stream(server.port, origin=f"http://localhost:{server.port}"))).begin()


def test_an_upload_that_stands_still_ends(server):
    """It has the time that every connection has which waits: no more, and no rule of its own."""
    browser = Browser(server.port)
    with browser.tab() as socket:
        tab = Tab(socket).begin()
        head = (
            f"PUT /_stcore/upload_file/{tab.id}/one HTTP/1.1\r\nHost: localhost:{server.port}\r\nCookie: {browser.cookie()}\r\n"
            f"X-Xsrftoken: {browser.client.cookies['_streamlit_xsrf']}\r\nContent-Type: multipart/form-data; boundary=cut\r\n"
            "Content-Length: 100000\r\n\r\n--cut\r\n"
        )
        with crowd(server.port, 1, head.encode()) as [upload]:
            wait_for(lambda: ended([upload]))
        tab.open()


def test_connections_that_say_nothing_end_nobodys_session(server):
    """Each left a session, and the 129th without a tab pushed the first one out, whosever that was."""
    browser = Browser(server.port)
    with browser.tab() as socket:
        own = Tab(socket).open().id
    opened, until = 0, time.monotonic() + 5  # the server looks every 2.5 s, and gives 15 to come back
    while opened < 200 or time.monotonic() < until:
        with stream(server.port, source="127.0.0.3"):  # one that no other test has filled
            opened += 1
        time.sleep(0.01)  # some hundreds in these 5 s: more of them would keep the processors busy and show no more
    with browser.tab(own) as socket:
        assert Tab(socket).open().id == own
