"""What the operator of this dashboard decided: limits of one user and of all, folders, hosts and a cluster, in one TOML file.

``rrcore app --operator FILE`` names it. Without one the dashboard serves the person at this computer alone.
"""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path

from rrcore.commands.app import LEDGERS_VARIABLE, OPERATOR_VARIABLE
from rrcore.errors import InputError, need
from rrcore.limits import MAX_READING_MEGABYTES, MAX_READING_SECONDS, MAX_UNFINISHED, UNFINISHED_SECONDS

_FOLDERS = ("ledgers", "surveys", "data", "releases")
_ADDRESS = re.compile(r"https://[A-Za-z0-9.:/_~-]{1,200}")
_MOST = 10**9  # of any number: more seconds, or units of 2^20 bytes, than a system can be told


@dataclass(frozen=True)
class Operator:
    """Limits and places of one dashboard.

    Parameters
    ----------
    jobs_per_user, jobs_per_address, jobs_in_all : most calculations at work at a time, each in a process of its own with one thread: of one
        person (who is logged in, else one browser tab), of one address without
        a login, and of all. Further ones wait; whoever has fewest at work is next. A core for each of all is plenty.
    short_job_seconds : a quarter of the places is kept for calculations that take no longer
    job_seconds, job_megabytes : time of one calculation once it is at work, and memory beyond the 200 MB or so that its process shares with
        the others; what needs more is ended, with a sentence. So at most jobs_in_all times job_megabytes are taken, and twice as much as one
        by the two downloads that are made at a time, beside the server
    readers : most uploads that are read at a time; further ones wait
    upload_megabytes_per_tab, upload_megabytes_in_all : memory of what was uploaded, in units of 2^20 bytes: of one browser tab, and of all
    download_megabytes_in_all : memory of files that were made when somebody pressed a button, in the same units; beyond it the browser tab
        that has most of them loses its oldest one
    tabs, tabs_per_address : most browser tabs that are open at a time, in all and of one address
    requests_per_minute : most requests of one address in a minute
    unfinished_per_address, unfinished_seconds : most connections of one address that are silent or not complete for more than a moment, and
        the time that such a connection has
    reader_seconds, reader_megabytes : time and memory of reading one upload
    ledgers : folder with the ledgers that users may open and create
    surveys : folder with the surveys that users may look at and close
    databases : database URLs of ledgers and surveys that users may open too
    data : folders with tables that users may count where they are, of any size
    releases : folder into which users may release those tables; empty for none
    hosts : names, besides localhost, that browsers may call this server by
    survey_addresses : where surveys can be started from page Field: an https address and, behind a space, the port of this computer that it
        leads to; none means that nobody starts one
    run_surveys : who may start, pause and close surveys, once logged in: e-mail addresses that the login vouches for, or "sub:" and the
        provider's number
    keep_ledgers : who may create ledgers and write to them, named in the same way
    release_tables : who may release tables of ``data`` into ``releases``, named in the same way
    contact : whom the people here ask, as they are told, such as an e-mail address; empty is "the operator of this dashboard"
    secrets : file with the section [auth] of Streamlit's login; empty asks nobody to log in
    scheduler : address of a Dask scheduler that counting and long calculations go to, such as tcp://host:8786; empty is this machine
    """

    jobs_per_user: int = 2
    jobs_per_address: int = 3
    jobs_in_all: int = 4
    short_job_seconds: int = 30
    job_seconds: int = 3600
    job_megabytes: int = 4096
    readers: int = 2
    upload_megabytes_per_tab: int = 1000
    upload_megabytes_in_all: int = 4000
    download_megabytes_in_all: int = 1000
    tabs: int = 500
    tabs_per_address: int = 200
    requests_per_minute: int = 12_000
    unfinished_per_address: int = MAX_UNFINISHED
    unfinished_seconds: int = UNFINISHED_SECONDS
    reader_seconds: int = MAX_READING_SECONDS
    reader_megabytes: int = MAX_READING_MEGABYTES
    ledgers: str = ""
    surveys: str = ""
    databases: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    releases: str = ""
    hosts: tuple[str, ...] = ()
    survey_addresses: tuple[str, ...] = ()
    run_surveys: tuple[str, ...] = ()
    keep_ledgers: tuple[str, ...] = ()
    release_tables: tuple[str, ...] = ()
    contact: str = ""
    secrets: str = ""
    scheduler: str = ""

    @property
    def survey_places(self) -> dict[str, int]:
        """Address of a survey, as people who share a dashboard start one, -> port that it leads to. Raises InputError for what is neither."""
        found = {}
        for each in self.survey_addresses:
            address, _, number = each.strip().rpartition(" ")
            if not (_ADDRESS.fullmatch(address) and number.isascii() and number.isdecimal() and 1024 <= int(number[:6]) <= 65535):
                raise InputError(
                    f"'{each[:80]}' of the setting 'survey_addresses' is not understood: write an address and the port of this "
                    "computer that it leads to, like https://survey.example.org 8601."
                )
            found[address.rstrip("/")] = int(number)
        return found

    @classmethod
    def from_toml(cls, text: str) -> Operator:
        """Read the operator's file. Raises InputError, with the name of the setting that is not understood."""
        try:
            found = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"The operator's file is not TOML ({error}): write one 'name = value' a line.") from error
        known = {each.name: getattr(cls, each.name) for each in fields(cls)}
        for name, value in found.items():
            if name not in known:
                raise InputError(f"The operator's file has a setting '{name[:40]}': choose among {', '.join(known)}.")
            if isinstance(known[name], tuple) and isinstance(value, list) and all(isinstance(each, str) for each in value):
                found[name] = tuple(value)
            elif type(value) is not type(known[name]) or (isinstance(value, int) and not 1 <= value <= _MOST):
                wanted = {int: f"a whole number from 1 to {_MOST:,}", str: "a text", tuple: "a list of texts"}[type(known[name])]
                raise InputError(f"The setting '{name}' of the operator's file is {str(value)[:40]!r}: expected {wanted}.")
        return cls(**found)

    def checked(self, beside: Path) -> Operator:
        """Settings with full paths, of which relative ones start ``beside`` the file. Raises InputError where a folder or library lacks."""
        places: dict[str, str | tuple[str, ...]] = {}
        _ = self.survey_places
        for name in _FOLDERS:
            given = getattr(self, name)
            found = [beside / os.path.expanduser(each) for each in ([given] if isinstance(given, str) else given) if each]
            for folder in found:
                if not folder.is_dir():
                    raise InputError(f"There is no folder '{folder}', which the setting '{name}' names: create it first.")
            places[name] = tuple(map(str, found)) if isinstance(given, tuple) else "".join(map(str, found))
        if self.scheduler:
            need("distributed", "The setting 'scheduler' of the operator's file")
        if self.databases:
            from rrcore.work.database.places import engine_of, path_of

            for address in self.databases:
                if path_of(address, "ledger") is None:
                    engine_of(address, "ledger")
        return replace(self, **places, secrets=self.secrets and str(beside / self.secrets))  # type: ignore[arg-type]


@cache
def operator() -> Operator:
    """The operator's decisions, read once. Raises InputError where they are not understood or cannot be carried out."""
    decided, beside = Operator(), Path.cwd()
    if place := os.environ.get(OPERATOR_VARIABLE):
        try:
            decided = Operator.from_toml(Path(place).read_text(encoding="utf-8-sig"))  # some editors put a mark there
        except (OSError, UnicodeError) as error:
            raise InputError(f"The operator's file '{place}' cannot be read: check its name and place.") from error
        beside = Path(place).absolute().parent
    if ledgers := os.environ.get(LEDGERS_VARIABLE):
        decided = replace(decided, ledgers=str(Path(ledgers).absolute()))
    return decided.checked(beside)
