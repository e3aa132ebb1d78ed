"""What every answer tells the browser to refuse: code, pictures and frames from elsewhere, and to keep what is private.

Nothing is loaded from another place, so the policy allows nothing but this server. Streamlit 1.67 needs these exceptions: styles in the
page; the script inside its index.html, allowed by its fingerprint; code of components, which comes over the websocket and is run as a
``blob:``; WebAssembly, which its reader of messages looks for; and a font and pictures as ``data:``. It does not need 'unsafe-eval'.
"""

import base64
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared.hosting.given import LESSON

ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}
"""Headers of every answer."""

_FILE = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
_LESSON = {"X-Frame-Options": "SAMEORIGIN", "Content-Security-Policy": "frame-ancestors 'self'"}
"""Of the chapters of Learn, whose page brings the rest of its policy itself."""

_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def policy(host: str, secure: bool) -> str:
    """The Content-Security-Policy of the pages at ``host``, which is how the browser calls this server."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' 'wasm-unsafe-eval' blob: {' '.join(_scripts())}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            f"connect-src 'self' {'wss' if secure else 'ws'}://{host}",  # not every browser takes 'self' for websockets too
            "base-uri 'none'",
            "form-action 'self'",
            "frame-src 'self'",  # the chapters of Learn
            "frame-ancestors 'none'",
        )
    )


@cache
def _scripts() -> tuple[str, ...]:
    """Fingerprints of the scripts inside Streamlit's index.html."""
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    found = (hashlib.sha256(script.encode()).digest() for script in _SCRIPT.findall(page))
    return tuple(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in found)


@dataclass(frozen=True)
class SafeHeaders:
    """ASGI middleware that adds the headers to every answer, and takes away those that let other sites read it."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"]
        host = Headers(scope=scope).get("host", "")

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(ALWAYS)
                for name in [name for name in headers if name.startswith("access-control-")]:
                    del headers[name]
                headers["Content-Security-Policy"] = (
                    _FILE if "/media/" in path and "/static/" not in path else policy(host, scope["scheme"] == "https")
                )
                if path == LESSON.address():
                    headers.update(_LESSON)
                if "/static/" not in path:
                    headers["Cache-Control"] = "no-store"
            await send(message)

        await self.app(scope, receive, tell)
