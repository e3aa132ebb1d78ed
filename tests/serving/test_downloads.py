"""Files that a page hands to a browser: at addresses that tell nothing, for the session's own visitor, and gone with the session.

Streamlit 1.67 computes the address of a file from its content, above 1 MiB from its length and three samples, and gives it to everybody.
"""

import re
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from streamlit.runtime.memory_media_file_storage import _calculate_file_id

from pages.shared.hosting.sessions import GRACE
from tests.ports import free_port
from tests.serving.conftest import serving
from tests.serving.provider import provider
from tests.serving.test_login import AUTH, Person
from tests.serving.visitor import Browser, Tab, ask

pytestmark = pytest.mark.long
ADDRESS = re.compile(r"/media/[A-Za-z0-9_-]{43}\.[a-z]{3}")  # 256 bits
UNKNOWN = f"/media/{'A' * 43}.csv"


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("sample"), sample=True) as server:
        yield server.port


def table(yes, rows=40, middle=""):
    """What the sample's page holds, by itself."""
    cells = ["yes"] * yes + ["no"] * (rows - yes)
    if middle:
        cells[rows // 3] = middle
    return "".join(f"{number:06},{cell}\n" for number, cell in enumerate(cells)).encode()


def files(tab):
    """Addresses of every kind of file on the page, also of what is made when its button is pressed."""
    return tab.files | {"pressed": tab.press("Made when pressed")}


def said(answer):
    """What an answer tells: all of it but when it was given, and the cookie of a browser that is new."""
    return (
        answer.status_code,
        answer.content,
        {name: text for name, text in answer.headers.items() if name not in ("date", "set-cookie")},
    )


def test_whoever_guesses_a_small_table_learns_nothing(port):
    """40 people, 21 to 24 of them "yes": the addresses of four tables answered 404, 404, 200, 404."""
    with Browser(port).tab() as socket:
        own = files(Tab(socket).open("", "yes=23"))
        guessed = [f"/media/{_calculate_file_id(table(yes), 'text/csv', 'table.csv')}.csv" for yes in range(21, 25)]
        assert [ask(port, address).status for address in guessed] == [404, 404, 404, 404]
        assert set(own) == {"Made before", "pressed", "picture", "sound"}
        assert all(ADDRESS.fullmatch(address) for address in own.values())
        assert len(set(own.values())) == 4


def test_guesses_without_a_cookie_find_nothing(port):
    """Neither those that are computed from every table of so many people, nor the address itself."""
    with Browser(port).tab() as socket:
        own = files(Tab(socket).open("", "yes=23"))
        guesses = [
            f"/media/{_calculate_file_id(table(yes), mime, name)}.csv"
            for yes in range(41)
            for mime in ("text/csv", "text/plain", "application/octet-stream", "")
            for name in ("table.csv", "release.csv", "estimate.csv", None)
        ]
        asked = [*own.values(), *dict.fromkeys(guesses)]
        assert len(asked) > 400

        def found(addresses):
            with httpx.Client(base_url=f"http://localhost:{port}", timeout=60, verify=False) as client:
                for address in addresses:
                    client.cookies.clear()
                    yield client.get(address)

        with ThreadPoolExecutor(4) as asking:
            told = [each for part in asking.map(lambda part: list(found(asked[part::4])), range(4)) for each in part]
        unknown = httpx.get(f"http://localhost:{port}{UNKNOWN}")
        assert len(told) == len(asked)
        assert all(said(answer) == said(unknown) for answer in told)
        assert unknown.status_code == 404


def test_two_tables_that_differ_in_the_middle_have_two_addresses(port):
    """150,000 rows: both had one address, and the second visitor saved the first one's file."""
    first, second = Browser(port), Browser(port)
    with first.tab() as one, second.tab() as other:
        addresses = {}
        for browser, socket, middle in ((first, one, "A"), (second, other, "B")):
            addresses[browser] = files(Tab(socket).open("", f"rows=150000&middle={middle}"))
        assert len(table(21, 150_000, "A")) > 2**20
        assert not {*addresses[first].values()} & {*addresses[second].values()}
        for browser, middle in ((first, "A"), (second, "B")):
            for kind in ("Made before", "pressed"):
                assert browser.get(addresses[browser][kind]).content == table(21, 150_000, middle)


def test_the_same_content_has_an_address_of_its_own_in_every_session(port):
    browser = Browser(port)
    with browser.tab() as one, browser.tab() as other:
        first, second = (files(Tab(socket).open("", "yes=23")) for socket in (one, other))
        assert not {*first.values()} & {*second.values()}
        for address in (*first.values(), *second.values()):  # two tabs of one browser
            assert browser.get(address).status_code == 200


def test_a_page_that_is_run_again_shows_its_files_where_they_were(port):
    with Browser(port).tab() as socket:
        tab = Tab(socket).open("", "yes=23")
        first = files(tab)
        assert files(tab.open("", "yes=23")) == first
        again = files(tab.open("", "yes=24"))
        assert first["sound"] == again["sound"]
        assert not {first["Made before"], first["pressed"]} & {*again.values()}


def test_what_is_asked_of_a_file_is_answered_to_its_visitor_alone(port):
    """By GET, by HEAD, in parts; also where somebody else knows the address, or says to be that visitor."""
    own, other = Browser(port), Browser(port)
    with own.tab() as socket, other.tab() as elsewhere:
        Tab(elsewhere).open("", "yes=23")
        tab = Tab(socket).open("", "yes=23")
        for name, address in files(tab).items():
            whole = own.get(address)
            assert whole.status_code == 200, name
            if name in ("Made before", "pressed"):
                assert whole.content == table(23)
                assert whole.headers["content-disposition"] == 'attachment; filename="table.csv"'
            assert whole.headers["cache-control"] == "no-store"
            head = own.get(address, "HEAD")
            assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(whole.content)))
            part = own.get(address, Range="bytes=2-5")
            assert (part.status_code, part.content) == (206, whole.content[2:6])
            assert own.get(address, Range="bytes=999999-").status_code == 416
            known = ask(port, "/", Cookie=own.cookie()).headers
            assert "Set-Cookie" not in known  # it is known again
            for how in ("GET", "HEAD"):
                unknown = said(other.get(UNKNOWN, how))
                assert unknown[0] == 404
                assert said(other.get(address, how)) == unknown
                assert said(other.get(address, how, Range="bytes=2-5")) == unknown
                assert said(other.get(address, how, Range="bytes=999999-")) == unknown
                assert said(other.get(address, how, rr_visitor="nobody")) == unknown
                assert said(other.get(address, how, rr_visitor="")) == unknown
                assert said(own.get(UNKNOWN, how)) == unknown
            assert own.get(address, "POST").status_code == 405 == own.get(UNKNOWN, "POST").status_code
            for spelt in (
                f"/media//{address[7:]}",
                f"/x/../media/{address[7:]}",
                f"/static/..{address}",
                f"/%6dedia/{address[7:]}",
            ):
                answer = other.get(spelt)
                assert answer.content != whole.content, spelt


