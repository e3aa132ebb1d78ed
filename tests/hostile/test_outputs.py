"""Names of a stranger in every file that is written: forms, sheets, reports, tables, scripts, ledgers, figures."""

import ast
import csv
import datetime as dt
import io
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import rrcore as rr
from rrcore.answers import read_answers
from rrcore.asking import respondent_form
from rrcore.budget import build
from rrcore.cli import main
from rrcore.estimate import estimate_csv
from rrcore.ledger import Entry, entries_csv
from rrcore.plots.frame import label
from rrcore.promise import MechanismFile, integer_groups, randomize
from rrcore.reports import TRUE, Front, TableSource, Trial, notebook, report_before, script, trial_code
from rrcore.table import Attribute, Dataset, Schema
from rrcore.wording import file_stem, spreadsheet_safe
from tests.hostile.names import NAMES

HOSTILE = [" ".join(name.split())[:120] for name in NAMES]  # a form shows one line
SCHEMA = Schema(tuple(Attribute(f"{HOSTILE[i]} {i}", (HOSTILE[i + 1], HOSTILE[i + 2])) for i in range(0, 18, 3)))
DATASET = Dataset(SCHEMA, np.random.default_rng(0).integers(0, 2, (60, len(SCHEMA.names))), HOSTILE[3])
MECHANISM = MechanismFile(SCHEMA, integer_groups(build("independent", SCHEMA.sizes, [2.0] * len(SCHEMA.sizes))), note=HOSTILE[4])
PART = MechanismFile(SCHEMA.select(SCHEMA.names[:2]), MECHANISM.groups[:2])
QUESTIONS = dict(zip(SCHEMA.names, HOSTILE, strict=False))
FRONT = Front(HOSTILE[3], HOSTILE[4], HOSTILE[5], reasons=HOSTILE[6])
TEXTS = {"title": HOSTILE[3], "introduction": HOSTILE[4], "questions": QUESTIONS}


class Seen(HTMLParser):
    """Everything in a page that runs or loads something."""

    def __init__(self, page):
        super().__init__()
        self.wrong = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.wrong += [
            (tag, name, value) for name, value in attributes if name.startswith("on") or "javascript:" in (value or "")
        ]
        self.wrong += [(tag, name, value) for name, value in attributes if name in ("src", "href") and "evil" in (value or "")]
        if tag in ("b", "i") and ("bold" in str(attributes) or attributes):
            self.wrong.append((tag, "", ""))


PAGES = {
    "form": lambda: respondent_form(MECHANISM, **TEXTS),
    "report": lambda: report_before(MECHANISM, FRONT, people=500, wordings=QUESTIONS),
    "notebook table": lambda: rr.Plan(SCHEMA, 1.0, n=9)._repr_html_(),
}


@pytest.mark.parametrize("name", PAGES)
def test_no_page_that_is_written_runs_or_loads_a_name(name):
    page = PAGES[name]()
    assert Seen(page).wrong == []
    assert "<img src=x" not in page.replace("&lt;", "")
    assert page.count("<script>alert") == 0
    assert "evil" in page or "bold" in page  # the names are there


def tables():
    answers = read_answers([(randomize(DATASET, MECHANISM).to_csv().encode(), "a.csv")], MECHANISM)
    yield "answers", answers.dataset.to_csv()
    yield "true", DATASET.to_csv()
    yield "estimate", estimate_csv(answers.estimate(list(SCHEMA.names[:2])))
    entry = Entry.of(MECHANISM, population=HOSTILE[0], date=dt.date(2026, 1, 1), note=HOSTILE[2])
    yield "ledger", entries_csv([entry])


@pytest.mark.slow
def test_no_file_that_is_written_runs_a_name():
    """In a spreadsheet: no cell begins as a formula does."""
    found = dict(tables())
    for name, text in found.items():
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert any("HYPERLINK" in cell or "cmd" in cell for cell in cells), name
        for cell in cells:
            assert not re.match(r"[=+@\t\r\n\uff1d\uff0b\uff0d\uff20]|-(?![\d.])", cell), (name, cell)


def test_what_is_safe_is_read_back():
    for text in ("=1+1", "-x", "@a", "\uff1d1", "+49 30", "-1.5", "'quoted"):
        assert spreadsheet_safe(text).removeprefix("'") == text.removeprefix("'")
        assert spreadsheet_safe(text) in (text, f"'{text}")
    assert spreadsheet_safe("-1.5") == "-1.5"


def test_code_that_is_written_holds_names_as_texts_only():
    plan = rr.Plan(SCHEMA, 1.0, n=100)
    source = TableSource("titanic")
    written = script(trial_code(Trial(source=source, n=10, plan=plan, marginal=SCHEMA.names[:1], seed=1)), TRUE, FRONT)
    calls = {ast.unparse(node.func) for node in ast.walk(ast.parse(written)) if isinstance(node, ast.Call)}
    assert not {"alert", "cmd", "HYPERLINK", "eval", "exec"} & calls
    cells = json.loads(notebook(written))["cells"]
    shown = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert not re.search(r"(?<!\\)<(b|img|script)|(?<!\\)\]\(javascript", shown), shown


@pytest.mark.parametrize("name", [*NAMES, "", "..", "../../etc/passwd", "con\x00"])
def test_names_of_files_have_no_folders_and_no_signs(name):
    assert re.fullmatch(r"\w[\w.-]{0,59}", file_stem(name)), file_stem(name)


def test_a_name_begins_no_line_on_a_terminal(capsys, tmp_path):
    schema = Schema((Attribute("a\nb", ("c\nd", "e")),))
    MechanismFile(schema, integer_groups(build("independent", (2,), [1.0]))).save(tmp_path / "m.json")
    assert main(["audit", f"--mechanism={tmp_path}/m.json", "--runs=100"]) == 0
    (tmp_path / "t.csv").write_text('"a\nb",x,y\n' + "".join(f"{i % 2},{i % 3},{i % 2}\n" for i in range(120)))
    assert main(["plan", f"--in={tmp_path}/t.csv", "--mechanism=workload", "--budget=3", "--workload=a\nb,x;x,y"]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if re.match("[bd]", line)] == []


@pytest.mark.parametrize("name", NAMES)
def test_figures_show_markup_as_it_is_written(name):
    assert not re.search(r"<\w", label(name))
