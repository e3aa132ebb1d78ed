"""Invitation codes: each can be used once, for one receipt. Only their hashes are kept, and none stands near an answer."""

import hashlib
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Literal

from rrcore.database import insert
from rrcore.errors import InputError
from rrcore.limits import MAX_INVITATIONS
from rrcore.receiver.codes import code_hash, new_code
from rrcore.receiver.store import SURVEYS, Store

Use = Literal["free", "granted", "used", "unknown"]
"""What is known of a code: free, granted for this hidden receipt, used for another one, or none of this survey's."""


def invite(store: Store, number: int) -> list[str]:
    """New codes that ``store`` knows by their hashes alone: write them down. Raises InputError as ``draw_codes``."""
    codes = draw_codes(store, number)
    with inviting(store, codes):
        return codes


def draw_codes(store: Store, number: int) -> list[str]:
    """New codes for ``store``, which does not know them before ``inviting``.

    Raises
    ------
    InputError
        If everybody may answer this survey, it is closed, or ``number`` is not 1 to ``MAX_INVITATIONS``.
    """
    if not store.key:
        raise InputError(
            f"Everybody may answer the survey at '{store.place}': codes are for one that was started with --invited."
        )
    if not 1 <= number <= MAX_INVITATIONS:
        raise InputError(f"{number:,} invitations were asked for: ask for 1 to {MAX_INVITATIONS:,} at a time.")
    if store.closed:
        raise InputError(f"The survey at '{store.place}' is closed: nobody can be invited any more.")
    return [new_code() for _ in range(number)]


@contextmanager
def inviting(store: Store, codes: Iterable[str]) -> Iterator[None]:
    """``store`` knows the codes if the block ends well: in which they get to whoever hands them out."""
    with SURVEYS.writing(store.place) as connection:
        insert(connection, "rr_code", [{"hash": each} for each in sorted(map(code_hash, codes))])
        yield


def use_code(store: Store, code: str, hidden: bytes = b"") -> Use:
    """Use a code for a hidden receipt: "granted" the first time, and again for the same one. Without one, only see what is known of it."""
    digest, wanted = code_hash(code), hashlib.sha256(hidden).digest()
    with (SURVEYS.writing if hidden else SURVEYS.reading)(store.place) as connection:
        found = connection.execute("SELECT used_for FROM rr_code WHERE hash = ?", (digest,)).fetchone()
        if hidden and found is not None and found["used_for"] is None:
            connection.execute("UPDATE rr_code SET used_for = ? WHERE hash = ?", (wanted, digest))
            return "granted"
    if found is None:
        return "unknown"
    if found[0] is None:
        return "free"
    return "granted" if hidden and secrets.compare_digest(found[0], wanted) else "used"


def used_codes(store: Store) -> tuple[int, int]:
    """Number of codes that were used, and of all."""
    with SURVEYS.reading(store.place) as connection:
        used, known = connection.execute("SELECT count(used_for), count(*) FROM rr_code").fetchone()
    return used, known


def links(address: str, codes: Iterable[str]) -> list[str]:
    """The form's address with each code behind a #, which browsers do not send to the server."""
    return [f"{address}#code={code}" for code in codes]
