"""What the build of the site adds: a page for each public name, and a check that nothing is loaded from another machine."""

import inspect
import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

_ELSEWHERE = re.compile(
    r"<(?:script|img|iframe|source|audio|video|embed)\b[^>]*\bsrc=[\"']?(?:https?:)?//"
    r"|<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|icon|preload|preconnect|dns-prefetch|modulepreload|manifest))[^>]*\bhref=[\"']?(?:https?:)?//"
    r"|url\([\"']?(?:https?:)?//|@import\s+[\"'](?:https?:)?//",
    re.IGNORECASE,
)

_NAMES = "<!-- names -->"
_COMMANDS = "<!-- commands -->"


def _public() -> dict[str, Any]:
    """Return the public names with what they are, sorted without regard to case."""
    import rrcore

    return {name: getattr(rrcore, name) for name in sorted(dir(rrcore), key=str.casefold)}


def on_config(config: Any, **_: Any) -> Any:
    """Add the pages of the public names to the navigation, after the overview."""
    (section,) = (entry for entry in config.nav if "API" in entry)
    section["API"] = [{"Overview and cookbook": "api/index.md"}, {"Names": [{name: f"api/{name}.md"} for name in _public()]}]
    return config


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add a page for each public name."""
    for name, found in _public().items():
        options = f'    options: {{ heading: "rr.{name}", show_root_heading: true, heading_level: 1 }}\n'
        content = f"---\ntitle: {name}\n---\n\n::: {found.__module__}.{name}\n{options}"
        files.append(File.generated(config, f"api/{name}.md", content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the marks of the overviews by a table of the public names, and by all commands with their options."""
    if _COMMANDS in markdown:
        markdown = markdown.replace(_COMMANDS, commands())
    if _NAMES not in markdown:
        return markdown
    rows = (
        f"| [`{name}`]({name}.md) | {(inspect.getdoc(found) or '').partition(chr(10))[0]} |" for name, found in _public().items()
    )
    return markdown.replace(_NAMES, "\n".join(["| Name | Purpose |", "|---|---|", *rows]))


def commands() -> str:
    """Return every command with its options, as Markdown."""
    from rrcore.cli import app

    pages = app.generate_docs(output_format="markdown", heading_level=1, max_heading_level=3)
    pages = re.sub(r"\*\*Every command\*\*:\n\n\* `--json`: JSON output instead of text\n\n?", "", pages)
    # cyclopts writes how this program was started into the usage of nested commands.
    pages = re.sub(r"^(rrcore [\w ]+?) -m \S+.*?(?= --|$)", r"\1", pages, flags=re.MULTILINE)
    return pages[pages.index("## rrcore app") :]


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Let guides come before the reference in the search."""
    source = page.file.src_uri
    boost = 0.2 if source.startswith("api/") else 0.4 if source in ("papers.md", "theory.md", "about/changelog.md") else 1.0
    page.meta["search"] = {"boost": page.meta.get("search", {}).get("boost", boost)}
    return html


def on_post_build(config: Any, **_: Any) -> None:
    """Reject a site that loads anything from another machine."""
    for path in sorted(Path(config.site_dir).rglob("*")):
        if path.suffix in (".html", ".css") and (found := elsewhere(path.read_text(encoding="utf-8"))):
            raise PluginError(f"{path} loads something from another machine: {found}")


def elsewhere(text: str) -> str:
    """Return the first thing that a page or a style sheet would load from another machine, or an empty text."""
    found = _ELSEWHERE.search(text)
    return found[0] if found else ""
