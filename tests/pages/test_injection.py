"""Names of a stranger's file on every page: nothing that Streamlit renders as Markdown holds them as they are."""

import csv
import io
import json
import re

import pytest

from pages.shared.widgets import plain
from tests.hostile.names import NAMES, RAW
from tests.pages.rendered import rendered

PAGES = ("data", "budget", "simulate", "release", "survey", "analyze", "lab")


def drawn(session):
    """What of the page is shown letter by letter: tables but for cells to type in, lists to choose from, figures."""
    for table in (*session.at.dataframe, *session.at.data_editor):
        frame = table.value.drop(columns="called", errors="ignore")
        yield from map(str, (*frame.columns, *frame.index, *frame.to_numpy().ravel()))
    for box in (*session.at.selectbox, *session.at.multiselect):
        yield from box.options
    for figure in session.figures.values():
        yield from texts(figure.spec)


def unescaped(text):
    """What Markdown would interpret in it."""
    return [token for token in RAW if re.search(rf"(?<!\\){re.escape(token)}", text)]


def survey():
    """A table whose names and categories are all hostile; people answer independently."""
    out = io.StringIO()
    names = NAMES[:18]
    columns = [names[3 * i : 3 * i + 3] for i in range(6)]
    writer = csv.writer(out)
    writer.writerow([f"{own[0]}{i}" for i, own in enumerate(columns)])
    writer.writerows([own[(row * (i + 1) + row // 7) % 3] for i, own in enumerate(columns)] for row in range(200))
    return out.getvalue().encode()


def test_no_page_renders_what_a_file_says(session):
    wrong = []
    session.upload(survey(), "www.evil.example <b>.csv")
    for page in PAGES:
        shown = list(rendered(session.go(page)))
        assert len(shown) > 5
        wrong += [(page, where, token, text[:200]) for where, text in shown for token in unescaped(text)]
        wrong += [(page, "drawn", text[:200]) for text in drawn(session) if re.search("[\u200b\u202e]", text)]
        for name, figure in session.figures.items():
            written = [text for text in texts(figure.spec) if "<b>bold" in text or "<a href" in text or "<script" in text]
            wrong += [(page, name, "figure", text[:200]) for text in written]
    assert wrong == []


def texts(spec):
    """Every text of a figure."""
    if isinstance(spec, str):
        yield spec
    elif isinstance(spec, dict | list):
        for inner in spec.values() if isinstance(spec, dict) else spec:
            yield from texts(inner)


@pytest.mark.parametrize("name", NAMES)
def test_escaped_names_hold_nothing_to_interpret(name):
    written = plain(f"The answer to '{name}' is odd.")
    assert unescaped(written) == []
    assert "\n" not in written
    bare = json.dumps(written.replace(":small[]", "").replace("\\", ""))
    assert name.split()[0].replace("\\", "")[:3].strip("\u200b") in json.loads(bare)


def test_a_name_at_the_start_of_a_line_begins_no_list():
    for name in ("- list", "+ list", "1. list", "2) list", "> quote", "---"):
        assert "\\" in plain(name)[:3]
        assert plain(name).replace("\\", "") == name


def test_common_sentences_stay_as_they_are():
    for text in ("3.5 nats, 12% of 2,201 people", "-2.5 points", "AT&T (R&D)", "snake_case", "Ça va? – été"):
        assert plain(text) == text
