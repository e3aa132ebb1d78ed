"""Progress is shown on a terminal, and nowhere else."""

import io
import sys

import pytest

from rrcore.commands.progress import shown


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("error", "said"), [(Terminal(), "\r\033[K 50% half\r"), (io.StringIO(), ""), (None, None)])
def test_where_it_is_shown(error, said, monkeypatch):
    monkeypatch.setattr(sys, "stderr", error)
    shown()(0.5, "half")
    assert said == (None if error is None else error.getvalue())
