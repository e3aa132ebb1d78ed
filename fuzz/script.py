"""Mechanism files as the script reads them that goes along with releases: it refuses with a sentence, and nothing that the program reads."""

import contextlib
import io
import sys
import tempfile
from pathlib import Path

from fuzz.documents import seeds, text_of
from fuzz.mechanism import FILE, sealed
from rrcore.errors import InputError
from rrcore.promise import MechanismFile
from rrcore.promise.check import main

_PLACE = Path(tempfile.mkdtemp()) / "mechanism.json"
SEEDS = seeds(FILE.to_json())


def check(data: bytes) -> None:
    """Whatever is not a sentence is a finding."""
    text = sealed(text_of(data, FILE.to_json()))
    _PLACE.write_bytes(text)
    refused, digits = "", sys.get_int_max_str_digits()
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.redirect_stderr(io.TextIOWrapper(io.BytesIO())):
        try:
            main(_PLACE)
        except SystemExit as error:
            refused = str(error)
        finally:
            sys.set_int_max_str_digits(digits)  # the script is for a process of its own
    with contextlib.suppress(InputError):
        MechanismFile.from_bytes(text)
        assert not refused, refused
