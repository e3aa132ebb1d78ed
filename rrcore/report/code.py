"""Steps as a Python script or as a notebook: two forms of the same code."""

import json
import re
from collections.abc import Sequence
from html import escape

from rrcore.report.front import BLANK, Front
from rrcore.report.page import visible
from rrcore.report.steps import IMPORTS, Step

_MARKS = re.compile(r"([\\`*_\[\]$~#|])")
_STARTS = re.compile(r"^(\s*\d*)([-+]|(?<=\d)[.)])(?=\s)")

TRUE = "Internal: what this prints is computed from true answers. Do not hand it out."
"""The first line of code that reads a true table."""

RANDOMISED = "This reads randomised answers only, and nobody's true answer."
"""The first line of code that reads collected answers."""


def script(steps: Sequence[Step], first: str, front: Front = BLANK) -> str:
    """The ``steps`` as a Python script.

    Parameters
    ----------
    first : its first line, ``TRUE``, ``RANDOMISED``, or the warning of a simulation
    front : title, author, organisation, date and reasons, as comments

    Examples
    --------
    >>> print(script([Step("One and one.", "print(1 + 1)")], RANDOMISED))
    # This reads randomised answers only, and nobody's true answer.
    <BLANKLINE>
    # One and one.
    print(1 + 1)
    <BLANKLINE>
    """
    head = "\n".join(f"# {line}".rstrip() for line in (first, *_front(front)))
    parts = [head, *([imported] if (imported := _imports(steps)) else []), *(f"# {step.text}\n{step.code}" for step in steps)]
    return "\n\n".join(parts) + "\n"


def notebook(steps: Sequence[Step], first: str, front: Front = BLANK) -> str:
    """The ``steps`` as a Jupyter notebook (JSON, format 4.5), not yet run and so without any output."""
    title, *more = _front(front) or ["A reproduction of what the page shows"]
    head = "\n\n".join([f"**{first}**", f"# {_markdown(title)}", *map(_markdown, more)])
    cells = [_cell(0, "markdown", head)]
    if imported := _imports(steps):
        cells.append(_cell(1, "code", imported))
    for step in steps:
        cells += [_cell(len(cells), "markdown", step.text), _cell(len(cells) + 1, "code", step.code)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1)


def _front(front: Front) -> list[str]:
    """What was typed, line by line."""
    typed = (front.title, front.author, front.organisation, front.date, *front.reasons.splitlines())
    return [line for text in typed if (line := " ".join(visible(text).split()))]


def _markdown(text: str) -> str:
    """Return a line of text for Markdown: nothing in it is markup, nor begins a list."""
    return _STARTS.sub(r"\1\\\2", _MARKS.sub(r"\\\1", escape(text, quote=False)))


def _imports(steps: Sequence[Step]) -> str:
    """The lines of ``IMPORTS`` that the code needs, each with the names that it uses."""
    code = "\n".join(step.code for step in steps)
    kept = []
    for line in IMPORTS.splitlines():
        before, _, names = line.rpartition("import ")
        used = [name for name in names.split(", ") if re.search(rf"\b{name.split(' as ')[-1]}\b", code)]
        if used or not line:
            kept.append(f"{before}import {', '.join(used)}" if line else "")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def _cell(number: int, kind: str, source: str) -> dict[str, object]:
    code: dict[str, object] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "id": f"step-{number}", "metadata": {}, "source": source, **code}
