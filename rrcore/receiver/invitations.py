"""Invitation codes, each of which works once, for one receipt.

RR Workbench stores only the hashes of the codes and never stores a code with an answer.
"""

import hashlib
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Literal

from rrcore.database import insert
from rrcore.errors import InputError
from rrcore.files import new_file
from rrcore.limits import MAX_INVITATIONS
from rrcore.receiver.invitation_codes import code_hash, new_code
from rrcore.receiver.store import SURVEYS, Store
from rrcore.wording import csv_text

Use = Literal["free", "granted", "used", "unknown"]
"""State of a code: free, granted for this hidden receipt, used for another one, or unknown in this survey."""


def invite(store: Store, number: int) -> list[str]:
    """Return new invitation codes, of which the survey stores only the hashes.

    Write the codes down, because they cannot be recovered. Raises InputError as ``draw_codes`` does.
    """
    codes = draw_codes(store, number)
    with inviting(store, codes):
        return codes


def draw_codes(store: Store, number: int) -> list[str]:
    """Draw invitation codes.

    The survey accepts them only after ``inviting``.

    Raises
    ------
    InputError
        If the survey needs no invitations or is closed, or if ``number`` is not between 1 and ``MAX_INVITATIONS``.
    """
    if not store.key:
        raise InputError(
            f"Anyone can answer the survey at '{store.place}', so it needs no codes. Codes require a survey started with "
            "--invited."
        )
    if not 1 <= number <= MAX_INVITATIONS:
        raise InputError(f"The number of invitations is {number:,}. Choose a number from 1 to {MAX_INVITATIONS:,}.")
    if store.closed:
        raise InputError(f"The survey at '{store.place}' is closed, so nobody else can be invited.")
    return [new_code() for _ in range(number)]


@contextmanager
def inviting(store: Store, codes: Iterable[str]) -> Iterator[None]:
    """Store the hashes of the codes if the block ends without an error.

    Deliver the codes inside the block.
    """
    with SURVEYS.writing(store.place) as connection:
        insert(connection, "rr_code", [{"hash": each} for each in sorted(map(code_hash, codes))])
        yield


def use_code(store: Store, code: str, hidden: bytes = b"") -> Use:
    """Use a code to obtain a signature for a hidden receipt.

    The result is "granted" the first time, and again for the same receipt. Without a receipt, the function only looks up the
    code.
    """
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
    """Return the number of used codes and the number of all codes."""
    with SURVEYS.reading(store.place) as connection:
        used, known = connection.execute("SELECT count(used_for), count(*) FROM rr_code").fetchone()
    return used, known


def links(address: str, codes: Iterable[str]) -> list[str]:
    """Return the address of the form with each code after a #.

    Browsers do not send the part after the # to the server.
    """
    return [f"{address}#code={code}" for code in codes]


def write_invitations(store: Store, number: int, path: str | PathLike[str], *, address: str = "") -> tuple[int, int]:
    """Write new codes to a CSV file that only its owner can read.

    Parameters
    ----------
    store : Store
    number : int
    path : path of a file that does not exist yet
    address : str
        Address of the form, to write a link for each code.

    Returns
    -------
    used, known : int
        Number of codes that were used and of all.

    Raises
    ------
    InputError
        As ``draw_codes`` does, or if the file cannot be written. In that case, the survey does not accept the codes.
    """
    codes = draw_codes(store, number)
    columns = {"code": codes} | ({"link": links(address, codes)} if address else {})
    with new_file(Path(path), private=True, within=inviting(store, codes)) as file:
        file.write(csv_text(columns, zip(*columns.values(), strict=True)).encode())
    return used_codes(store)
