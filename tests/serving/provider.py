"""A provider of OpenID Connect, as small as one can be: everybody who comes is the person that was set last."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.ports import free_port


@dataclass
class Provider:
    """Its address, who logs in, what else is said of them, and the key that it signs with, which is published unless another one is set."""

    port: int
    person: str = "ada"
    more: dict[str, object] = field(default_factory=dict)  # further claims about that person
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one"}))
    published: RSAKey | None = None
    nonces: dict[str, str] = field(default_factory=dict)

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def configuration(self, request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/jwks",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "code_challenge_methods_supported": ["S256"],
            }
        )

    async def authorize(self, request: Request) -> Response:
        asked = request.query_params
        assert asked["code_challenge_method"] == "S256"
        self.nonces["code"] = asked["nonce"]
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode({'code': 'code', 'state': asked['state']})}")

    async def token(self, request: Request) -> Response:
        form = await request.form()
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": self.person,
            "name": self.person.title(),
            "aud": "workbench",
            "iat": now,
            "exp": now + 60,
            "nonce": self.nonces[str(form["code"])],
        } | self.more
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key)
        return JSONResponse({"access_token": "x", "token_type": "Bearer", "expires_in": 60, "id_token": signed})

    async def jwks(self, request: Request) -> Response:
        return JSONResponse({"keys": [(self.published or self.key).as_dict(private=False)]})

    @contextmanager
    def running(self) -> Iterator[Provider]:
        routes = [
            Route("/.well-known/openid-configuration", self.configuration),
            Route("/authorize", self.authorize),
            Route("/token", self.token, methods=["POST"]),
            Route("/jwks", self.jwks),
        ]
        server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), port=self.port, log_level="error"))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield self
        finally:
            server.should_exit = True
            thread.join(10)


def provider() -> Provider:
    return Provider(free_port())
