"""Answers as JSON lines, alone and of groups."""

import json
from unittest.mock import patch

import rrcore as rr
from fuzz.documents import checker, seeds
from rrcore.answers import read_answers
from rrcore.promise import MechanismFile, MechanismGroups, integer_groups
from rrcore.table.reading import lines
from rrcore.work import quiet
from rrcore.work.bounded import Returned

_SCHEMA = rr.load_demo("titanic").schema.select(["Sex", "Age"])
_FILES = [MechanismFile(_SCHEMA, integer_groups(rr.build("kronecker", _SCHEMA.sizes, [eps] * 2))) for eps in (1.0, 2.0)]
_GROUPS = MechanismGroups({"one": _FILES[0], "other": _FILES[1]})
_LINE = json.dumps({"mechanism": _FILES[0].sha256, "answers": {"Sex": "Male", "Age": "Adult"}, "receipt": "0" * 64})


def here(function: str, content: bytes, asked: dict[str, object], **_: str) -> Returned:
    """What ``bounded`` makes of lines, in this process, so that its paths are seen."""
    found = getattr(lines, function.partition(":")[2])(memoryview(content), report=quiet, **asked)
    return Returned(*found)


def _read(text: bytes) -> object:
    content = b"{}\n" + text + b"\n" + _LINE.encode()
    with patch.object(lines, "bounded", here):
        read_answers([(content, "a.jsonl")], _GROUPS)
        return read_answers([(content, "a.jsonl")], _FILES[0])


SEEDS = seeds(_LINE)
check = checker(_read, _LINE, again=False)
