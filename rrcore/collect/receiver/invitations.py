"""Invitation codes: each can be used once, for one receipt. Only their hashes are kept, and none stands near an answer."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Literal

from sqlalchemy import insert, select, update

from rrcore.collect.receiver.database import transaction
from rrcore.collect.receiver.store import Store
from rrcore.collect.receiver.tables import CODES
from rrcore.errors import InputError
from rrcore.limits import MAX_INVITATIONS

_SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32: no I, L, O, U
_LIKE = str.maketrans("OIL", "011", "- ")
_GROUP, _GROUPS = 5, 3

Use = Literal["free", "granted", "used", "unknown"]
"""What is known of a code: free, granted for this hidden receipt, used for another one, or none of this survey's."""


def new_code() -> str:
    """A code of 75 random bits, such as "7K3QD-9XW2M-4HTRC": too many to guess, or to find from their hashes."""
    return "-".join("".join(secrets.choice(_SIGNS) for _ in range(_GROUP)) for _ in range(_GROUPS))


def plain_code(typed: str) -> str:
    """A code as it was typed (small letters, O for 0, without hyphens) as 15 signs; the empty text if it cannot be one.

    Examples
    --------
    >>> plain_code(" 7k3qd 9xw2m-4htrc"), plain_code("hello")
    ('7K3QD9XW2M4HTRC', '')
    """
    plain = typed.strip().upper().translate(_LIKE)
    return plain if len(plain) == _GROUP * _GROUPS and set(plain) <= set(_SIGNS) else ""


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
            f"Everybody may answer the survey at '{store.shown}': codes are for one that was started with --invited."
        )
    if not 1 <= number <= MAX_INVITATIONS:
        raise InputError(f"{number:,} invitations were asked for: ask for 1 to {MAX_INVITATIONS:,} at a time.")
    if store.closed:
        raise InputError(f"The survey at '{store.shown}' is closed: nobody can be invited any more.")
    return [new_code() for _ in range(number)]


@contextmanager
def inviting(store: Store, codes: Iterable[str]) -> Iterator[None]:
    """``store`` knows the codes if the block ends well: in which they get to whoever hands them out."""
    with transaction(store.place) as connection:
        connection.execute(insert(CODES), [{"hash": each} for each in sorted(map(_hash, codes))])
        yield


def use_code(store: Store, code: str, hidden: bytes = b"") -> Use:
    """Use a code for a hidden receipt: "granted" the first time, and again for the same one. Without one, only see what is known of it."""
    digest, wanted = _hash(code), hashlib.sha256(hidden).digest()
    with transaction(store.place) as connection:
        mine = CODES.c.hash == digest
        free = update(CODES).where(mine, CODES.c.used_for.is_(None)).values(used_for=wanted)
        if hidden and connection.execute(free).rowcount:
            return "granted"
        found = connection.execute(select(CODES.c.used_for).where(mine)).one_or_none()
    if found is None:
        return "unknown"
    if found[0] is None:
        return "free"
    return "granted" if hidden and secrets.compare_digest(found[0], wanted) else "used"


def used_codes(store: Store) -> tuple[int, int]:
    """Number of codes that were used, and of all."""
    with transaction(store.place) as connection:
        found = connection.execute(select(CODES.c.used_for)).scalars().all()
    return sum(each is not None for each in found), len(found)


def _hash(code: str) -> bytes:
    return hashlib.sha256(plain_code(code).encode("ascii")).digest()


def links(address: str, codes: Iterable[str]) -> list[str]:
    """The form's address with each code behind a #, which browsers do not send to the server."""
    return [f"{address}#code={code}" for code in codes]
