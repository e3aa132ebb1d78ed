"""What a stranger sends to the receiver."""

import json

import rrcore as rr
from fuzz.documents import checker, seeds
from rrcore.budget import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.receiver.submission import Checker

_SCHEMA = rr.load_demo("titanic").schema.select(["Sex", "Age"])
_FILE = MechanismFile(_SCHEMA, integer_groups(build("independent", _SCHEMA.sizes, [1.0, 1.0])))
_SENT = {"mechanism": _FILE.sha256, "answers": {"Sex": "Male", "Age": "Adult"}, "receipt": "0" * 64, "signature": "0" * 512}

SEEDS = seeds(json.dumps(_SENT))
check = checker(Checker(_FILE, invited=True).read, json.dumps(_SENT), again=False)
