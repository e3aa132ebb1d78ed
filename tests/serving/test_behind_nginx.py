"""Two processes behind a real nginx, by the configuration in ``deploy``: TLS, websockets, one process a browser, no upload on disk."""

import re
import time
from contextlib import ExitStack

import pytest
from websockets.exceptions import InvalidStatus

from tests.receiver.conftest import mechanism as mechanism
from tests.serving.nginx import NAME, PART
from tests.serving.visitor import Tab

pytestmark = [pytest.mark.slow, pytest.mark.long]


def test_pages_come_over_tls_with_their_headers_and_other_origins_do_not(proxy):
    answer = proxy.ask(f"GET / HTTP/1.1\nHost: {proxy.own}\nConnection: close\n\n").decode()
    assert answer.startswith("HTTP/1.1 200")
    assert f"connect-src 'self' wss://{proxy.own};" in answer
    assert "strict-transport-security" in answer.lower()
    assert proxy.ask(f"GET /_stcore/metrics HTTP/1.1\nHost: {proxy.own}\nConnection: close\n\n").startswith(b"HTTP/1.1 404")
    for origin in (f"http://{proxy.own}", "https://evil.example", f"https://{NAME}"):
        with pytest.raises(InvalidStatus), proxy.tab(proxy.cookies(), origin):
            pass


def test_a_browser_stays_with_one_of_two_processes_and_uploads_never_touch_a_disk(proxy):
    cookies = proxy.cookies()
    with proxy.tab(cookies) as connection:
        opened = Tab(connection).begin()
        for _ in range(8):  # the other process would say that there is no such session; all to one by chance: 1 of 2^8
            assert proxy.upload(opened, cookies, PART).startswith("HTTP/1.1 204")
        assert sum(proxy.serving_tabs()) == 1
        found = []
        answer = proxy.upload(opened, cookies, 20 * PART, lambda: time.sleep(0.2) or found.extend(proxy.files()) or b"")
        assert answer.startswith("HTTP/1.1 204")
        assert [*found, *proxy.files()] == []
        with ExitStack() as others:
            for _ in range(40):  # each goes to either process by a chance of a half: one of them alone serves all by one of 2^40
                others.enter_context(proxy.tab(proxy.cookies()))
                if min(proxy.serving_tabs()) >= 1:
                    break
            assert min(proxy.serving_tabs()) >= 1


def test_a_file_goes_to_its_own_browser_alone_and_its_cookie_by_tls_alone(proxy):
    """Below a proxy a browser is known by a cookie that no other host and no page without TLS can set."""
    own, other = proxy.cookies(), proxy.cookies()

    def fetched(path, cookies):
        cookie = "; ".join(f"{name}={text}" for name, text in cookies.items())
        return proxy.ask(f"GET {path} HTTP/1.1\nHost: {proxy.own}\nCookie: {cookie}\nConnection: close\n\n").decode()

    name = next(name for name in own if "rr_browser_" in name)
    assert name.startswith("__Host-")
    told = proxy.ask(f"GET / HTTP/1.1\nHost: {proxy.own}\nConnection: close\n\n").decode().lower()
    assert re.search("set-cookie: __host-rr_browser_[^;]+; path=/; httponly; samesite=lax; secure", told)
    with proxy.tab(own) as connection:
        address = Tab(connection).open("ledger").press("Save project")
        assert fetched(address, own).startswith("HTTP/1.1 200")
        place = {"rr_place": own["rr_place"]}  # of the same process
        weak = {name.removeprefix("__Host-"): own[name]}
        for cookies in (
            place,
            other | place,
            {**own, name: other[next(each for each in other if "rr_browser_" in each)]},
            place | weak,
        ):
            assert fetched(address, cookies).startswith("HTTP/1.1 404")
