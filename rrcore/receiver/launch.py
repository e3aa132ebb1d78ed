"""Start the server of a survey as a separate process, which phones can reach.

The process continues when the program that started it ends.
"""

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
from rrcore.receiver.server_status import Served, fault_at, served_of
from rrcore.receiver.store import Store

_PATIENCE = 60.0  # seconds that a server may take to answer
_DAYS = 90  # that a certificate made here is valid
_SIOCGIFADDR = 0x8915  # of linux/sockios.h
_started: list[subprocess.Popen[bytes]] = []  # looked at now and then, so that the system forgets those that have ended


def here(port: int = 0) -> Served:
    """Return the address for serving on this computer only, to test a survey."""
    number = port or free_port("127.0.0.1")
    return Served("127.0.0.1", number, f"http://localhost:{number}")


def behind(address: str, port: int = 0) -> Served:
    """Return the address behind a server that provides https at ``address``.

    That server forwards requests to the ``port`` of this computer.
    """
    return Served("127.0.0.1", port or free_port("127.0.0.1"), address.strip().rstrip("/"), behind_proxy=True)


def in_room(store: Store, own: str, port: int = 0, *, encrypted: bool = True) -> Served:
    """Return the address in the network of this computer, which is ``own`` there.

    Everybody in the network can reach the survey. The server uses https with a certificate that is made on this computer.

    ``start_server`` makes a new certificate at each start. If ``encrypted`` is False, the server uses http. The form then warns that
    anyone who controls the network could change it.

    Raises
    ------
    InputError
        If ``own`` is not an address of this computer.
    """
    try:
        at = ipaddress.ip_address(own.strip())
    except ValueError:
        raise InputError(
            f"'{own[:40]}' is not a network address. Write it like 192.168.1.20, as in your network settings."
        ) from None
    number = port or free_port(str(at))
    shown = f"[{at}]" if at.version == 6 else str(at)
    if not encrypted:
        return Served(str(at), number, f"http://{shown}:{number}")
    certificate, key = map(str, _pem_files(Path(store.place)))
    return Served(str(at), number, f"https://{shown}:{number}", certificate=certificate, key=key)


def address_in_network() -> str:
    """Return the address of this computer in its network, or an empty string.

    An address with a route to other networks is preferred. Nothing is sent.
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
    """Return the addresses of this computer if it has no route to other networks.

    On Linux, they are those of its interfaces. Elsewhere, they are those of its name.
    """
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
    """Return a port of ``host`` that no program uses.

    Raises InputError if there is no such port or address. Each program searches from a different port, because two programs
    could otherwise find the same port at once.
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
    raise InputError(f"No port from {FIRST_SURVEY_PORT} to {LAST_SURVEY_PORT} is available on {host[:60]}. Check that address.")


def start_server(store: Store, terms: Served) -> Served:
    """Start the server of an existing survey and wait until it answers.

    The server is a process with its own session, which outlives this process.

    Parameters
    ----------
    store : Store
    terms : Served from ``here``, ``behind`` or ``in_room``, or from the previous run

    Returns
    -------
    Served
        The address and run that the server recorded.

    Raises
    ------
    InputError
        If the survey is served already, its certificate cannot be written, or the server does not start. The message has the last
        words of the server.
    """
    place = Path(store.place)
    known = served_of(store)
    if known is not None and not fault_at(known, known.own):
        raise InputError("The server of this survey is already running.")
    if terms.certificate == str(_pem_files(place)[0]):
        _write_certificate(place, ipaddress.ip_address(terms.host))
    command = [sys.executable, "-P", "-m", "rrcore", "survey", "serve", f"--db={place}", f"--host={terms.host}"]
    command += [f"--port={terms.port}", f"--address={terms.address}", *(["--behind-proxy"] if terms.behind_proxy else [])]
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
            ended = "The server ended at once without a reason. Try again."
            raise InputError(lines[-1].removeprefix("Error: ")[:400] if lines else ended)
        time.sleep(0.1)
    process.terminate()
    raise InputError(f"The server did not answer within {_PATIENCE:.0f} seconds, so it was stopped. Try again.")


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
        raise InputError(f"The server could not be started ({error.strerror}). Free some space, and try again.") from error


def _pem_files(place: Path) -> tuple[Path, Path]:
    """Where the certificate that is made here, and its key, are: next to the survey."""
    return Path(f"{place}.certificate.pem"), Path(f"{place}.key.pem")


def _write_certificate(place: Path, at: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    """A certificate for an address and its key, as PEM files next to the survey; the key is for the owner alone."""
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
            path.unlink(missing_ok=True)  # in a shared folder, it could be somebody else's file, whose owner would read the key
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(content)
    except OSError as error:
        raise InputError(
            f"The certificate cannot be written next to the survey ({error.strerror}). Free some space, and try again."
        ) from error
