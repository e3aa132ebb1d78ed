"""The databases that receivers and ledgers are run on: SQLite files, and a PostgreSQL of our own."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_NUMBERS = itertools.count()
_BRIEF = "-c fsync=off -c full_page_writes=off -c autovacuum=off -c wal_level=minimal -c max_wal_senders=0"
"""A cluster that no test outlives need not survive that the machine loses power: a database is made in a fifth of the time."""


@pytest.fixture(scope="session")
def cluster() -> Iterator[Path]:
    """A PostgreSQL of our own on a socket in the folder given; its data are in the folder data."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[-3].zfill(3))
    initdb = shutil.which("initdb") or (str(programs[-1]) if programs else None)
    if initdb is None:
        reason = "no PostgreSQL on this machine: install the package 'postgresql' to run these tests on it as well"
        if os.environ.get("RR_REQUIRE_POSTGRES"):
            pytest.fail(reason)
        pytest.skip(reason)
    with tempfile.TemporaryDirectory(prefix="rr-pg-", dir="/tmp") as folder:
        root = Path(folder)
        own: dict[str, object] = {"cwd": root, "stdout": subprocess.DEVNULL, "check": True}
        if os.geteuid() == 0:  # PostgreSQL does not run as root
            shutil.chown(root, "nobody")
            own |= {"user": "nobody", "group": os.stat(root).st_gid, "extra_groups": []}
        data, control = root / "data", str(Path(initdb).with_name("pg_ctl"))
        subprocess.run([initdb, "-D", data, "-U", "steward", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"], **own)
        started = f"-k {root} -c listen_addresses='' -c max_connections=40 -c shared_buffers=16MB {_BRIEF}"
        subprocess.run([control, "-D", data, "-l", root / "log", "-w", "-o", started, "start"], **own)
        try:
            yield root
        finally:
            subprocess.run([control, "-D", data, "-m", "immediate", "stop"], **own)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new survey can be kept."""
    return new_place(request, tmp_path)


def new_place(request: pytest.FixtureRequest, folder: Path) -> str:
    """A new SQLite file in ``folder``, or a new database of the cluster."""
    if request.param == "sqlite":
        return str(folder / "place.db")
    import psycopg

    root, name = request.getfixturevalue("cluster"), f"place{next(_NUMBERS)}"
    with psycopg.connect(f"host={root} user=steward dbname=postgres", autocommit=True) as connection:
        copied = " STRATEGY FILE_COPY" if connection.info.server_version >= 150_000 else ""  # older ones know no other way
        connection.execute(f"CREATE DATABASE {name}{copied}")
    return f"postgresql://steward@/{name}?host={root}"
