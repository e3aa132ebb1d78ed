"""Answers as JSON lines, alone and of groups."""

import json

import rrcore as rr
from fuzz.documents import checker, seeds
from rrcore.collect import MechanismFile, MechanismGroups, integer_groups, read_answers, read_groups

_SCHEMA = rr.load_demo("titanic").schema.select(["Sex", "Age"])
_FILES = [MechanismFile(_SCHEMA, integer_groups(rr.build("kronecker", _SCHEMA.sizes, [eps] * 2))) for eps in (1.0, 2.0)]
_GROUPS = MechanismGroups({"one": _FILES[0], "other": _FILES[1]})
_LINE = json.dumps({"mechanism": _FILES[0].sha256, "answers": {"Sex": "Male", "Age": "Adult"}, "receipt": "0" * 64})


def _read(text: bytes) -> object:
    lines = b"{}\n" + text + b"\n" + _LINE.encode()
    read_groups([(lines, "a.jsonl")], _GROUPS)
    return read_answers([(lines, "a.jsonl")], _FILES[0])


SEEDS = seeds(_LINE)
check = checker(_read, _LINE, again=False)
