"""Starting the server of a survey as a process of its own, which goes on when whoever started it ends; and how phones reach it."""

import datetime as dt
import ipaddress
import os
import socket
import struct
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from rrcore.errors import InputError
from rrcore.limits import FIRST_SURVEY_PORT, LAST_SURVEY_PORT
from rrcore.receiver.running import Served, fault_at, served_of
from rrcore.receiver.store import Store

_PATIENCE = 60.0  # seconds that a server may take to answer
_DAYS = 90  # that a certificate made here is valid
_SIOCGIFADDR = 0x8915  # of linux/sockios.h
_started: list[subprocess.Popen[bytes]] = []  # looked at now and then, so that the system forgets those that have ended


def here(port: int = 0) -> Served:
    """Reached from this computer alone: to try a survey out."""
    number = port or free_port("127.0.0.1")
    return Served("127.0.0.1", number, f"http://localhost:{number}")


def behind(address: str, port: int = 0) -> Served:
    """Reached through a server that speaks https at ``address`` and hands on what comes to this computer's ``port``."""
    return Served("127.0.0.1", port or free_port("127.0.0.1"), address.strip().rstrip("/"), behind_proxy=True)


def in_room(store: Store, own: str, port: int = 0, *, encrypted: bool = True) -> Served:
    """Reached by whoever is in the same network as this computer, whose address there is ``own``, over https with a certificate made here.

    ``start_server`` makes it anew at each start. Where it is not to be ``encrypted``, over http: then whoever controls the network could
    change the form, which says so.

    Raises
    ------
    InputError
        If ``own`` is no address of this computer.
    """
    try:
        at = ipaddress.ip_address(own.strip())
    except ValueError:
        raise InputError(
            f"'{own[:40]}' is no address of a computer in a network: write it like 192.168.1.20, as its settings show it."
        ) from None
    number = port or free_port(str(at))
    shown = f"[{at}]" if at.version == 6 else str(at)
    if not encrypted:
        return Served(str(at), number, f"http://{shown}:{number}")
    certificate, key = map(str, _pem_files(Path(store.place)))
    return Served(str(at), number, f"https://{shown}:{number}", certificate=certificate, key=key)


def address_in_network() -> str:
    """This computer's address in the network that it goes out by, or else in one that leads no further; empty where there is none.

    Nothing is sent.
    """
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # RFC 5737: nobody's; only the way there is looked up
            found.append(str(probe.getsockname()[0]))
        except OSError:
            found += _addresses(probe)
    reachable = (each for each in map(ipaddress.ip_address, found) if not (each.is_loopback or each.is_unspecified))
    return str(next(reachable, ""))


def _addresses(probe: socket.socket) -> list[str]:
    """The addresses of this computer, where no way leads out: on Linux those of its interfaces, elsewhere those of its name."""
    if sys.platform != "linux":
        with suppress(OSError):
            return socket.gethostbyname_ex(socket.gethostname())[2]
        return []
    from fcntl import ioctl

    found = []
    for _, name in socket.if_nameindex():
        with suppress(OSError):  # it has none
            found.append(socket.inet_ntoa(ioctl(probe.fileno(), _SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))[20:24]))
    return found


def free_port(host: str) -> int:
    """A port of ``host`` that nothing listens on. Raises InputError where there is none, or no such address.

    Each program looks from a place of its own on, since two that find the same port at once cannot both listen there.
    """
    family, ports = socket.AF_INET6 if ":" in host else socket.AF_INET, range(FIRST_SURVEY_PORT, LAST_SURVEY_PORT + 1)
    own = os.getpid() % max(len(ports), 1)
    for number in (*ports[own:], *ports[:own]):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            try:
                probe.bind((host, number))
                return number
            except OSError:
                continue
    raise InputError(f"Nothing can listen on {host[:60]}, ports {FIRST_SURVEY_PORT} to {LAST_SURVEY_PORT}: check that address.")


def start_server(store: Store, terms: Served) -> Served:
    """Serve a survey that is there, in a process of its own session that outlives this one, and wait until it answers.

    Parameters
    ----------
    store : Store
    terms : Served, of ``here``, ``behind`` or ``in_room``, or of the run before

    Returns
    -------
    Served
        As the server itself has written it down.

    Raises
    ------
    InputError
        If the survey is served already, its certificate cannot be written beside it, or the server does not come
        up: in the words that it ends with.
    """
    place = Path(store.place)
    known = served_of(store)
    if known is not None and not fault_at(known, known.own):
        raise InputError("The server of this survey is running already.")
    if terms.certificate == str(_pem_files(place)[0]):
        _write_certificate(place, ipaddress.ip_address(terms.host))
    command = [sys.executable, "-P", "-m", "rrcore", "serve", f"--db={place}", f"--host={terms.host}", f"--port={terms.port}"]
    command += [f"--address={terms.address}", *(["--behind-proxy"] if terms.behind_proxy else [])]
    command += ["--tls", terms.certificate, terms.key] if terms.certificate else []
    command += ["--poll"] if terms.poll else []
    log = Path(f"{place}.log")
    _started[:] = [each for each in _started if each.poll() is None]
    process = _spawn(command, log)
    _started.append(process)
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        found = served_of(store)
        if found is not None and found.run != (known.run if known else "") and not fault_at(found, found.own):
            return found
        if process.poll() is not None:
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            raise InputError(lines[-1][:400] if lines else "The server ended at once and did not say why: try again.")
        time.sleep(0.1)
    process.terminate()
    raise InputError(f"The server did not answer within {_PATIENCE:.0f} seconds and was ended: try again.")


def _spawn(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    """A process with a session of its own, whose only tie to this one is that both may write to ``log``."""
    library = str(Path(__file__).parents[2])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (library, os.environ.get("PYTHONPATH", ""))))}
    try:
        number = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with os.fdopen(number, "wb") as out:
            return subprocess.Popen(  # nosec B603: this Python, a list of arguments, no shell
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=log.parent, env=environment, start_new_session=True
            )
    except OSError as error:
        raise InputError(f"The server could not be started ({error.strerror}): make room, and try again.") from error


def _pem_files(place: Path) -> tuple[Path, Path]:
    """Where the certificate that is made here, and its key, stand beside the survey."""
    return Path(f"{place}.certificate.pem"), Path(f"{place}.key.pem")


def _write_certificate(place: Path, at: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    """A certificate for an address and its key, as PEM files beside the survey; the key is for the owner alone."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "RR Workbench survey")])
    today = dt.datetime.now(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - dt.timedelta(1))
        .not_valid_after(today + dt.timedelta(_DAYS))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(at)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([x509.oid.ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    contents = made.public_bytes(serialization.Encoding.PEM), key.private_bytes(serialization.Encoding.PEM, form, plain)
    try:
        for path, content in zip(_pem_files(place), contents, strict=True):
            number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
            with os.fdopen(number, "wb") as out:
                out.write(content)
    except OSError as error:
        raise InputError(f"The certificate cannot be written beside the survey ({error.strerror}): make room.") from error
