"""What the build of the site adds: help of every command, glossary, and a look at the result, which may load nothing from elsewhere."""

import io
import os
import re
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

_HELP = re.compile(r"<!-- help: (\w+) -->")
_GLOSSARY = "<!-- glossary -->"
_ELSEWHERE = re.compile(
    r"<(?:script|img|iframe|source|audio|video|embed)\b[^>]*\bsrc=[\"']?(?:https?:)?//"
    r"|<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|icon|preload|preconnect|dns-prefetch|modulepreload|manifest))[^>]*\bhref=[\"']?(?:https?:)?//"
    r"|url\([\"']?(?:https?:)?//|@import\s+[\"'](?:https?:)?//",
    re.IGNORECASE,
)


_BOOSTS = {"howto/": 3.0, "tutorial/": 2.0, "reference/api/": 0.2}
"""How much pages weigh in the search: who types a word wants to know how, and then what a function takes."""


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Says how much the page weighs in the search."""
    page.meta["search"] = {"boost": next((boost for place, boost in _BOOSTS.items() if page.file.src_uri.startswith(place)), 1.0)}
    return html


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The help of a command, and the glossary, in place of their marks."""
    if _GLOSSARY in markdown:
        from rrcore.wording import GLOSSARY

        terms = "\n\n".join(f"**{term}**\n:   {meaning}" for term, meaning in GLOSSARY.items())
        markdown = markdown.replace(_GLOSSARY, terms)
    return _HELP.sub(lambda found: f"```text\n{help_of(found[1])}\n```", markdown)


def help_of(command: str) -> str:
    """What ``rrcore COMMAND --help`` prints on a screen of 100 columns."""
    from rrcore.__main__ import main

    out, before = io.StringIO(), os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "100"
    try:
        with redirect_stdout(out), suppress(SystemExit):
            main([command, "--help"])  # which exits, save for a command that does not exist
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before
    if not out.getvalue():
        raise PluginError(f"There is no command '{command}' whose help could be shown.")
    return out.getvalue().strip()


def on_post_build(config: Any, **_: Any) -> None:
    """Refuse a site that loads anything from another machine."""
    for path in sorted(Path(config.site_dir).rglob("*")):
        if path.suffix in (".html", ".css") and (found := elsewhere(path.read_text(encoding="utf-8"))):
            raise PluginError(f"{path} loads something from another machine: {found}")


def elsewhere(text: str) -> str:
    """The first thing that a page or a style sheet would load from another machine; empty if there is none."""
    found = _ELSEWHERE.search(text)
    return found[0] if found else ""