def test_that_a_file_is_there_takes_no_time_to_hide(port):
    own, other = Browser(port), Browser(port)
    with own.tab() as socket, other.tab() as elsewhere:
        Tab(elsewhere).open("", "yes=23")
        there, sides = Tab(socket).open("", "rows=150000").press("Made when pressed"), {"there": [], "nowhere": []}
        for _ in range(200):  # in turns: whatever else the machine does, it does to both
            for side, address in (("there", there), ("nowhere", UNKNOWN)):
                begun = time.perf_counter()
                assert other.get(address).status_code == 404
                sides[side].append(time.perf_counter() - begun)
        ratio = statistics.median(sides["there"]) / statistics.median(sides["nowhere"])
        assert 0.8 < ratio < 1.25


def test_what_one_session_offers_no_other_has_made(port):
    with Browser(port).tab() as one, Browser(port).tab() as other:
        own, stranger = Tab(one).open("", "yes=23"), Tab(other).open("", "yes=24")
        stranger.buttons["Made when pressed"].deferred_file_id = own.buttons["Made when pressed"].deferred_file_id
        with pytest.raises(AssertionError, match="Failed to generate file"):
            stranger.press("Made when pressed")


def test_two_dashboards_of_one_computer_share_a_browser(port, tmp_path):
    """Cookies know no ports."""
    with serving(tmp_path, sample=True) as second:
        browser = Browser(port)
        with browser.tab() as one:
            first = files(Tab(one).open("", "yes=23"))
            browser.port = second.port
            browser.get("/")
            with browser.tab() as other:
                assert browser.get(files(Tab(other).open("", "yes=22"))["pressed"]).content == table(22)
                assert browser.get(first["pressed"]).status_code == 404
                browser.port = port
                assert browser.get(first["pressed"]).content == table(23)


def test_two_answers_at_once_leave_a_browser_with_one_mark(port):
    """Two tabs that are opened in the same moment by a browser without cookies: the second answer must not take the first one's place."""
    browser = Browser(port)
    with browser.tab() as socket:
        address = files(Tab(socket).open("", "yes=23"))["pressed"]
        browser.client.cookies.update(Browser(port).client.cookies)  # what a second answer gave
        assert sum(name.startswith("rr_browser_") for name in browser.client.cookies) == 2
        assert browser.get(address).content == table(23)


