"""The page that every report is written on: one HTML file, accessible, light, printed with page breaks, header and footer.

It is built as a tree, so that whatever a person typed or a file holds is escaped where it is written. Nothing is loaded and nothing runs:
the page's own security policy forbids it.
"""

import platform
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from unicodedata import category
from xml.etree.ElementTree import Element, tostring

from rrcore.report.front import Front
from rrcore.wording import legible

Content = str | Element | None
"""Text, an element, or nothing."""

INTERNAL, REHEARSAL, SIMULATION = "Internal", "Rehearsal", "Simulation"
EXTERNAL = (
    "For handing out: apart from the names of categories, nothing in this document is computed from anybody's true answers."
)

_STYLE = Path(__file__).parent / "report.css"
_PRINTED = """
@page {{ size: A4; margin: 24mm 18mm 22mm; font: 9pt system-ui, sans-serif; color: #5A6470;
  @top-left {{ content: "{title}"; }} @top-right {{ content: "{audience}"; }}
  @bottom-left {{ content: "{foot}"; }} @bottom-right {{ content: "Page " counter(page) " of " counter(pages); }} }}
"""
_KEPT = 12  # rows of a table that is printed on one page
_LONGEST_RUNNING = 60  # letters of the title that fit beside the other half of the header


def html(name: str, *content: Content | Iterable[Content], kind: str = "", **attributes: str) -> Element:
    """The element ``name`` with this content; ``kind`` is its class. Characters that cannot be shown become a mark of replacement."""
    element = Element(name, {key.rstrip("_").replace("_", "-"): _shown(value) for key, value in attributes.items()})
    if kind:
        element.set("class", kind)
    for part in content:
        _add(element, part)
    return element


def _add(element: Element, part: Content | Iterable[Content]) -> None:
    if part is None:
        return
    if isinstance(part, str):
        if len(element):
            element[-1].tail = (element[-1].tail or "") + _shown(part)
        else:
            element.text = (element.text or "") + _shown(part)
    elif isinstance(part, Element):
        element.append(part)
    else:
        for one in part:
            _add(element, one)


def _shown(text: str) -> str:
    return visible(text).replace(" %", "\u00a0%")  # a line never begins with the sign alone


def visible(text: str) -> str:
    """``text`` made legible, with a mark of replacement for what cannot be shown at all."""
    return "".join(map(_one_visible, legible(text)))


def _one_visible(character: str) -> str:
    control = category(character) in ("Cc", "Cs") and character not in "\n\t"
    return "�" if control else character


def section(title: str, *content: Content | Iterable[Content], new_page: bool = False) -> Element:
    """A part of the report under its own heading; printed, it can begin a new page."""
    return html("section", html("h2", title), *content, kind="new-page" if new_page else "")


def figure(drawing: Element, caption: str) -> Element:
    """A drawing with what it shows."""
    return html("figure", html("div", drawing, kind="wide", tabindex="0"), html("figcaption", caption))


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Content]], *, numbers: int = 0) -> Element:
    """A table with a caption and headings of rows and columns; the last ``numbers`` columns are aligned to the right."""
    sides = [""] * (len(heads) - numbers) + ["n"] * numbers
    found = list(rows)
    head = html("tr", (html("th", text, scope="col", kind=side) for text, side in zip(heads, sides, strict=True)))
    body = (html("tr", html("th", row[0], scope="row", dir="auto"), _cells(row[1:], sides[1:])) for row in found)
    kept = "keep" if len(found) <= _KEPT else ""
    whole = html("table", html("caption", caption), html("thead", head), html("tbody", body), kind=kept)
    return html("div", whole, kind="wide", tabindex="0")


def _cells(contents: Sequence[Content], sides: Sequence[str]) -> Iterator[Element]:
    return (html("td", content, kind=side) for content, side in zip(contents, sides, strict=True))


def bullets(sentences: Iterable[Content | Iterable[Content]]) -> Element:
    """A list of sentences."""
    return html("ul", [html("li", sentence) for sentence in sentences])


def document(front: Front, *, name: str, about: str, parts: Sequence[Element], sha256: str, mark: str = "", why: str = "") -> str:
    """The whole file.

    Parameters
    ----------
    front : what was typed
    name : what kind of report this is; its title where none was typed
    about : one line below the title
    parts : what is said; the reasons that were typed stand after the first of them
    sha256 : fingerprint of the mechanism file
    mark, why : ``INTERNAL``, ``REHEARSAL`` or ``SIMULATION``, and what that means here; empty for a report to hand out
    """
    title = front.title.strip() or name
    typed = {"Author": front.author, "Organisation": front.organisation, "Date": front.date}
    entries: list[tuple[str, Content]] = [(what, text.strip()) for what, text in typed.items() if text.strip()]
    entries += [("Mechanism file", html("code", sha256)), ("Made with", versions())]
    audience = f"{mark}: {why}" if mark else EXTERNAL
    head = html(
        "header",
        html("p", audience, kind="audience internal" if mark else "audience"),
        html("h1", title, dir="auto"),
        html("p", f"{name}. {about}" if front.title.strip() else about),
        html("dl", [part for what, text in entries for part in (html("dt", what), html("dd", text, dir="auto"))]),
    )
    typed_reasons = html("p", front.reasons.strip(), kind="typed", dir="auto")
    why_asked = section("Why", typed_reasons) if front.reasons.strip() else None
    policy = {"http-equiv": "Content-Security-Policy", "content": "default-src 'none'; style-src 'unsafe-inline'"}
    whole = html(
        "html",
        html(
            "head",
            Element("meta", charset="utf-8"),
            Element("meta", policy),
            Element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            html("title", f"{mark}: {title}" if mark else title),
            _style(title, mark or "For handing out", f"{name} · {sha256[:12]}"),
        ),
        html("body", html("main", head, parts[0], why_asked, parts[1:])),
        lang="en",
    )
    return f"<!doctype html>\n{tostring(whole, encoding='unicode', method='html')}\n"


def _style(title: str, audience: str, foot: str) -> Element:
    running = title if len(title) <= _LONGEST_RUNNING else title[: _LONGEST_RUNNING - 1] + "…"
    texts = {"title": running, "audience": audience, "foot": foot}
    style = Element("style")  # its text is written as it is, so that nothing typed may enter it but as escapes
    style.text = _STYLE.read_text(encoding="utf-8") + _PRINTED.format(**{name: _css(text) for name, text in texts.items()})
    return style


def _css(text: str) -> str:
    """``text`` for a string of CSS: every character but letters, digits and spaces as an escape."""
    plain = " ".join(text.split())
    return "".join(c if c == " " or (c.isascii() and c.isalnum()) else f"\\{ord(c):x} " for c in plain)


def versions() -> str:
    """What the document was made with."""
    import numpy
    import scipy

    own = import_module("rrcore").__version__  # by name, since the public face is above
    return f"RR Workbench {own}, Python {platform.python_version()}, NumPy {numpy.__version__}, SciPy {scipy.__version__}"
