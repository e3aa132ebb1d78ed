"""Mechanism files, sealed with the fingerprint of whatever they say, so that what is behind it is reached."""

import hashlib
import json

import rrcore as rr
from fuzz.documents import checker, seeds
from rrcore.budget import build
from rrcore.promise import MechanismFile, integer_groups

_SCHEMA = rr.load_demo("titanic").schema.select(["Sex", "Age", "Survived"])
FILE = MechanismFile(_SCHEMA, integer_groups(build("preserving-2", _SCHEMA.sizes, [2.0, 1.0, 1.0])), "me", "note")


def sealed(text: bytes) -> bytes:
    """The document with the fingerprint that fits it; anything else as it is."""
    try:
        document = json.loads(text)
        body = {key: value for key, value in document.items() if key != "sha256"}
        canonical = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        return json.dumps(body | {"sha256": hashlib.sha256(canonical).hexdigest()}).encode()
    except (ValueError, AttributeError, RecursionError):
        return text


def _read(text: bytes) -> MechanismFile:
    return MechanismFile.from_json(sealed(text))


SEEDS = seeds(FILE.to_json())
check = checker(_read, FILE.to_json())
