"""Room for uploads and for tabs: what is refused, when, and what becomes of those that break off."""

import asyncio
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.shared.hosting import uploads
from pages.shared.hosting.tabs import Tabs
from pages.shared.hosting.uploads import Uploads

HELD = Counter(ann=700, bob=200)


@pytest.fixture(autouse=True)
def held(monkeypatch):
    monkeypatch.setattr(uploads, "held", lambda: HELD)


def asked(coroutine):
    """Its result; a browser test may have left an event loop running in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


async def taken(scope, receive, send):
    """Reads an upload to its end, as Streamlit does."""
    await PlainTextResponse(str(len(await Request(scope, receive).body())))(scope, receive, send)


def uploaded(room, session, *parts, announced=None):
    """Status and text of the answer to an upload in these parts; a part that is a message is received as it stands."""
    told = {}
    queue = [each if isinstance(each, dict) else {"type": "http.request", "body": each, "more_body": True} for each in parts]
    queue.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive():
        if queue[0]["type"] == "http.nothing":
            await asyncio.sleep(60)
        return queue.pop(0)

    async def send(message):
        told.setdefault("status", message.get("status"))
        told["body"] = told.get("body", b"") + message.get("body", b"")

    headers = [] if announced is None else [(b"content-length", str(announced).encode())]
    scope = {"type": "http", "method": "PUT", "path": f"/_stcore/upload_file/{session}/one", "headers": headers}
    asked(room(scope, receive, send))
    return told.get("status"), told.get("body", b"").decode()


def test_there_is_room_for_one_tab_and_for_all():
    room = Uploads(taken, each=1000, all=1200)
    assert uploaded(room, "ann", b"x" * 100, b"x" * 100) == (200, "200")
    assert uploaded(room, "bob", b"x" * 300) == (200, "300")
    status, told = uploaded(room, "ann", b"x" * 100, b"x" * 201)
    assert (status, told) == (413, "This tab has uploaded as much as it may: load its page anew, or open another one.\n")
    status, told = uploaded(room, "bob", b"x" * 301)
    assert (status, told) == (
        413,
        "There is no room for more uploads at the moment: try again when others have closed their tabs.\n",
    )
    assert uploaded(room, "eve", b"x" * 100, announced=301)[0] == 413  # before a byte of it is taken
    assert uploaded(room, "eve", b"x" * 300, announced=300)[0] == 200
    assert not room.coming


def test_what_is_on_its_way_counts():
    room = Uploads(taken, each=1000, all=1200, coming=Counter(eve=250))
    assert uploaded(room, "bob", b"x" * 50)[0] == 200
    assert uploaded(room, "bob", b"x" * 51)[0] == 413
    assert room.coming == Counter(eve=250)


def test_an_upload_that_comes_to_a_halt_is_ended_and_one_that_breaks_off_is_forgotten(monkeypatch):
    monkeypatch.setattr(uploads, "_HALT", 0.01)
    room = Uploads(taken, each=1000, all=1200)
    assert uploaded(room, "bob", b"x", {"type": "http.nothing"}) == (408, "The upload came to a halt: try again.\n")
    assert uploaded(room, "bob", b"x", {"type": "http.disconnect"}) == (None, "")
    assert not room.coming


def connected(tabs, *messages):
    """What is sent to a tab that sends these messages, and what reaches the server."""
    queue, told, heard = [{"type": "websocket.connect"}, *messages, {"type": "websocket.disconnect"}], [], []

    async def receive():
        return queue.pop(0)

    async def send(message):
        told.append(message)

    async def serve(scope, receive, send):
        await send({"type": "websocket.accept"})
        while not heard or heard[-1]["type"] != "websocket.disconnect":
            heard.append(await receive())
        await send({"type": "websocket.send"})

    object.__setattr__(tabs, "app", serve)
    asked(tabs({"type": "websocket", "path": "/_stcore/stream"}, receive, send))
    return told, heard


def test_a_tab_speaks_as_a_page_does_or_ends():
    fine = BackMsg(rerun_script={"query_string": "a=1"}).SerializeToString()
    told, heard = connected(Tabs(None, most=1), {"type": "websocket.receive", "bytes": fine})
    assert [each["type"] for each in told] == ["websocket.accept", "websocket.send"]
    assert heard[1]["bytes"] == fine
    for wrong in ({"text": "hello"}, {"bytes": None, "text": "hello"}, {"bytes": b"\xff\xff"}):
        told, heard = connected(Tabs(None, most=1), {"type": "websocket.receive"} | wrong)
        assert [(each["type"], each.get("code")) for each in told] == [("websocket.accept", None), ("websocket.close", 1002)]
        assert [each["type"] for each in heard] == ["websocket.connect", "websocket.disconnect"]


def test_so_many_tabs_and_no_more():
    tabs = Tabs(None, most=1)
    tabs._open.add(0)
    told, heard = connected(tabs)
    assert (told, heard) == ([{"type": "websocket.close", "code": 1013, "reason": ""}], [])
    tabs._open.clear()
    assert connected(tabs)[1] != []
    assert not tabs._open
