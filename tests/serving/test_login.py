"""Logging in with a provider of OpenID Connect on this computer: nothing before it, one's own after it, nothing forged."""

import re

import pytest
from joserfc.jwk import RSAKey

from pages.shared.hosting import login
from pages.shared.hosting.operator import Operator
from rrcore.errors import InputError
from tests.ports import free_port
from tests.serving.conftest import serving
from tests.serving.provider import provider
from tests.serving.visitor import Browser, Tab, ask

pytestmark = pytest.mark.long

AUTH = """[auth]
redirect_uri = "http://localhost:{port}/oauth2callback"
cookie_secret = "0123456789abcdef0123456789abcdef"
client_id = "workbench"
client_secret = "between the two"
server_metadata_url = "{issuer}/.well-known/openid-configuration"
"""


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """The provider, and the port of a dashboard that asks it."""
    folder, port = tmp_path_factory.mktemp("login"), free_port()
    with provider().running() as asked:
        (folder / "secrets.toml").write_text(AUTH.format(port=port, issuer=asked.issuer), encoding="utf-8")
        (folder / "operator.toml").write_text('secrets = "secrets.toml"', encoding="utf-8")
        with serving(folder, "--operator", "operator.toml", port=port):
            yield asked, port


class Person(Browser):
    """A browser in which somebody logs in."""

    def log_in(self):
        """Log in anew: whoever was logged in here is so no longer."""
        for name in [name for name in self.client.cookies if name.startswith("_streamlit_user")]:
            del self.client.cookies[name]
        with self.tab() as socket:
            address = Tab(socket).open().click("Log in", "auth_redirect").auth_redirect.url
        return self.client.get(f"http://localhost:{self.port}{address}" if address.startswith("/") else address)


def test_nothing_is_run_before_somebody_logged_in(known):
    _, port = known
    with Person(port).tab() as socket:
        for page in ("", "data"):
            tab = Tab(socket).open(page)
            assert list(tab.buttons) == ["Log in"]
            assert any("stBaseButton-primary" in style for style in tab.styles)  # else too faint on a dark page
            assert not any("Titanic" in text or "Ledger" in text for text in tab.texts)
        refused = ask(port, f"/_stcore/upload_file/{tab.id}/one", method="PUT", body=b"x" * 1000)
        assert (refused.status, refused.body) == (403, b"Log in first.\n")


def test_whoever_logged_in_goes_on_under_that_name(known):
    asked, port = known
    ada = Person(port)
    asked.person = "ada"
    assert ada.log_in().status_code == 200
    with ada.tab() as socket:
        tab = Tab(socket).open("ledger")
        assert "Log out" in tab.buttons
        assert "Logged in as Ada" in tab.texts
        upload = ada.get(f"/_stcore/upload_file/{tab.id}/one", "PUT")
        assert b"XSRF" in upload.content  # let in, and asked for the token that only its page knows
    stolen = dict(ada.client.cookies)["_streamlit_user"]
    forged = re.sub(r"^.{12}", "AAAAAAAAAAAA", stolen)
    with Person(port).tab(_streamlit_user=forged) as socket:
        assert list(Tab(socket).open("ledger").buttons) == ["Log in"]


def test_a_token_that_somebody_else_signed_is_worth_nothing(known):
    asked, port = known
    mallory = Person(port)
    asked.published, asked.key = asked.key, RSAKey.generate_key(2048, {"kid": "one"})
    try:
        mallory.log_in()
    finally:
        asked.key, asked.published = asked.published, None
    assert "_streamlit_user" not in mallory.client.cookies
    with mallory.tab() as socket:
        assert list(Tab(socket).open("ledger").buttons) == ["Log in"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("client_id", "client"), "lacks client_id: see docs/hosting.md"),
        (("[auth]", "[other]"), "lacks redirect_uri, cookie_secret, client_id"),
        (("[auth]", "[auth"), "cannot be read as TOML"),
        (("0123456789abcdef0123456789abcdef", "short"), "is short: make one with"),
        (("localhost", "elsewhere.example"), "write an address of this server that ends in /oauth2callback"),
    ],
)
def test_a_server_that_cannot_ask_who_is_there_does_not_start(tmp_path, monkeypatch, change, says):
    file = tmp_path / "secrets.toml"
    file.write_text(AUTH.format(port=1, issuer="http://localhost").replace(*change), encoding="utf-8")
    monkeypatch.setattr(login, "operator", lambda: Operator(secrets=str(file)))
    with pytest.raises(InputError, match=re.escape(says)):
        login.read_secrets({"localhost"})
