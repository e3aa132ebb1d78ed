"""Places for tabs: how many there are, what a tab has to say, what is told to whoever finds none, and who comes back in."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest
from starlette.responses import PlainTextResponse
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.shared.hosting import tabs as module
from pages.shared.hosting.door import Paced
from pages.shared.hosting.tabs import Tabs
from pages.shared.hosting.visitors import HEADER
from rrcore.work.web.addresses import Pace

FINE = {"type": "websocket.receive", "bytes": BackMsg(rerun_script={"query_string": "a=1"}).SerializeToString()}
ANN, BOB = "192.0.2.1", "192.0.2.2"


def asked(coroutine):
    """Its result; a browser test may have left an event loop running in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


async def serve(scope, receive, send):
    """A page, or a tab until it ends."""
    if scope["type"] == "http":
        await PlainTextResponse("page")(scope, receive, send)
        return
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        pass
    await send({"type": "websocket.send"})


def scope_of(kind, address, browser, path, session):
    headers = [(HEADER.encode(), browser.encode())] if browser else []
    if kind == "websocket":
        headers.append((b"sec-websocket-protocol", f"streamlit, token{', ' + session if session else ''}".encode()))
    return {"type": kind, "method": "GET", "path": path, "headers": headers, "client": (address, 1)}


class Room:
    """Tabs, and what their visitors see."""

    def __init__(self, most=2, each=2, seconds=30.0):
        self.tabs = Tabs(serve, most=most, each=each, seconds=seconds)

    async def page(self, address=ANN, browser="", path="/"):
        told = []

        async def send(message):
            told.append(message)

        await self.tabs(scope_of("http", address, browser, path, ""), None, send)
        return told[0]["status"], told[1]["body"].decode(), dict(told[0]["headers"])

    @asynccontextmanager
    async def tab(self, address=ANN, browser="", says=(FINE,), session=""):
        """What was sent to a tab that is connected, says this and stays."""
        queue, told = asyncio.Queue(), []
        for message in ({"type": "websocket.connect"}, *says):
            queue.put_nowait(message)

        async def send(message):
            told.append((message["type"], message.get("code")))

        one = asyncio.create_task(self.tabs(scope_of("websocket", address, browser, "/_stcore/stream", session), queue.get, send))
        while queue.qsize() and not one.done():
            await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        try:
            yield told
        finally:
            queue.put_nowait({"type": "websocket.disconnect"})
            await one


OPEN, REFUSED = [("websocket.accept", None)], [("websocket.close", 1013)]


def test_a_tab_speaks_as_a_page_does_or_ends():
    async def speak():
        async with Room().tab() as told:
            assert told == OPEN
        assert told == [*OPEN, ("websocket.send", None)]
        for wrong in ({"text": "hello"}, {"bytes": None, "text": "hello"}, {"bytes": b"\xff\xff"}):
            async with Room().tab(says=[{"type": "websocket.receive"} | wrong]) as told:
                assert told == [*OPEN, ("websocket.close", 1002)]

    asked(speak())


def test_so_many_tabs_and_no_more():
    async def open_some():
        room = Room(most=3, each=2)
        async with (
            room.tab() as one,
            room.tab() as two,
            room.tab() as three,
            room.tab(BOB) as four,
            room.tab("192.0.2.3") as five,
        ):
            assert (one, two, three, four, five) == (OPEN, OPEN, REFUSED, OPEN, REFUSED)
        assert not room.tabs._open
        async with room.tab() as told:
            assert told == OPEN

    asked(open_some())


def test_addresses_of_one_household_are_one_and_those_behind_a_proxy_are_many():
    async def open_some():
        room = Room(most=9, each=1)
        async with room.tab("2001:db8::1") as one, room.tab("2001:db8::2") as two, room.tab("2001:db8:0:1::1") as three:
            assert (one, two, three) == (OPEN, REFUSED, OPEN)

    asked(open_some())


