"""How long a download takes that is given to its own visitor alone, against Streamlit's own way, as a ratio; no browser, no network.

Both ways answer the same requests in this process, of 10 KB and of 20 MB. Ends with 1 where the median of one is above 2.5 times the other.

Usage: python -m benchmarks.bench_downloads
"""

from __future__ import annotations

import asyncio
import hashlib
import statistics
import sys
import time
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import httpx
from starlette.applications import Starlette
from starlette.middleware import Middleware
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.web.server.starlette.starlette_routes import create_media_routes

from benchmarks.sizes import size
from pages.shared.hosting import visitors
from pages.shared.hosting.downloads import Delivery, Files, _pressed_in

LIMITS = {10_000: 2.5, size(20_000_000, 20_000): 2.5}
REPEATS = size(60, 2)


def ways(content: bytes) -> dict[str, tuple[Starlette, str]]:
    """Either way: what answers, and the address of the file."""
    kind = MediaFileKind.DOWNLOADABLE
    plain, files = MemoryMediaFileStorage("/media"), Files(2**30)
    pressed = _pressed_in.set("session")
    owned = files.get_url(files.load_and_get_id(content, "text/csv", kind, "table.csv"))
    _pressed_in.reset(pressed)
    middleware = [Middleware(visitors.Visitors), Middleware(Delivery, files=files)]
    return {
        "Streamlit": (
            Starlette(routes=create_media_routes(plain, None)),
            plain.get_url(plain.load_and_get_id(content, "text/csv", kind, "table.csv")),
        ),
        "own": (Starlette(middleware=middleware), owned),
    }


async def measured(size: int) -> dict[str, float]:
    """Median seconds of either way, asked in turns."""
    seconds: dict[str, list[float]] = {"Streamlit": [], "own": []}
    found = ways(bytes(size))
    cookies = {f"rr_browser_{0:08x}": "A" * 43}
    for _ in range(REPEATS):
        for name, (app, address) in found.items():
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost", cookies=cookies) as client:
                begun = time.perf_counter()
                answer = await client.get(address)
                seconds[name].append(time.perf_counter() - begun)
            assert (answer.status_code, len(answer.content)) == (200, size), name
    return {name: statistics.median(each) for name, each in seconds.items()}


def main() -> int:
    """Print the ratios."""
    context = SimpleNamespace(headers=())
    client: Any = SimpleNamespace(client_context=context)
    met = True
    with patch.object(visitors.runtime, "get_instance", lambda: SimpleNamespace(get_client=lambda session: client)):
        for size, limit in LIMITS.items():
            visitor = hashlib.sha256(f"{'A' * 43} ".encode()).hexdigest()
            context.headers = ((visitors.HEADER, visitor),)
            found = asyncio.run(measured(size))
            own, plain = found["own"] * 1e3, found["Streamlit"] * 1e3
            print(f"{size:>12,} bytes: {own:7.3f} ms, Streamlit {plain:7.3f} ms, ratio {own / plain:.2f} (at most {limit})")
            met &= own <= limit * plain
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
