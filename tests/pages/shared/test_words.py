"""The pages explain the field's terms by the glossary, in the same words everywhere, and by no other words."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from docs import hooks
from rrcore.wording import GLOSSARY

ROOT = Path(__file__).parents[3]
PAGES = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "pages").rglob("*.py"))]
RUN = 5
"""So many words in a row that are also in the glossary are a definition that was copied by hand."""

FORMULAS = re.compile(
    r"e to (this|that|the) power|e\^|(shifts?|shifting) (anyone's|the|their) odds|gives? away about one answer", re.IGNORECASE
)
"""Phrases that only a definition of a level, a leakage or a total needs."""

CONTROLS = {"number", "slider", "select", "several", "number_input", "select_slider", "selectbox", "multiselect", "file_uploader"}
"""What something is chosen with, in ``widgets`` and in Streamlit; a tick or a button says by itself what it does."""


@cache
def tree(path: str) -> ast.AST:
    """What one of ``PAGES`` says."""
    return ast.parse((ROOT / path).read_text("utf-8"))


def tooltips(tree: ast.AST) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Every call with the tooltip that it sets, or with an empty one where a control has none; a name stands for what it was given."""
    named = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            helps = [keyword.value for keyword in node.keywords if keyword.arg == "help"]
            if not helps and isinstance(node.func, ast.Attribute) and node.func.attr in CONTROLS:
                helps = [ast.Constant("")]
            yield from ((node, named.get(help.id, help) if isinstance(help, ast.Name) else help) for help in helps)


def literals(node: ast.AST) -> Iterator[str]:
    """The texts of an expression as they are written, without what ``meaning`` gives and without values."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif not isinstance(node, ast.FormattedValue) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        for child in ast.iter_child_nodes(node):
            yield from literals(child)


def explained(node: ast.AST) -> set[str]:
    """The terms that an expression explains by the glossary."""
    return {
        call.args[0].value
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "meaning"
        and isinstance(call.args[0], ast.Constant)
    }


def runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[\w'%]+", text.casefold())
    return {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}


COPIED = {run: term for term, text in GLOSSARY.items() for run in runs(text)}


def defined_by_hand(text: str) -> list[str]:
    """What in a tooltip is the glossary's to say."""
    found = [f"'{' '.join(run)}' is in '{COPIED[run]}'" for run in sorted(runs(text) & COPIED.keys())]
    found += [found[0] for found in FORMULAS.finditer(text)]
    return found + [
        term for term in TERMS if re.search(rf"(^|[.:;] )(an? |the )?{re.escape(term)}('s)? (is|are|means|says) ", text, re.I)
    ]


TERMS = sorted(GLOSSARY, key=len, reverse=True)
HEADED = re.compile(
    rf"(?:^|[.?!]\s+)(?:{'|'.join(re.escape(term[0].upper() + term[1:]) for term in TERMS)}): (?=[a-z]\S*(?: \S+){{3}})"
)
"""A term with a colon and an explanation, as captions have them."""


def unexplained(label: str, help: ast.expr) -> str:
    """The term that a control is called by, if its tooltip does not explain it; else empty."""
    known = next((term for term in TERMS if re.match(rf"{re.escape(term)}\b", label, re.IGNORECASE)), "")
    return "" if known in explained(help) else known


def test_tooltips_define_no_term_by_hand():
    helps = [(path, text) for path in PAGES for _, help in tooltips(tree(path)) for text in literals(help)]
    assert len(helps) > 200
    assert [(path, text, found) for path, text in helps if (found := defined_by_hand(text))] == []


def test_a_control_that_is_called_by_a_term_explains_it():
    wrong = [
        (path, call.args[0].value, term)
        for path in PAGES
        for call, help in tooltips(tree(path))
        if call.args and isinstance(call.args[0], ast.Constant) and (term := unexplained(str(call.args[0].value), help))
    ]
    assert wrong == []


def test_captions_explain_terms_by_the_glossary():
    assert [(path, text) for path in PAGES for text in literals(tree(path)) if HEADED.search(text)] == []


@pytest.mark.parametrize(
    ("text", "caught"),
    [
        ("What the whole record may give away: the odds shift by at most e to this power.", True),
        ("A level says how much one answer may give away.", True),
        ("How often the released answer is true, or so.", True),
        ("Seeing it shifts anyone's odds by 3.", True),
        ("Keeps the plan in play for this session, to compare it with others on the Plans page.", False),
        ("Multiplies every level. Left: answers are more random and better protected.", False),
    ],
)
def test_the_rules_catch_definitions_and_leave_the_rest(text, caught):
    assert bool(defined_by_hand(text)) == caught


def test_a_label_and_a_caption_are_caught_too():
    ((_, help),) = tooltips(ast.parse('number("Level (nats)", help="From 0.05 to 10.")'))
    assert unexplained("Level (nats)", help) == "level"
    ((_, help),) = tooltips(ast.parse('number("Level (nats)", help=f"{meaning(\'level\')} From 0.05 to 10.")'))
    assert unexplained("Level (nats)", help) == ""
    ((_, help),) = tooltips(ast.parse('widgets.number("Seed", "seed")'))
    assert unexplained("Seed", help) == "seed"
    assert HEADED.search("In nats. Leakage: what someone can learn.")


def test_every_term_that_a_page_explains_is_in_the_glossary_of_the_documents():
    shown = hooks.on_page_markdown((ROOT / "docs" / "glossary.md").read_text("utf-8"))
    entries = dict(re.findall(r"^\*\*(.+)\*\*\n:   (.+)$", shown, re.MULTILINE))
    assert entries == dict(GLOSSARY)
    assert set().union(*map(explained, map(tree, PAGES))) <= entries.keys()
