"""Files of sessions: room for so much, every byte compared, gone with their session."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from streamlit.runtime.media_file_storage import MediaFileKind, MediaFileStorageError

from pages.shared.hosting import downloads, visitors
from pages.shared.hosting.downloads import Files

PRESSED = MediaFileKind.DOWNLOADABLE


@contextmanager
def pressing(session):
    """While a button of that session is pressed."""
    before = downloads._pressed_in.set(session)
    try:
        yield
    finally:
        downloads._pressed_in.reset(before)


def keep(files, session, content):
    with pressing(session):
        return files.load_and_get_id(content, "text/csv", PRESSED, "table.csv")


@pytest.fixture
def sessions(monkeypatch):
    """Sessions that the server knows: of a tab that is connected with its visitor, else with None."""
    known = {}

    def client(session):
        visitor = known.get(session)
        return visitor and SimpleNamespace(client_context=SimpleNamespace(headers=[(visitors.HEADER, visitor)]))

    server = SimpleNamespace(
        get_client=client, _session_mgr=SimpleNamespace(get_session_info=lambda session: session if session in known else None)
    )
    monkeypatch.setattr(visitors.runtime, "get_instance", lambda: server)
    return known


@contextmanager
def asking(visitor):
    before = visitors._asking.set(visitor)
    try:
        yield
    finally:
        visitors._asking.reset(before)


def there(files, session, name):
    """Whether the session's visitor is given that file."""
    with asking(f"visitor of {session}"):
        try:
            return bool(files.get_file(f"{name}.csv").content)
        except MediaFileStorageError:
            return False


@pytest.fixture
def known(sessions):
    sessions.update({session: f"visitor of {session}" for session in ("a", "b", "c")})
    return sessions


def test_one_byte_makes_another_file_and_none_the_former_one(known):
    files = Files(2**30)
    content = bytearray(3 * 2**20)
    first = keep(files, "a", bytes(content))
    assert keep(files, "a", bytes(content)) == first
    content[2**20] = 1
    second = keep(files, "a", bytes(content))
    assert second != first
    assert keep(files, "b", bytes(content)) not in (first, second)
    with pressing("a"):
        assert files.load_and_get_id(bytes(content), "text/csv", PRESSED, "other.csv") != second
        assert files.load_and_get_id(bytes(content), "text/plain", PRESSED, "table.csv") != second
    assert len({len(name) for name in files._kept}) == 1


def test_who_takes_most_loses_the_oldest_and_never_the_newest(known):
    files = Files(10)
    small = keep(files, "b", b"bb")
    first, second = keep(files, "a", b"1234"), keep(files, "a", b"5678")
    third = keep(files, "a", b"9012")
    assert [there(files, "a", name) for name in (first, second, third)] == [False, True, True]
    assert there(files, "b", small)
    large = keep(files, "a", b"x" * 50)
    assert [there(files, "a", name) for name in (second, third, large)] == [False, False, True]
    other = keep(files, "c", b"c")  # what is too much goes; what is new stays
    assert [there(files, session, name) for session, name in (("a", large), ("b", small), ("c", other))] == [False, True, True]


def test_only_a_connected_session_gives_to_its_visitor(known):
    files = Files(100)
    name = keep(files, "a", b"content")
    for visitor in ("visitor of b", "", "nobody"):
        with asking(visitor), pytest.raises(MediaFileStorageError) as refused:
            files.get_file(f"{name}.csv")
        with asking(visitor), pytest.raises(MediaFileStorageError) as unknown:
            files.get_file("unknown.csv")
        assert str(refused.value) == str(unknown.value)
    known["a"] = None  # the tab lost its connection
    assert not there(files, "a", name)
    files.forget()
    known["a"] = "visitor of a"
    assert there(files, "a", name)


def test_a_file_that_was_made_for_nobody_is_given_to_nobody(known):
    files = Files(100)
    name = files.load_and_get_id(b"content", "text/csv", MediaFileKind.MEDIA)
    for visitor in ("", "nobody", "visitor of a"):
        with asking(visitor), pytest.raises(MediaFileStorageError):
            files.get_file(f"{name}.csv")


def test_files_are_gone_with_their_session(known):
    files = Files(100)
    kept, gone = keep(files, "a", b"content"), keep(files, "b", b"content")
    del known["b"]
    files.forget()
    assert set(files._kept) == {kept}
    assert gone not in files._kept
    with pytest.raises(MediaFileStorageError):
        files.get_url(gone)


def test_what_was_made_at_a_press_stays_when_streamlit_lets_go_of_it_and_what_is_on_a_page_does_not(known, tmp_path):
    files, picture = Files(100), tmp_path / "picture.png"
    picture.write_bytes(b"picture")
    pressed = keep(files, "a", b"content")
    shown = files.load_and_get_id(str(picture), "image/png", MediaFileKind.MEDIA)
    assert files.get_url(shown) == f"/media/{shown}.png"
    for name in (pressed, shown, "unknown"):
        files.delete_file(name)
    assert set(files._kept) == {pressed}
