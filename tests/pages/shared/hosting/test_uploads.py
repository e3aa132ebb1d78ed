"""Room for uploads: what is refused, when, and what becomes of those that break off."""

import asyncio
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from pages.shared.hosting import uploads
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


def uploaded(room, session, *parts, announced=None, below=""):
    """Status and text of the answer to an upload in these parts; a part that is a message is received as it stands."""
    told = {}
    queue = [each if isinstance(each, dict) else {"type": "http.request", "body": each, "more_body": True} for each in parts]
    queue.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive():
        return queue.pop(0)

    async def send(message):
        told.setdefault("status", message.get("status"))
        told["body"] = told.get("body", b"") + message.get("body", b"")

    headers = [] if announced is None else [(b"content-length", str(announced).encode())]
    scope = {"type": "http", "method": "PUT", "path": f"{below}/_stcore/upload_file/{session}/one", "headers": headers}
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


def test_an_upload_that_breaks_off_is_forgotten():
    room = Uploads(taken, each=1000, all=1200)
    assert uploaded(room, "bob", b"x", {"type": "http.disconnect"}) == (None, "")
    assert not room.coming


def test_below_another_address_there_is_no_more_room():
    """With ``server.baseUrlPath`` nothing was counted."""
    room = Uploads(taken, each=1000, all=1200, coming=Counter(eve=250))
    assert uploaded(room, "bob", b"x" * 50, below="/rr")[0] == 200
    assert uploaded(room, "bob", b"x" * 51, below="/rr")[0] == 413
    assert uploaded(room, "ann", announced=301, below="/a/b")[0] == 413
    assert room.coming == Counter(eve=250)
