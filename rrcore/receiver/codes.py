"""Codes of invitations to a survey, which people type. Only their hashes are kept."""

import hashlib
import secrets

_SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32: no I, L, O, U
_LIKE = str.maketrans("OIL", "011", "- ")
_GROUP, _GROUPS = 5, 3


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


def code_hash(code: str) -> bytes:
    """SHA-256 of a code, however it is typed; what cannot be a code has that of the empty text, which is no code's."""
    return hashlib.sha256(plain_code(code).encode("ascii")).digest()
