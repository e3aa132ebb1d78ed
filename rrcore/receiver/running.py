"""Where a survey is served, as its own database says it, whether that server answers, and its end.

A server writes the place it listens at, and a random name of this run, into the database; /health says the same name. So whoever opens the
survey finds its server again, and takes no other program at that port for it. To end, it is told in the database too: nobody has to know
the number of a process, which the system may have given to another one.
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
    """Where a survey is served.

    Parameters
    ----------
    host, port : numeric address and port that the server listens on
    address : the form's address as respondents know it
    behind_proxy : whether a proxy speaks https for it
    certificate, key : paths of PEM files, where it speaks https itself
    run : str, random name of this run; empty for one that is not begun
    poll : whether it is a class poll, which may be reached over http in a private network, and is deleted at its end
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
        """Where it answers on its own computer."""
        if self.certificate:
            return self.address
        at = ipaddress.ip_address(self.host.partition("%")[0])
        host = self.host if not at.is_unspecified else "127.0.0.1" if at.version == 4 else "::1"
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


def note_served(store: Store, served: Served) -> str:
    """Write down where the survey is served from now on. Returns the name of the run."""
    run = secrets.token_hex(16)
    with SURVEYS.writing(store.place) as connection:
        connection.execute("DELETE FROM rr_served")
        terms = encode(replace(served, run=""))
        insert(connection, "rr_served", [{"run": run, "terms": terms, "stop": 0}])
    return run


def served_of(store: Store) -> Served | None:
    """Where the survey was last served; None where that is not known."""
    with SURVEYS.reading(store.place) as connection:
        found = connection.execute("SELECT run, terms FROM rr_served").fetchone()
    return None if found is None else replace(decode(found["terms"], Served, "survey", "use an earlier copy"), run=found["run"])


def end_serving(store: Store, served: Served) -> None:
    """Have the server of that run end, which looks every other second whether it is to, and wait until it has."""
    with SURVEYS.writing(store.place) as connection:
        connection.execute("UPDATE rr_served SET stop = 1 WHERE run = ?", (served.run,))
    until = time.monotonic() + _ENDING
    while not fault_at(served, served.own) and time.monotonic() < until:
        time.sleep(0.1)


def is_to_end(store: Store, run: str) -> bool:
    """Whether somebody wants the server of that run to end."""
    with SURVEYS.reading(store.place) as connection:
        return connection.execute("SELECT 1 FROM rr_served WHERE run = ? AND stop = 1", (run,)).fetchone() is not None


def fault_at(served: Served, address: str) -> str:
    """Why the server of that run does not answer at ``address``, in one sentence; empty where it does and can store answers.

    Its own certificate is trusted as it is, another one by whom the system trusts. Redirects are not followed.
    """
    shown = address[:80]
    try:
        status, content = _get(served, address)
        health = json.loads(content)
        run, health_status = health.get("run"), health.get("status")
    except ssl.SSLCertVerificationError as error:
        return f"The certificate at {shown} is not trusted ({error.verify_message}): give one for that name."
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "strerror", None) or "no answer"
        return f"Nothing answers at {shown} ({reason}): check the name, the port and the way there."
    except (ValueError, AttributeError):
        return f"What answers at {shown} is not the server of this survey: check the name, the port and the proxy."
    if run != served.run:
        return f"What answers at {shown} is not the server of this survey: check the name, the port and the proxy."
    if status != 200 or health_status != "ok":
        return "The server of this survey cannot store answers: read why in its log."
    return ""


def _get(served: Served, address: str) -> tuple[int, bytes]:
    """Status and content of what /health says."""
    parts = urlsplit(address)
    try:
        host, port = (parts.hostname or "").encode("idna").decode("ascii"), parts.port
    except ValueError as error:
        raise InputError(f"The address '{address[:80]}' is not understood: write it like https://survey.example.org.") from error
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
