"""The receiver as a web application, which serves the form and accepts answers.

=======  ===========  ====================================================================
GET      /            the respondents' form
POST     /answers     one answer, a line of JSON as the form writes it
POST     /invitation  {"code": ...}: is it unused? With "hidden", a hidden receipt: its signature
GET      /health      {"status": "ok"} while answers can be stored; else 503 and {"status": "failing"}. With "run", the
                      name of the server's run, which the survey's database also has
=======  ===========  ====================================================================

The response to a rejected request is one sentence, {"error": ...}. The content of requests is never logged, kept or repeated.
"""

import asyncio
import datetime as dt
import logging
import math
import re
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Annotated, Any

from msgspec import Meta
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from rrcore.asking.form import form_fingerprint
from rrcore.documents import Fields
from rrcore.errors import InputError
from rrcore.limits import MAX_ARRIVAL_SECONDS, MAX_INVITATION_BYTES
from rrcore.receiver.addresses import Terms
from rrcore.receiver.blind_signatures import KEY_BYTES, Signer
from rrcore.receiver.invitation_codes import plain_code
from rrcore.receiver.invitations import use_code
from rrcore.receiver.rate_limit import Pace
from rrcore.receiver.refusals import REFUSALS, refusal_page
from rrcore.receiver.server_status import is_to_end
from rrcore.receiver.store import Store
from rrcore.receiver.submission import Checker, read_sent
from rrcore.receiver.writer import Writer

LOG = logging.getLogger("rrcore.receiver")

CLOSED = "This survey is closed and takes no more answers. Thank you for your interest."
PAUSED = "This survey is paused. Please come back later."
_REFUSING = {"closed": (410, CLOSED), "paused": (423, PAUSED)}
_BUSY = "Too many requests came from this address. Wait a minute and try again."
_FAILED = "The receiver cannot confirm that at the moment. Try again later."
_BETWEEN = 2  # seconds between two looks whether this is to end
_FRESH = 5  # seconds that a look at the database holds
_ALWAYS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def receiver_app(store: Store, terms: Terms, *, run: str = "", today: Callable[[], dt.date] = dt.date.today) -> Starlette:
    """Return the application that receives answers to ``store``.

    Parameters
    ----------
    store : Store
    terms : Terms
    run : name of this run in ``rrcore.receiver.server_status``, through which the process can be stopped; empty if it has none
    today : function that returns the day to store with an answer

    Raises
    ------
    InputError
        If the address is neither https nor a permitted http address.
    """
    receiver = _Receiver(store, terms, run, today)
    app = receiver.application()
    app.state.fingerprint = form_fingerprint(receiver.form)
    return app


