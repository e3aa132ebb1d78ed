"""The English texts of the product use the words of the field.

``private_words.txt`` lists the words that nobody outside this project would understand, and what to write.
"""

import ast
import io
import json
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRIVATE = re.compile(
    "|".join(
        line.partition("=>")[0].strip()
        for line in (ROOT / "tests/private_words.txt").read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    ),
    re.IGNORECASE,
)


def python_texts(source):
    """Docstrings, comments and text literals of more than one word."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            yield node.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def private_words(place):
    """The private words in the file or package at ``place``."""
    files = [place] if place.is_file() else [*place.rglob("*.py"), *place.rglob("*.j2"), *place.rglob("en.json")]
    found = []
    for file in files:
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".json":
            text = "\n".join(re.findall(r'"text": (".*?(?<!\\)")', json.dumps(json.loads(text), ensure_ascii=False)))
        if PRIVATE.search(text):
            texts = python_texts(text) if file.suffix == ".py" else [text]
            found += [(file.name, match[0]) for each in texts for match in PRIVATE.finditer(each)]
    return found


def places():
    """Packages of the code, and single files of the documents."""
    code = [place for folder in ("rrcore", "pages") for place in (ROOT / folder).iterdir()]
    named = [ROOT / name for name in ("app.py", "navigation.py", "README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return [
        place
        for place in [*named, *(ROOT / "docs").rglob("*.md"), *code]
        if place.suffix in (".py", ".md") or (place.is_dir() and place.name != "__pycache__")
    ]


@pytest.mark.parametrize("name", sorted(place.relative_to(ROOT).as_posix() for place in places()))
def test_texts_have_no_private_word(name):
    assert private_words(ROOT / name) == []
