"""Data: demos, uploads in every format, refusals that leave the former table in use, and identifiers."""

import gzip
import io

import numpy as np
import openpyxl
import pandas as pd
import pytest

from pages.shared.widgets import plain
from rrcore.table.demo import DEMOS, load_demo

ROWS = [("sex", "smokes"), *[("f" if i % 3 else "m", "yes" if i % 4 else "no") for i in range(60)]]


def text(delimiter=",", rows=ROWS):
    return "".join(delimiter.join(row) + "\n" for row in rows)


def workbook():
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet():
    out = io.BytesIO()
    pd.DataFrame(ROWS[1:], columns=ROWS[0]).to_parquet(out)
    return out.getvalue()


FORMATS = {
    "survey.csv": text().encode(),
    "survey.tsv": text("\t").encode(),
    "survey_semicolon.csv": text(";").encode(),
    "survey.csv.gz": gzip.compress(text().encode()),
    "survey_utf16.csv": text().encode("utf-16"),
    "survey.xlsx": workbook(),
    "survey.parquet": parquet(),
}


def test_each_demo_can_be_chosen(session):
    session.go("data")
    for key in (*list(DEMOS)[1:], *list(DEMOS)[:1]):
        demo = load_demo(key)
        session.set("radio", "Demo table", key)
        assert tuple(session.table["name"]) == demo.schema.names
        assert tuple(session.table["categories"]) == demo.schema.sizes
        combinations = int(np.prod(demo.schema.sizes))
        assert f"{demo.k} attributes, {combinations:,} combinations, {demo.n:,} people" in session.text
        assert session.errors == []


def test_a_file_of_each_format_is_read(session):
    for name, data in FORMATS.items():
        session.upload(data, name)
        assert session.errors == []
        assert session.table["name"].tolist() == ["sex", "smokes"]
        assert session.table["distribution"].map(list).tolist() == [[40, 20], [15, 45]]
        assert "2 attributes, 4 combinations, 60 people" in session.text
        assert f"**{plain(name.split('.')[0])}**" in session.text


def test_how_a_file_was_read_is_said(session):
    session.upload("größe,b\nä,1\nö,2\n".encode("utf-16"))
    assert "Read as UTF-16 text." in session.text


@pytest.mark.slow
def test_the_uploaded_table_goes_through_to_the_estimate(session):
    session.upload(FORMATS["survey.csv"]).go("budget").go("perturb")
    assert session.errors == []
    assert session.frame("simulated-estimate.csv").columns[:2].tolist() == ["sex", "smokes"]


BAD = {
    "empty": (b"", "The file is empty."),
    "header only": (b"a,b\n", "column names but no rows"),
    "web page": (b"<!DOCTYPE html><html><body>Log in</body></html>", "a web page, JSON or another document"),
    "image": (b"\x89PNG\r\n\x1a\n" + bytes(40), "The file is not text"),
    "5,000 columns": (b",".join(b"c%d" % i for i in range(5_000)) + b"\n1\n", "The table has 5,000 columns, the limit is 1,000."),
}


def assert_refused(session, fragment, former="Titanic"):
    """Exactly one error, readable, and the former table is still the one in use."""
    (error,) = session.errors
    assert fragment in error
    assert error[0].isupper()
    assert error.endswith(".")
    assert 20 < len(error) < 300
    assert "\n" not in error
    demo = load_demo(former.lower())
    assert tuple(session.table["name"]) == demo.schema.names
    assert f"**{former}** · {demo.n:,} people · {demo.k} attributes" in session.text
    assert f"Until a file is read, '{former}' stays in use." in session.text


def test_a_bad_file_gives_one_sentence_and_keeps_the_former_table(session):
    for data, fragment in BAD.values():
        session.upload(data)
        assert_refused(session, fragment)
    session.go("perturb")
    assert session.frame("simulated-release.csv").columns.tolist() == ["Class", "Sex", "Age", "Survived"]


def test_a_file_of_randomized_answers_is_refused(session):
    rows = [(*row, "rr_release" if i == 0 else "") for i, row in enumerate(ROWS)]
    rows[-1] = (*ROWS[-1], f"mechanism {'0' * 64} draw {'1' * 32} rows 60")
    session.upload(text(rows=rows).encode())
    assert_refused(session, "randomized already")


def test_a_file_above_the_limit_is_refused(session, monkeypatch):
    for module in ("pages.shared.asked", "rrcore.table.opening"):
        monkeypatch.setattr(f"{module}.MAX_FILE_BYTES", 2**20)
    session.upload(b"a,b\n" + b"x,y\n" * 300_000)
    assert_refused(session, "The file has 1.1 MB, the limit is 1 MB.")
    assert "up to 1 MB" in session.at.file_uploader[0].help


def test_the_table_before_a_bad_file_may_be_an_upload(session):
    session.upload(FORMATS["survey.csv"], "first.csv").upload(b"a,b\n", "second.csv")
    assert len(session.errors) == 1
    assert "**first** · 60 people · 2 attributes" in session.text
    assert session.table["name"].tolist() == ["sex", "smokes"]


def test_a_good_file_after_a_bad_one_is_read(session):
    session.upload(b"").upload(FORMATS["survey.csv"], "second.csv")
    assert session.errors == []
    assert "**second**" in session.text


def test_a_complaint_about_a_file_goes_when_another_table_is_chosen(session):
    session.upload(b"").set("radio", "Where the table comes from", "demo").set("radio", "Demo table", "berkeley")
    assert session.errors == []
    session.set("radio", "Where the table comes from", "upload")
    assert session.errors == []


def test_an_upload_survives_other_pages(session):
    session.upload(FORMATS["survey.csv"], "mine.csv").go("budget").go("start").go("data")
    assert session.widget("radio", "Where the table comes from").value == "upload"
    assert "**mine** · 60 people · 2 attributes" in session.text


@pytest.mark.slow
def test_an_identifier_of_100000_values_is_flagged_and_not_used(session):
    session.upload(b"id,answer\n" + b"".join(b"p%06d,%s\n" % (i, b"yes" if i % 3 else b"no") for i in range(100_000)))
    assert session.errors == []
    row = session.row("id")
    assert not row["in play"]
    assert row["categories"] == 100_000
    assert "100,000 values" in row["notes"]
    assert "1 attributes, 2 combinations, 100,000 people" in session.text.replace("1 attribute,", "1 attributes,")
    session.edit({0: {"in play": True}})
    (error,) = session.errors
    assert "'id' has 100,000 categories: at most 1,000 are allowed" in error
    assert error.endswith("Nothing was changed.")
    assert not session.row("id")["in play"]
    session.go("budget")
    assert session.chosen == ["answer"]


def test_another_table_is_never_shown_with_the_columns_of_a_former_one(session, monkeypatch):
    """Python may give a new table the address, and so the id, of one that is gone: 3 of 24 orders of three demos did."""
    monkeypatch.setattr("pages.data.columns.id", lambda table: 1, raising=False)
    session.go("data").go("start").click("demo_berkeley").go("data")
    assert session.table["name"].tolist() == ["Admit", "Gender", "Dept"]
