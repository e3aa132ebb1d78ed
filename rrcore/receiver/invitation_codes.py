"""Invitation codes, which people type. Only their hashes are stored."""

import hashlib
import secrets

_SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32: no I, L, O, U
_LIKE = str.maketrans("OIL", "011", "- ")
_GROUP, _GROUPS = 5, 3


def new_code() -> str:
    """Return a code of 75 random bits, such as "7K3QD-9XW2M-4HTRC".

    Such codes cannot be guessed or found from their hashes.
    """
    return "-".join("".join(secrets.choice(_SIGNS) for _ in range(_GROUP)) for _ in range(_GROUPS))


def plain_code(typed: str) -> str:
    """Return a typed code in its standard form of 15 characters.

    Small letters, O for 0, and missing hyphens are accepted. The result is empty for other strings.

    Examples
    --------
    >>> plain_code(" 7k3qd 9xw2m-4htrc"), plain_code("hello")
    ('7K3QD9XW2M4HTRC', '')
    """
    plain = typed.strip().upper().translate(_LIKE)
    return plain if len(plain) == _GROUP * _GROUPS and set(plain) <= set(_SIGNS) else ""


def code_hash(code: str) -> bytes:
    """Return the SHA-256 of a code, regardless of how it is typed.

    Texts that cannot be codes have the hash of the empty text, which is the hash of no code.
    """
    return hashlib.sha256(plain_code(code).encode("ascii")).digest()
