"""Answers that a spreadsheet saved, and value labels, in true answers and in collected ones."""

import csv
import io

import numpy as np
import openpyxl
import pandas as pd
import pyreadstat
import pytest

import rrcore as rr
from rrcore.answers import count_answers, unmatched_sentences
from rrcore.budget import build
from rrcore.promise import integer_groups
from rrcore.promise.name_matching import answer_lookup
from rrcore.table.opening import open_stream
from tests.cli.terminal import run

SCHEMA = rr.Schema((rr.Attribute("smoker", ("FALSE", "TRUE")), rr.Attribute("code", ("01", "02", "10"))))
FILE = rr.MechanismFile(SCHEMA, integer_groups(build("independent", SCHEMA.sizes, [1.0, 1.0])))
TABLE = rr.Dataset(SCHEMA, np.random.default_rng(1).integers(0, SCHEMA.sizes, (300, 2)))
ROWS = [[SCHEMA.attributes[i].categories[code] for i, code in enumerate(row)] for row in TABLE.codes]


def saved(words, numbers, *, delimiter=",", mark="", encoding="utf-8"):
    """The table as a spreadsheet writes it."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(SCHEMA.names)
    writer.writerows([words.get(word, word), numbers.get(code, code)] for word, code in ROWS)
    return (mark + out.getvalue()).encode(encoding)


def workbook():
    made = openpyxl.Workbook()
    made.active.append(SCHEMA.names)
    for word, code in ROWS:
        made.active.append([word == "TRUE", int(code)])
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


SHORT = {"01": "1", "02": "2"}
SAVED = {
    "english": ("a.csv", saved({}, SHORT)),
    "small letters": ("a.csv", saved({"TRUE": "true", "FALSE": "false"}, SHORT)),
    "german": ("a.csv", saved({"TRUE": "WAHR", "FALSE": "FALSCH"}, SHORT, delimiter=";", mark="\ufeff")),
    "french, numbers with decimals": (
        "a.csv",
        saved({"TRUE": "VRAI", "FALSE": "FAUX"}, {c: f"{int(c)},0" for c in SHORT}, delimiter=";"),
    ),
    "tabs, utf-16": ("a.tsv", saved({}, SHORT, delimiter="\t", mark="\ufeff", encoding="utf-16-le")),
    "workbook": ("a.xlsx", workbook()),
}


@pytest.mark.parametrize("kind", SAVED)
def test_what_a_spreadsheet_rewrote_is_matched(kind, tmp_path, capsys):
    name, content = SAVED[kind]
    found = rr.read_answers([(content, name)], FILE)
    assert (found.left_out, found.unmatched) == (0, ())
    np.testing.assert_array_equal(found.dataset.codes, TABLE.codes)
    (tmp_path / name).write_bytes(content)
    FILE.save(tmp_path / "m.json")
    arguments = ("release", "--mechanism", tmp_path / "m.json", "--in", tmp_path / name, "--out", tmp_path / "out.csv")
    code, out, _ = run(capsys, *arguments)
    assert (code, out.startswith("300 records")) == (0, True)


def test_what_no_category_matches_is_missing_for_its_question(tmp_path):
    content = saved({}, {"01": "January"})
    wrong = int((TABLE.codes[:, 1] == 0).sum())
    (tmp_path / "a.csv").write_bytes(content)
    for found in (
        rr.read_answers([(content, "a.csv")], FILE),
        count_answers([open_stream(tmp_path / "a.csv")], FILE, [("smoker",), ("code",)]),
    ):
        assert (found.n, found.incomplete, found.left_out) == (300, wrong, 0)
        assert [each.rows for each in found.unmatched] == [wrong]
        assert found.counts(["smoker"]).tolist() == np.bincount(TABLE.codes[:, 0]).tolist()
        assert found.counts(["code"]).tolist() == [0, *np.bincount(TABLE.codes[:, 1])[1:]]
        assert [len(sentences) for sentences in unmatched_sentences(found)] == [0, 1]


def test_what_several_categories_could_mean_is_not_guessed():
    lookup = answer_lookup(rr.Attribute("q", ("01", "001", "Yes", "yes", "TRUE")), true=True)
    assert lookup.codes(["01", "1", "YES", "yes", "wahr"]) == [0, -2, -2, 3, 4]


LABELS = {"region": {1: "North", 2: "South"}, "smokes": {0: "no", 1: "yes"}}


@pytest.mark.parametrize("ending", ["sav", "dta"])
@pytest.mark.parametrize(("asked", "known"), [("smokes", "region"), ("region", "smokes")])
def test_labels_are_the_answers_that_are_collected(ending, asked, known, tmp_path, capsys):
    frame = pd.DataFrame({"region": [1, 2, 1, 2] * 10, "smokes": [0, 1, 1, 1] * 10})
    write = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta}[ending]
    write(frame, str(tmp_path / f"true.{ending}"), variable_value_labels=LABELS)
    schema = rr.Schema((rr.Attribute(asked, tuple(LABELS[asked].values())),))
    rr.MechanismFile(schema, integer_groups(build("independent", (2,), [30.0]))).save(tmp_path / "m.json")
    table = ("--in", tmp_path / f"true.{ending}", "--out", tmp_path / "out.csv", "--keep-columns", known)
    assert run(capsys, "release", "--mechanism", tmp_path / "m.json", *table)[0] == 0
    released = pd.read_csv(tmp_path / "out.csv")
    for name in (asked, known):  # with a level of 30 no answer changes
        assert released[name].tolist() == frame[name].map(LABELS[name]).tolist()
