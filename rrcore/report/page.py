"""The page that every report is written on: one HTML file, accessible, light, printed with page breaks, header and footer.

It is built as a tree, so that whatever a person typed or a file holds is escaped where it is written. Nothing is loaded and nothing runs:
the page's own security policy forbids it.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from importlib import import_module
from unicodedata import category
from xml.etree.ElementTree import Element, tostring

from rrcore.report.front import Front

Content = str | Element | None
"""Text, an element, or nothing."""

INTERNAL = "Internal"
EXTERNAL = "For handing out: nothing in this document is computed from anybody's true answers."

_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; color: #2B2F36; background: #fff; max-width: 46rem;
  margin: 0 auto; padding: 1.5rem 1rem 4rem; overflow-wrap: break-word; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: .5rem 0; } h2 { font-size: 1.35rem; line-height: 1.25; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1.08rem; line-height: 1.3; margin: 1.75rem 0 .25rem; }
.audience { font-weight: 600; border-left: 4px solid #0072B2; padding: .25rem .75rem; background: #F4F8FB; }
.internal { border-color: #B04A00; background: #FDF3EA; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 1rem 0; } dt { color: #5A6470; } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin: .75rem 0; font-size: .9rem; }
caption { text-align: left; color: #5A6470; padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid #E3E6EA; }
th { font-weight: 600; } tbody th { font-weight: 400; } .n { text-align: right; } td.n { white-space: nowrap; }
figure { margin: 1rem 0; } figure svg { width: 100%; min-width: 34rem; height: auto; display: block; }
figcaption, .note { color: #5A6470; font-size: .9rem; } .typed { white-space: pre-line; }
code, pre { font: .85rem/1.45 ui-monospace, Consolas, monospace; overflow-wrap: anywhere; } pre { white-space: pre-wrap; }
li { margin: .3rem 0; }
@media print {
  body { font-size: 10.5pt; max-width: none; padding: 0; } h1 { font-size: 20pt; } h2 { font-size: 14pt; } h3 { font-size: 11.5pt; }
  h2, h3, caption { break-after: avoid; } figure, tr, li, dl, .keep { break-inside: avoid; } thead { display: table-header-group; }
  .new-page { break-before: page; } .new-page > h2 { margin-top: 0; } p { orphans: 3; widows: 3; }
  figure svg { min-width: 0; } .wide { overflow: visible; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
_PRINTED = """
@page {{ size: A4; margin: 24mm 18mm 22mm; font: 9pt system-ui, sans-serif; color: #5A6470;
  @top-left {{ content: "{title}"; }} @top-right {{ content: "{audience}"; }}
  @bottom-left {{ content: "{foot}"; }} @bottom-right {{ content: "Page " counter(page) " of " counter(pages); }} }}
"""
_KEPT = 12  # rows of a table that is printed on one page
_TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # would turn the letters of a name round
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
    return "".join(map(_visible, text)).replace(" %", "\u00a0%")  # a line never begins with the sign alone


def _visible(character: str) -> str:
    control = category(character) in ("Cc", "Cs") and character not in "\n\t"
    return "�" if control or character in _TURNS else character


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
    body = (
        html("tr", html("th", row[0], scope="row", dir="auto"), (html("td", cell, kind=side) for cell, side in zip(row[1:], sides[1:], strict=True)))
        for row in found
    )  # fmt: skip
    kept = "keep" if len(found) <= _KEPT else ""
    whole = html("table", html("caption", caption), html("thead", head), html("tbody", body), kind=kept)
    return html("div", whole, kind="wide", tabindex="0")


def bullets(sentences: Iterable[Content | Iterable[Content]]) -> Element:
    """A list of sentences."""
    return html("ul", [html("li", sentence) for sentence in sentences])


def document(front: Front, *, name: str, about: str, internal: str, parts: Iterable[Element], sha256: str) -> str:
    """The whole file.

    Parameters
    ----------
    front : what was typed
    name : what kind of report this is; its title where none was typed
    about : one line below the title
    internal : why it may not be handed out, as the end of a sentence; empty where it may
    sha256 : fingerprint of the mechanism file
    """
    title = front.title.strip() or name
    typed = {"Author": front.author, "Organisation": front.organisation, "Date": front.date}
    entries = [(what, text.strip()) for what, text in typed.items() if text.strip()]
    entries += [("Mechanism file", f"SHA-256 {sha256}"), ("Made with", versions())]
    audience = f"{INTERNAL}: {internal}" if internal else EXTERNAL
    head = html(
        "header",
        html("p", audience, kind="audience internal" if internal else "audience"),
        html("h1", title, dir="auto"),
        html("p", f"{name}. {about}" if front.title.strip() else about),
        html("dl", [[html("dt", what), html("dd", text, dir="auto")] for what, text in entries]),
    )
    policy = {"http-equiv": "Content-Security-Policy", "content": "default-src 'none'; style-src 'unsafe-inline'"}
    whole = html(
        "html",
        html(
            "head",
            Element("meta", charset="utf-8"),
            Element("meta", policy),
            Element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            html("title", f"{INTERNAL}: {title}" if internal else title),
            _style(title, INTERNAL if internal else "For handing out", f"{name} · {sha256[:12]}"),
        ),
        html("body", html("main", head, parts)),
        lang="en",
    )
    return f"<!doctype html>\n{tostring(whole, encoding='unicode', method='html')}\n"


def _style(title: str, audience: str, foot: str) -> Element:
    running = title if len(title) <= _LONGEST_RUNNING else title[: _LONGEST_RUNNING - 1] + "…"
    texts = {"title": running, "audience": audience, "foot": foot}
    style = Element("style")  # its text is written as it is, so that nothing typed may enter it but as escapes
    style.text = _STYLE + _PRINTED.format(**{name: _css(text) for name, text in texts.items()})
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
