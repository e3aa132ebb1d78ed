"""A receiver without a proxy and one address that opens more connections than it can serve: whoever comes from elsewhere is served."""

import asyncio
from urllib.parse import urlsplit

import httpx
import pytest

from tests.crowd import BODY, HALF, crowd, ended, served_in_time, wait_for
from tests.receiver.phones import KINDS, finished, line, serving

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture(scope="module")
def served(tmp_path_factory, mechanism):
    """Address and log of a receiver."""
    folder = tmp_path_factory.mktemp("receiver")
    with serving(folder, str(folder / "pilot.survey"), mechanism, "--title", "Pilot") as (_, address, log):
        yield address, log


@pytest.mark.parametrize("sent", [b"", HALF, BODY], ids=["silent", "half a head", "half a body"])
def test_two_thousand_unfinished_connections_of_one_address_keep_nobody_out(served, sent):
    """The finding: 1,050 silent connections, and everybody got 503 for as long as they stayed."""
    address, log = served
    port = urlsplit(address).port
    with crowd(port, 2000, sent) as connections:
        assert served_in_time(port)
        wait_for(lambda: ended(connections) >= 1700)  # all but so many as one address may have
    assert "Traceback" not in log.read_text()


def test_a_class_of_two_hundred_phones_behind_one_address_is_served(tmp_path, mechanism):
    """Each opens a spare connection, as browsers do, asks for the form and for what is not there, and sends its answer."""
    bodies = [line(mechanism, [number % 10] * 8, receipt=f"{number:064x}") for number in range(200)]

    async def phone(address, body):
        parts = urlsplit(address)
        _, spare = await asyncio.open_connection(parts.hostname, parts.port)
        async with httpx.AsyncClient(base_url=address, timeout=60, verify=False) as client:
            found = [(await client.get("/")).status_code, (await client.get("/favicon.ico")).status_code]
            found.append((await client.post("/answers", content=body, headers=KINDS)).status_code)
        spare.close()
        return found

    async def everybody(address):
        return await asyncio.gather(*(phone(address, body) for body in bodies))

    place = str(tmp_path / "pilot.survey")
    with serving(tmp_path, place, mechanism, "--title", "Pilot", "--per-minute", "3000") as (_, address, _):
        assert finished(everybody(address)) == [[200, 404, 200]] * 200
