"""Two people's processes behind a real nginx, by the configuration in ``deploy``: TLS, websockets, one process a name, no upload on disk."""

import time

import pytest
from websockets.exceptions import InvalidStatus

from tests.serving.nginx import NAME, PART, proxied
from tests.serving.visitor import Tab

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    with proxied(tmp_path_factory.mktemp("nginx")) as started:
        yield started


def test_pages_come_over_tls_and_other_origins_do_not(proxy):
    cookies = proxy.cookies("ada")
    answer = proxy.ask("ada", "GET / HTTP/1.1", Cookie=cookies)
    assert answer.startswith("HTTP/1.1 200")
    assert f"connect-src 'self' wss://{proxy.own('ada')};" in answer
    assert "strict-transport-security" in answer.lower()
    for origin in (f"http://{proxy.own('ada')}", "https://evil.example", f"https://{proxy.own('bob')}", f"https://ada.{NAME}"):
        with pytest.raises(InvalidStatus), proxy.tab("ada", cookies, origin):
            pass


def test_each_name_leads_to_one_process_and_needs_its_token(proxy):
    answer = proxy.ask("ada", f"GET /?token={proxy.servers['ada'].token} HTTP/1.1")
    assert answer.startswith("HTTP/1.1 303")
    assert "secure" in answer.lower().partition("set-cookie: rr_workbench_")[2].partition("\r\n")[0]
    for name, other in (("ada", "bob"), ("bob", "ada")):
        assert proxy.ask(name, "GET / HTTP/1.1", Cookie=proxy.cookies(name)).startswith("HTTP/1.1 200")
        assert proxy.ask(name, "GET / HTTP/1.1", Cookie=proxy.cookies(other)).startswith("HTTP/1.1 403")
        assert proxy.ask(name, f"GET /?token={proxy.servers[other].token} HTTP/1.1").startswith("HTTP/1.1 403")


def test_uploads_never_touch_a_disk(proxy):
    cookies = proxy.cookies("ada")
    with proxy.tab("ada", cookies) as connection:
        opened, found = Tab(connection).open(), []
        half_way = lambda: time.sleep(0.2) or found.extend(proxy.files()) or b""  # noqa: E731
        assert proxy.upload("ada", opened, cookies, 20 * PART, half_way).startswith("HTTP/1.1 204")
        assert [*found, *proxy.files()] == []
