"""A document of headings, sentences, lists and tables that people go on writing in: as Markdown, and as a Word document (DOCX)."""

import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

from rrcore.errors import need
from rrcore.report.front import Front
from rrcore.report.page import visible

OPEN = "To be filled in: "
"""How a line begins that nobody but the author can write."""

_MARKS = re.compile(r"([\\`*_\[\]$~#|])")
_STARTS = re.compile(r"^(\s*\d*)([-+]|(?<=\d)[.)])(?=\s)")
_NO_CHARACTERS = re.compile("[\ufffe\uffff]")
_ON = (1980, 1, 1, 0, 0, 0)  # of all parts of a DOCX file, which depends on nothing but what it says


class Block(Protocol):
    """A part of a document."""

    def markdown(self) -> str: ...
    def add_to(self, word: Any) -> None:
        """Add it to a document of python-docx."""


@dataclass(frozen=True)
class Heading:
    """The heading of what follows."""

    text: str

    def markdown(self) -> str:
        return f"## {markdown_text(self.text)}"

    def add_to(self, word: Any) -> None:
        word.add_heading(_shown(self.text), level=1)


@dataclass(frozen=True)
class Paragraph:
    """Sentences; line breaks are kept."""

    text: str

    def markdown(self) -> str:
        return "  \n".join(map(markdown_text, self.text.splitlines()))

    def add_to(self, word: Any) -> None:
        word.add_paragraph(_shown(self.text))


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]

    def markdown(self) -> str:
        return "\n".join(f"- {markdown_text(' '.join(item.split()))}" for item in self.items)

    def add_to(self, word: Any) -> None:
        for item in self.items:
            word.add_paragraph(_shown(item), style="List Bullet")


@dataclass(frozen=True)
class Grid:
    """A table with what it shows, its headings and rows of texts."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        lines = [self.heads, ("---",) * len(self.heads), *self.rows]
        cells = ([cell if row == 1 else markdown_text(" ".join(cell.split())) for cell in line] for row, line in enumerate(lines))
        return "\n".join([f"{markdown_text(self.caption)}:", "", *(f"| {' | '.join(line)} |" for line in cells)])

    def add_to(self, word: Any) -> None:
        word.add_paragraph(_shown(f"{self.caption}:"))
        table = word.add_table(rows=0, cols=len(self.heads), style="Table Grid")
        for number, line in enumerate([self.heads, *self.rows]):
            for cell, text in zip(table.add_row().cells, line, strict=True):
                cell.paragraphs[0].add_run(_shown(text)).bold = number == 0
        word.add_paragraph()


@dataclass(frozen=True)
class Written:
    """A whole document.

    Parameters
    ----------
    name : what kind of document it is; its title where none was typed
    front : what was typed; its reasons are for the blocks to say
    blocks : what it says

    Examples
    --------
    >>> print(Written("Notes", Front(author="A. Steward"), (Heading("Why"), Bullets(("It is *short*.",)))).markdown())
    # Notes
    <BLANKLINE>
    A. Steward
    <BLANKLINE>
    ## Why
    <BLANKLINE>
    - It is \\*short\\*.
    <BLANKLINE>
    """

    name: str
    front: Front
    blocks: tuple[Block, ...]

    @property
    def title(self) -> str:
        """What was typed, or what kind of document it is."""
        typed = self.front.title.strip()
        return f"{self.name}: {typed}" if typed else self.name

    @property
    def _by(self) -> str:
        typed = (self.front.author, self.front.organisation, self.front.date)
        return ", ".join(text.strip() for text in typed if text.strip())

    def markdown(self) -> str:
        """The document as Markdown; what was typed or stands in a file is escaped."""
        by = [markdown_text(self._by)] if self._by else []
        return "\n\n".join([f"# {markdown_text(self.title)}", *by, *(block.markdown() for block in self.blocks)]) + "\n"

    def docx(self) -> bytes:
        """The document as a Word file, the same bytes for the same document.

        Raises
        ------
        MissingExtraError
            Without the extra "documents", which installs python-docx.
        """
        word = need("docx", "A Word document", extra="documents").Document()
        word.core_properties.author, word.core_properties.title = _shown(self.front.author), _shown(self.title)
        word.add_heading(_shown(self.title), level=0)
        if self._by:
            word.add_paragraph(_shown(self._by))
        for block in self.blocks:
            block.add_to(word)
        made, fixed = io.BytesIO(), io.BytesIO()
        word.save(made)
        with zipfile.ZipFile(made) as parts, zipfile.ZipFile(fixed, "w", zipfile.ZIP_DEFLATED) as out:
            for name in parts.namelist():
                out.writestr(zipfile.ZipInfo(name, _ON), parts.read(name), zipfile.ZIP_DEFLATED)
        return fixed.getvalue()


def markdown_text(text: str) -> str:
    """A line of text for Markdown: nothing in it is markup, nor begins a list."""
    return _STARTS.sub(r"\1\\\2", _MARKS.sub(r"\\\1", escape(_shown(text), quote=False)))


def to_fill_in(*what: str) -> Bullets:
    """A list of what only the author can write."""
    return Bullets(tuple(OPEN + each for each in what))


def table_of(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Grid:
    """A table of any sequences of texts."""
    return Grid(caption, tuple(heads), tuple(tuple(row) for row in rows))


def _shown(text: str) -> str:
    return _NO_CHARACTERS.sub("�", visible(text)).replace("\t", " ")