def test_a_tab_that_lost_its_connection_finds_its_files_again_and_nobody_else_does(port):
    own, other = Browser(port), Browser(port)
    with own.tab() as lost:
        tab = Tab(lost).open("", "yes=23")
        address = tab.press("Made when pressed")
    assert waited(lambda: own.get(address).status_code == 404)  # nobody is connected
    with other.tab(former=tab.id) as socket:
        stranger = Tab(socket).begin()
        assert stranger.id != tab.id
        assert other.get(address).status_code == 404
    with own.tab(former=tab.id) as socket:
        assert Tab(socket).begin().id == tab.id
        assert own.get(address).content == table(23)
        assert other.get(address).status_code == 404
        with other.tab(former=tab.id) as elsewhere:  # also where it is connected
            assert Tab(elsewhere).begin().id != tab.id
        assert own.get(address).content == table(23)


def test_a_file_is_gone_with_its_session(port):
    own = Browser(port)
    with own.tab() as socket:
        tab = Tab(socket).open("", "yes=23")
        addresses = files(tab)
    time.sleep(GRACE + 3)  # it is looked every second
    with own.tab(former=tab.id) as socket:
        again = Tab(socket)
        assert waited(lambda: again.begin().id != tab.id)
        assert [own.get(address).status_code for address in addresses.values()] == [404] * 4


def test_nobody_takes_files_into_or_out_of_the_session_of_another(port):
    """Sessions have names of 122 random bits; whoever read one in a log could put a file into it, or take one away."""
    own, other = Browser(port), Browser(port)
    with own.tab() as socket, other.tab() as elsewhere:
        tab, stranger = Tab(socket).begin(), Tab(elsewhere).begin()

        def upload(browser, method):
            return browser.client.request(
                method,
                f"http://localhost:{port}/_stcore/upload_file/{tab.id}/one",
                files={"file": b"x"} if method == "PUT" else None,
                headers={"X-Xsrftoken": browser.client.cookies["_streamlit_xsrf"]},
            )

        assert upload(own, "PUT").status_code == 204
        for method in ("PUT", "DELETE", "GET"):
            assert (upload(other, method).status_code, upload(other, method).text) == (404, "There is nothing here.\n")
        assert upload(own, "DELETE").status_code == 204
        assert stranger.id != tab.id


def test_below_another_address_files_are_served_too(tmp_path):
    with serving(tmp_path, sample=True, prefix="/rr") as server:
        own, other = Browser(server.port, "/rr"), Browser(server.port, "/rr")
        with own.tab() as socket:
            for address in files(Tab(socket).open("", "yes=23")).values():
                assert own.get(address).status_code == 200
                assert other.get(address).status_code == 404


def test_files_are_behind_the_login(tmp_path):
    """Also of whoever logs in after somebody else in the same browser."""
    port, operator = free_port(), tmp_path / "operator.toml"
    with provider().running() as asked:
        (tmp_path / "secrets.toml").write_text(AUTH.format(port=port, issuer=asked.issuer), encoding="utf-8")
        operator.write_text('secrets = "secrets.toml"', encoding="utf-8")
        with serving(tmp_path, port=port, sample=True, RR_WORKBENCH_OPERATOR=str(operator)):
            browser = Person(port)
            asked.person = "ada"
            browser.log_in()
            with browser.tab() as socket:
                addresses = [*files(Tab(socket).open("", "yes=23")).values()]
                assert [browser.get(address).status_code for address in addresses] == [200] * 4
                stranger = Person(port)
                refused = [stranger.get(address) for address in (*addresses, UNKNOWN)]
                assert {(answer.status_code, answer.content) for answer in refused} == {(403, b"Log in first.\n")}
                asked.person = "bob"
                browser.log_in()  # in another tab: the first one is still connected
                assert [browser.get(address).status_code for address in (*addresses, UNKNOWN)] == [404] * 5
                forged = browser.cookie(
                    _streamlit_user=re.sub(r"^.{12}", "AAAAAAAAAAAA", browser.client.cookies["_streamlit_user"])
                )
                assert ask(port, addresses[0], Cookie=forged).status == 403
                asked.person = "ada"
                browser.log_in()
                assert [browser.get(address).status_code for address in addresses] == [200] * 4


def waited(happens):
    """Whether something happens, now or soon."""
    for _ in range(200):
        if happens():
            return True
        time.sleep(0.05)
    return False
