"""How many answers a second does the receiver take from 50 phones at once, compared with bare inserts with a commit of their own?

Prints answers per second, when the database is empty and with 100,000 answers in it, and the ratio of the best of 2 interleaved times;
exits 1 if the rate is below ``RATE`` times that of bare inserts.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import secrets
import sqlite3
import sys
import tempfile
from contextlib import closing
from time import perf_counter

import httpx
import numpy as np

from benchmarks.sizes import size
from benchmarks.thresholds import Measured, verdict
from rrcore.budget import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.receiver import Submission, create_store
from rrcore.receiver.addresses import Terms
from rrcore.receiver.app import receiver_app
from rrcore.receiver.store import SURVEYS
from rrcore.table import Attribute, Schema

PHONES = size(50, 5)
ANSWERS = size(200, 10)
FILLED = size(100_000, 10_000)
RUNS = size(2, 1)
RATE = 0.8


def main() -> int:
    place = f"{tempfile.mkdtemp()}/bench.survey"
    schema = Schema(tuple(Attribute(f"question {i}", tuple("abcdefgh")) for i in range(8)))
    mechanism = MechanismFile(schema, integer_groups(build("independent", schema.sizes, [1.0] * 8)))
    store = create_store(place, mechanism, title="Benchmark")
    app = receiver_app(store, Terms("http://localhost:8000", per_minute=10**9))
    rng = np.random.default_rng(0)

    def line() -> str:
        answers = dict(zip(schema.names, rng.choice(list("abcdefgh"), 8).tolist(), strict=True))
        return json.dumps({"mechanism": mechanism.sha256, "answers": answers, "receipt": secrets.token_hex(32)})

    async def received() -> None:
        async def phone(lines: list[str]) -> None:
            for each in lines:
                answer = await client.post("/answers", content=each, headers={"content-type": "application/json"})
                assert answer.status_code == 200, answer.text

        transport = httpx.ASGITransport(app=app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
        ):
            await asyncio.gather(*[phone(list(lines)) for lines in np.array_split([line() for _ in range(ANSWERS)], PHONES)])

    def committed() -> None:
        with closing(sqlite3.connect(f"{place}.bare", isolation_level=None)) as connection:
            for pragma in SURVEYS.pragmas:
                connection.execute(f"PRAGMA {pragma}")
            connection.execute("CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, record TEXT)")
            for _ in range(ANSWERS):
                connection.execute("INSERT INTO bare (record) VALUES ('0 1 2 3 4 5 6 7')")

    measured = []
    for filled in (0, FILLED):
        for start in range(0, filled, 10_000):
            more = [Submission((0,) * 8, f"filled {start + i}".encode()) for i in range(10_000)]
            store.add(more, dt.date(2026, 3, 1))
        best = [np.inf, np.inf]
        for _ in range(RUNS):
            for i, job in enumerate((committed, lambda: asyncio.run(received()))):
                begun = perf_counter()
                job()
                best[i] = min(best[i], perf_counter() - begun)
        speed = [f"{ANSWERS / each:,.0f} a second" for each in best]
        print(f"{filled:,} answers before: bare inserts {speed[0]}, received {speed[1]}")
        measured.append(
            Measured(f"rate compared with bare inserts, {filled:,} answers before", best[0] / best[1], RATE, "times", least=True)
        )
    return verdict("receiver", measured)


if __name__ == "__main__":
    sys.exit(main())
