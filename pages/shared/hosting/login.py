"""Who is there: asked of a provider by OpenID Connect before anything else, where the operator named one; nobody is asked otherwise."""

import json
import re
import tomllib
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import _get_signed_cookie_with_chunks

from pages.shared.hosting.operator import operator
from rrcore.errors import InputError, need

_NEEDED = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
_PRIVATE = re.compile(r"(?<!/static)/media/|/_stcore/upload_file/")  # also below another address, server.baseUrlPath


def read_secrets(names: Container[str]) -> dict[str, Any] | None:
    """What Streamlit's login needs to know, from the file that the operator named; None where nobody is asked to log in.

    Raises
    ------
    InputError
        If the file cannot be read or something is missing: nothing is served then, rather than to everybody.
    """
    place = operator().secrets
    if not place:
        return None
    need("authlib", "Logging in")
    try:
        found = tomllib.loads(Path(place).read_text(encoding="utf-8")).get("auth")
    except (OSError, ValueError) as error:  # TOMLDecodeError and UnicodeError are such, and what a NUL in its name gives
        raise InputError(
            f"The file with the login's secrets, '{place}', cannot be read as TOML: check its name and content."
        ) from error
    missing = [name for name in _NEEDED if not isinstance(found, dict) or not isinstance(found.get(name), str) or not found[name]]
    if not isinstance(found, dict) or missing:
        raise InputError(f"The section [auth] of '{place}' lacks {', '.join(missing)}: see docs/hosting.md.")
    if len(found["cookie_secret"]) < 32:
        raise InputError(
            f"The cookie_secret of '{place}' is short: make one with python -c 'import secrets; print(secrets.token_hex())'."
        )
    home = urlsplit(found["redirect_uri"])
    if (home.hostname or "") not in names or not home.path.endswith("/oauth2callback"):
        raise InputError(
            f"The redirect_uri of '{place}' is '{found['redirect_uri'][:80]}': write an address of this server that ends in /oauth2callback."
        )
    return {"auth": found}


def wanted() -> bool:
    """Whether people are asked to log in."""
    return bool(operator().secrets)


def user() -> str:
    """Who is logged in, as the provider identifies them; empty where nobody is asked."""
    return _identity(dict(st.user)) if wanted() and st.user.is_logged_in else ""


def person(cookies: dict[str, str]) -> str:
    """Who is logged in in a browser with these cookies, as ``user`` says it; empty where nobody is."""
    signed = _get_signed_cookie_with_chunks(cookies, USER_COOKIE_NAME) if wanted() else None
    found = json.loads(signed) if signed else {}
    return _identity(found) if found.get("is_logged_in") else ""


def _identity(claims: dict[str, Any]) -> str:
    return f"{claims.get('iss', '')} {claims.get('sub', '')}"


def ask() -> None:
    """Stop here, with a button to log in, until somebody has; to be called before anything else is done."""
    if not wanted():
        return
    if not st.user.is_logged_in:
        st.title("RR Workbench")
        whom = operator().contact or "them"
        st.markdown(
            f"This dashboard is for people whom its operator knows: ask {whom} if you cannot log in. Nothing is shown or kept until you do."
        )
        st.button("Log in", type="primary", icon=":material/login:", on_click=st.login)
        st.stop()


def offer_leaving() -> None:
    """Who is logged in, and a way out, below the links to the pages."""
    if wanted():
        with st.sidebar.container(key="leaving"):
            st.caption(f"Logged in as {st.user.get('name') or st.user.get('email') or 'somebody without a name'}")
            st.button("Log out", icon=":material/logout:", type="tertiary", on_click=st.logout)


@dataclass(frozen=True)
class Admission:
    """ASGI middleware that takes uploads from people who have logged in only, and gives files to nobody else."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        private = scope["type"] == "http" and wanted() and _PRIVATE.search(scope["path"])
        if private and not person(cookie_parser(Headers(scope=scope).get("cookie", ""))):
            await PlainTextResponse("Log in first.\n", 403)(scope, receive, send)
        else:
            await self.app(scope, receive, send)