def test_who_finds_no_place_is_told_so_by_the_page_itself():
    """A page came, its websocket was refused again and again, and it stayed blank."""

    async def come():
        room = Room(most=3, each=2)
        assert (await room.page())[:2] == (200, "page")
        async with room.tab(), room.tab():
            for path in ("/", "/budget", "/data/"):
                status, told, headers = await room.page(path=path)
                assert status == 503
                assert "From your address 2 tabs are open, as many as one address may have here: close one of them." in told
                assert 'http-equiv="refresh" content="15"' in told
                assert (headers[b"retry-after"], headers[b"content-type"]) == (b"15", b"text/html; charset=utf-8")
            for path in ("/static/js/index.js", "/_stcore/health", "/favicon.png", "/media/a", "/oauth2callback", "/auth/login"):
                assert (await room.page(path=path))[0] == 200, path
            status, told, _ = await room.page(path="/_stcore/host-config")
            assert (status, told.count("\n")) == (503, 0)
            assert (await room.page(BOB))[0] == 200
            async with room.tab(BOB):
                assert "As many people use this dashboard now as it has room for." in (await room.page("192.0.2.3"))[1]
        assert (await room.page())[0] == 200

    asked(come())


def test_a_tab_that_comes_back_finds_its_place(monkeypatch):
    """Loading a page anew asks for the page while the former connection is open, and connects when it has ended."""

    async def come_back():
        room = Room(most=1, each=1)
        async with room.tab(browser="ann"):
            assert (await room.page(browser="ann"))[0] == 200
            assert (await room.page(browser="ann", path="/_stcore/host-config"))[0] == 503  # a second tab has no place
        for browser, status in (("bob", 503), ("", 503), ("ann", 200)):
            assert (await room.page(BOB, browser))[0] == status
            assert (await room.page(BOB, browser, "/_stcore/host-config"))[0] == status
        async with room.tab(BOB, "bob") as told:
            assert told == REFUSED
        async with room.tab(ANN, "ann") as told:
            assert told == OPEN
        monkeypatch.setattr(module, "GRACE", 0.0)
        async with room.tab(ANN, "ann"):
            pass
        async with room.tab(BOB, "bob") as told:
            assert told == OPEN

    asked(come_back())


def test_a_tab_that_says_nothing_ends_in_time_and_one_that_comes_back_need_not_speak():
    async def wait():
        room = Room(most=2, each=8, seconds=0.05)
        async with room.tab(says=()) as silent, room.tab(says=(), session="known") as back, room.tab(BOB) as other:
            await asyncio.sleep(0.3)
            assert (silent, back, other) == ([*OPEN, ("websocket.close", 1013)], OPEN, REFUSED)
        assert not room.tabs._kept

    asked(wait())


def test_of_the_silent_tabs_of_one_address_the_first_ends():
    async def open_some():
        room = Room(most=90, each=8)
        async with (
            room.tab(says=()) as one,
            room.tab(says=(), session="x") as two,
            room.tab() as spoke,
            room.tab(says=()) as three,
            room.tab(says=()) as four,
            room.tab(BOB, says=()) as other,
        ):
            ended = [*OPEN, ("websocket.close", 1013)]
            assert (one, two, spoke, three, four, other) == (ended, ended, OPEN, OPEN, OPEN, OPEN)

    asked(open_some())


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_an_address_has_its_pace(kind):
    async def ask():
        told = []

        async def send(message):
            told.append(message.get("status", message["type"]))

        async def receive():
            return {"type": "websocket.disconnect"}

        paced = Paced(serve, Pace(2))
        for address in (ANN, ANN, ANN, BOB):
            await paced(scope_of(kind, address, "", "/", ""), receive, send)
            told.append(address)
        return told

    found = asked(ask())
    third = found[[at for at, each in enumerate(found) if each == ANN][1] + 1]
    assert third == (429 if kind == "http" else "websocket.close")
    assert found[-3:-1] != [429, "http.response.body"]