class _Receiver:
    def __init__(self, store: Store, terms: Terms, run: str, today: Callable[[], dt.date]) -> None:
        self.store, self.run = store, run
        self.terms = terms
        self.allowed = terms.allowed
        self.signer = Signer(store.key) if store.key else None
        self.checker = Checker(store.mechanism, invited=self.signer is not None, unrandomized=store.unrandomized)
        self.pace = Pace(terms.per_minute)
        self.today = today
        self.fault, self.look_after = "", 0.0
        address = f"{terms.address.rstrip('/')}/answers"
        modulus = self.signer.modulus if self.signer else ""
        self.form = store.survey.form(address=address, invitations=modulus, plain_http=terms.plain_http)

    def application(self) -> Starlette:
        routes = [
            Route("/", self.answering(self.give_form), methods=["GET"]),
            Route("/health", self.answering(self.tell_health), methods=["GET"]),
            Route("/answers", self.answering(self.take_answer), methods=["POST", "OPTIONS"]),
        ]
        if self.signer:
            routes.append(Route("/invitation", self.answering(self.take_invitation), methods=["POST", "OPTIONS"]))
        handlers = {HTTPException: self.unknown}
        app = Starlette(routes=routes, exception_handlers=handlers, lifespan=self.running)  # type: ignore[arg-type]
        app.router.redirect_slashes = False  # a redirect would repeat the request
        return app

    @asynccontextmanager
    async def running(self, _: Starlette) -> AsyncIterator[None]:
        self.writer = Writer(self.store, self.today, failed=self.look_again)
        writing, ending = asyncio.create_task(self.writer.run()), asyncio.create_task(self.end_when_told())
        try:
            yield
        finally:
            ending.cancel()
            self.writer.stop()
            await writing

    async def end_when_told(self) -> None:
        """End this process, as SIGTERM does, on request or when its time is over."""
        over = time.monotonic() + self.terms.hours * 3600 if self.terms.hours else math.inf
        while self.run:
            await asyncio.sleep(_BETWEEN)
            if time.monotonic() > over:
                signal.raise_signal(signal.SIGTERM)
                return
            with suppress(InputError):  # a database that fails is reported by /health
                if await asyncio.to_thread(is_to_end, self.store, self.run):
                    signal.raise_signal(signal.SIGTERM)
                    return

    async def health(self) -> str:
        """Return why answers cannot be stored, or an empty string.

        The result is at most ``_FRESH`` seconds old.
        """
        if time.monotonic() >= self.look_after:
            self.look_after = time.monotonic() + _FRESH
            self.fault = await asyncio.to_thread(self.store.fault)
            if self.fault:
                LOG.error("No answer can be stored: %s", self.fault)
        return self.fault

    def look_again(self) -> None:
        """Check at the next request whether answers can be stored, after a failure."""
        self.look_after = 0.0

    def answering(self, endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """Wrap ``endpoint`` so that errors become sentences and logs hold no request."""

        async def answer(request: Request) -> Response:
            try:
                if not self.pace.allows(self.sender(request)):
                    raise HTTPException(429, _BUSY)
                response = await (self.preflight(request) if request.method == "OPTIONS" else endpoint(request))
            except HTTPException as refused:
                response = self.refusal(request, refused.status_code, refused.detail)
            except Exception as error:
                LOG.error("A request could not be answered: %s", error if isinstance(error, InputError) else type(error).__name__)
                response = self.refusal(request, 503, _FAILED)
            for name, value in (_ALWAYS | self.crossing(request)).items():
                response.headers[name] = value
            return response

        return answer

    def refusal(self, request: Request, status: int, sentence: str) -> Response:
        """Return the response to a rejected request.

        A person's browser gets a page in the language of the survey. Other programs get JSON.
        """
        if request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", "") and status in REFUSALS:
            return refusal_page(self.store.title, self.store.language, status)
        return JSONResponse({"error": sentence}, status)

    def sender(self, request: Request) -> str:
        """Return the address that a request came from."""
        if self.terms.behind_proxy:
            return ",".join(request.headers.getlist("x-forwarded-for")).rpartition(",")[2].strip()
        return request.client.host if request.client else ""

    def crossing(self, request: Request) -> dict[str, str]:
        """Return the headers that let a page of an allowed origin read the response."""
        origin = request.headers.get("origin", "")
        found = {"Access-Control-Allow-Origin": origin} if origin.lower() in self.allowed else {}
        return found | {"Vary": "Origin"}

    def check_origin(self, request: Request) -> None:
        """Reject requests from pages of other origins.

        Programs other than browsers need not name an origin.
        """
        origin = request.headers.get("origin")
        if origin is not None and origin.lower() not in self.allowed:
            raise HTTPException(
                403, "This survey accepts no answers from pages of that origin. Open the form at its own address."
            )

    async def unknown(self, request: Request, error: HTTPException) -> Response:
        """Reject unknown addresses and methods."""
        wrong_method = error.status_code == 405
        sentence = "This request is not supported. Open the form." if wrong_method else "There is no such page. Open the form."
        response = self.refusal(request, error.status_code, sentence)
        response.headers.update(_ALWAYS)
        return response

    async def preflight(self, request: Request) -> Response:
        self.check_origin(request)
        allows = {"Methods": "POST", "Headers": "Content-Type"}
        return Response(status_code=204, headers={f"Access-Control-Allow-{name}": value for name, value in allows.items()})

    async def check_open(self) -> None:
        """Reject requests while the survey takes no answers."""
        refusing = await asyncio.to_thread(lambda: self.store.refusing)
        if refusing:
            raise HTTPException(*_REFUSING[refusing])

    async def give_form(self, request: Request) -> Response:
        if await self.health():
            raise HTTPException(503, _FAILED)
        await self.check_open()
        if request.method == "GET":
            self.writer.count_form()
        return HTMLResponse(self.form, headers={"Content-Security-Policy": "frame-ancestors 'none'"})  # the rest is in the form

    async def tell_health(self, request: Request) -> Response:
        fault = await self.health()
        run = {"run": self.run} if self.run else {}
        return JSONResponse({"status": "failing" if fault else "ok"} | run, 503 if fault else 200)

    async def take_answer(self, request: Request) -> Response:
        body = await self.body(request, self.checker.longest)
        submission, signature = _read(self.checker.read, body)
        if self.signer and not self.signer.signed(submission.receipt, signature):
            raise HTTPException(403, "This answer has no valid invitation. Open the form from the link in your invitation.")
        outcome = await self.writer.submit(submission)
        if outcome in _REFUSING:
            raise HTTPException(*_REFUSING[outcome])
        return JSONResponse({"received": True})

    async def take_invitation(self, request: Request) -> Response:
        assert self.signer
        sent = _read(read_sent, await self.body(request, MAX_INVITATION_BYTES), Invitation)
        hidden = bytes.fromhex(sent.hidden)
        if hidden and not self.signer.takes(hidden):
            raise HTTPException(400, "This answer is not from the form. Its hidden receipt has the wrong format.")
        await self.check_open()
        code = plain_code(sent.code)
        known = await asyncio.to_thread(use_code, self.store, code, hidden) if code else "unknown"
        if known == "unknown":
            raise HTTPException(404, "This code does not belong to this survey. Compare it with your invitation.")
        if known == "used":
            raise HTTPException(
                409, "This invitation has already been used. Each invitation works only once, so that nobody is counted twice."
            )
        signed = {"signature": (await asyncio.to_thread(self.signer.sign, hidden)).hex()} if hidden else {"free": True}
        return JSONResponse(signed, headers={"Connection": "close"})  # the answer does not come along the same way

    async def body(self, request: Request, longest: int) -> bytes:
        """Return the content of a request, if the form could have sent it."""
        self.check_origin(request)
        kind = re.sub(r"\s", "", request.headers.get("content-type", "")).lower()
        if kind not in ("application/json", "application/json;charset=utf-8") or "content-encoding" in request.headers:
            raise HTTPException(415, "This answer is not from the form. The form sends application/json.")
        too_long = HTTPException(413, f"This answer is not from the form. It has more than {longest:,} bytes.")
        found = bytearray()
        try:
            async with asyncio.timeout(MAX_ARRIVAL_SECONDS):
                if int(request.headers.get("content-length", "0")) > longest:
                    raise too_long
                async for chunk in request.stream():
                    found += chunk
                    if len(found) > longest:
                        raise too_long
        except (TimeoutError, ClientDisconnect, ValueError):
            raise HTTPException(408, "The answer arrived incomplete. Try again.") from None
        return bytes(found)


class Invitation(Fields, frozen=True):
    """An invitation code, and the hidden receipt to be signed."""

    code: str
    hidden: Annotated[str, Meta(pattern=rf"^[0-9a-f]{{{2 * KEY_BYTES}}}\Z")] = ""


def _read(reader: Callable[..., Any], *what: object) -> Any:
    try:
        return reader(*what)
    except InputError as error:
        raise HTTPException(400, str(error)) from None
