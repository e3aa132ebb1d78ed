"""The names that a server goes by, and when it must be told them."""

import pytest

from pages.shared.hosting.door import HERE, is_local, names_of
from rrcore.errors import InputError


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "", "[::]"])
def test_a_server_open_to_others_must_have_a_name(address):
    with pytest.raises(InputError, match=r"open to other computers, and no name is set .* --operator"):
        names_of(address, ())
    assert names_of(address, ("RR.example.org.",)) == HERE | {"rr.example.org"}


@pytest.mark.parametrize("host", ["https://rr.example.org", "rr.example.org:8501", "*.example.org", "rr example", ""])
def test_what_is_no_name_is_said(host):
    with pytest.raises(InputError, match=r"write it like rr\.example\.org, without https"):
        names_of("localhost", (host,))


def test_an_address_that_was_typed_is_a_name():
    assert names_of("192.168.1.5", ()) == HERE | {"192.168.1.5"}
    assert names_of("localhost", ()) == HERE


def test_whether_others_can_come():
    assert is_local({"localhost", "127.0.0.2", "::1"})
    assert not is_local({"localhost", "192.168.1.5"})
    assert not is_local({"localhost.example.org"})
