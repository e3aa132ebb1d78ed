"""Record where a survey is served, check that server, and stop it.

The server writes its address and a random name of the run into the database of the survey. The path /health returns the same
name. The server of a survey can therefore be found and is not confused with another program at that port. The request to stop
is also written to the database. Nobody needs the process ID, which the system may have reused.
"""

import http.client
import ipaddress
import json
import secrets
import ssl
import time
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from rrcore.database import insert
from rrcore.documents import decode, encode
from rrcore.errors import InputError
from rrcore.receiver.store import SURVEYS, Store

_SECONDS = 4  # that an answer may take
_MOST = 10_000  # bytes of it
_ENDING = 20  # seconds that a server may take to end


@dataclass(frozen=True)
class Served:
    """Address of a server and description of its run.

    Parameters
    ----------
    host, port : numeric address and port that the server listens on
    address : address of the form for respondents
    behind_proxy : whether a proxy provides https
    certificate, key : paths of PEM files, if the server provides https itself
    run : str, random name of this run; empty before it begins
    poll : whether this is a class poll, which may use http in a private network and is deleted at its end
    """

    host: str
    port: int
    address: str
    behind_proxy: bool = False
    certificate: str = ""
    key: str = ""
    run: str = ""
    poll: bool = False

    @property
    def own(self) -> str:
        """Address of the server on its own computer."""
        if self.certificate:
            return self.address
        at = ipaddress.ip_address(self.host.partition("%")[0])
        host = self.host if not at.is_unspecified else "127.0.0.1" if at.version == 4 else "::1"
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


def note_served(store: Store, served: Served) -> str:
    """Record where the survey is served from now on and return the name of the run."""
    run = secrets.token_hex(16)
    with SURVEYS.writing(store.place) as connection:
        connection.execute("DELETE FROM rr_served")
        terms = encode(replace(served, run=""))
        insert(connection, "rr_served", [{"run": run, "terms": terms, "stop": 0}])
    return run


def served_of(store: Store) -> Served | None:
    """Return where the survey was last served, or None if that is unknown."""
    with SURVEYS.reading(store.place) as connection:
        found = connection.execute("SELECT run, terms FROM rr_served").fetchone()
    return None if found is None else replace(decode(found["terms"], Served, "survey", "use an earlier copy"), run=found["run"])


def end_serving(store: Store, served: Served) -> None:
    """Ask the server of that run to stop and wait until it has.

    The server checks for this request every other second.
    """
    with SURVEYS.writing(store.place) as connection:
        connection.execute("UPDATE rr_served SET stop = 1 WHERE run = ?", (served.run,))
    until = time.monotonic() + _ENDING
    while not fault_at(served, served.own) and time.monotonic() < until:
        time.sleep(0.1)


def is_to_end(store: Store, run: str) -> bool:
    """Return True if somebody has asked the server of that run to stop."""
    with SURVEYS.reading(store.place) as connection:
        return connection.execute("SELECT 1 FROM rr_served WHERE run = ? AND stop = 1", (run,)).fetchone() is not None


def fault_at(served: Served, address: str) -> str:
    """Return why the server of that run cannot receive answers, or an empty string.

    The server's own certificate is trusted. Other certificates are verified as usual. Redirects are not followed.
    """
    shown = address[:80]
    try:
        status, content = _get(served, address)
        health = json.loads(content)
        run, health_status = health.get("run"), health.get("status")
    except ssl.SSLCertVerificationError as error:
        return f"The certificate at {shown} is not trusted ({error.verify_message}). Use a certificate for that name."
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "strerror", None) or "no answer"
        return f"Nothing answers at {shown} ({reason}). Check the name, the port and the connection."
    except (ValueError, AttributeError):
        return f"Another program answers at {shown}. Check the name, the port and the proxy."
    if run != served.run:
        return f"Another program answers at {shown}. Check the name, the port and the proxy."
    if status != 200 or health_status != "ok":
        return "The server of this survey cannot store answers. Read the reason in its log."
    return ""


def _get(served: Served, address: str) -> tuple[int, bytes]:
    """Status and content of what /health says."""
    parts = urlsplit(address)
    try:
        host, port = (parts.hostname or "").encode("idna").decode("ascii"), parts.port
    except ValueError as error:
        raise InputError(f"The address '{address[:80]}' is invalid. Write it like https://survey.example.org.") from error
    if parts.scheme == "https":
        context = ssl.create_default_context(cafile=served.certificate or None)
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # its own certificate is signed by nobody else
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(host, port, timeout=_SECONDS, context=context)
    else:
        connection = http.client.HTTPConnection(host, port, timeout=_SECONDS)
    try:
        connection.request("GET", f"{parts.path.rstrip('/')}/health", headers={"Accept": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read(_MOST)
    finally:
        connection.close()
