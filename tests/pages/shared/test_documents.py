"""Documents from the pages: what is typed once, what may be handed out, and code that gives the page's numbers again."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from pages.data.columns import rename_column
from rrcore.report import TRUE

PLANTED = "zugzwang-4711"
"""An answer of a few people in a table that is uploaded, and part of every value of a column that is nobody's attribute."""

COUNTS = {("yes", "a"): 311, ("yes", "b"): 97, ("no", "a"): 173, ("no", "b"): 640}
TABLE = "smokes,ward,name\n" + "".join(
    f"{smokes},{ward},{PLANTED}-{smokes}{ward}{i}\n" for (smokes, ward), n in COUNTS.items() for i in range(n)
)


def run(code):
    """What a script prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "script", "exec"), {"__name__": "__main__"})
    return out.getvalue()


def plain(page):
    """The text of an HTML document, with single spaces."""
    return " ".join(re.sub(r"<[^>]*>", " ", re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)).split())


@pytest.mark.slow
def test_what_is_typed_is_remembered_on_every_page_and_stands_in_the_report(session):
    session.given(documents_front=True).go("collect").set("text_input", "Title", "Lives <b>at sea</b>").set(
        "text_input", "Author", "A. Purser"
    )
    session.set("text_area", "Reasons", "Owners asked.\nNobody else.")
    session.at.session_state["work"].wish(wording={"Sex": "Which cabin list were you on?"})
    before = session.given(documents_front=False).run().download("report-before-collection.html")
    assert not session.has("text_input", "Title")
    assert '<h1 dir="auto">Lives &lt;b&gt;at sea&lt;/b&gt;</h1>' in before
    assert "Which cabin list were you on?" in plain(before)
    assert "Owners asked.\nNobody else." in before
    assert "A. Purser" in session.go("budget").download("report-before-collection.html")
    assert session.given(documents_front=True).run().widget("text_input", "Title").value == "Lives <b>at sea</b>"


@pytest.mark.slow
def test_what_is_handed_out_does_not_depend_on_the_truth(open_session):
    """Two tables of the same people and answers, the other way round: whatever may leave is the same to the last byte."""
    other = TABLE.replace("yes,a", "x,a").replace("no,b", "yes,a").replace("x,a", "no,b")
    documents = []
    for content in (TABLE, other):
        session = open_session().upload(content.encode()).go("budget")
        session.at.session_state["document_date"] = None
        made = {"plan": session.download("plan.json"), "budget": session.download("report-before-collection.html")}
        session.go("collect")
        for name in ("report-before-collection.html", "mechanism.json", "certificate.txt", "certificate.json", "form.html"):
            made[name] = session.download(name)
        internal = session.download("internal-report-before-collection.html")
        assert "Internal: this document holds numbers computed from true answers" in plain(internal)
        assert PLANTED not in internal + "".join(made.values())
        documents.append((made, internal))
    assert documents[0][0] == documents[1][0]
    assert documents[0][1] != documents[1][1]


@pytest.mark.slow
def test_the_report_of_findings_and_the_code_give_the_numbers_of_the_page(session, tmp_path, monkeypatch):
    session.go("read").click("Try a real survey")
    page = next(frame.value for frame in session.at.dataframe if "Shrinkage (95 %)" in frame.value.columns)
    told = page[["Shrinkage (95 %)", "Unbiased (95 %)"]].to_numpy().ravel().tolist()
    printed = run(session.download("reading.py"))
    assert [text for text in told if text not in printed] == []
    assert session.download("reading.py").startswith("# This reads randomised answers only")
    report = session.download("report-of-findings.html")
    assert [text for text in told if text not in report.replace("\u00a0", " ")] == []
    assert "Niger Delta survey" not in report
    assert "Niger Delta survey" in session.download("internal-report-of-findings.html")


@pytest.mark.slow
@pytest.mark.parametrize("drawn", [None, 700])
def test_the_script_of_a_trial_gives_the_numbers_of_the_page(session, tmp_path, monkeypatch, drawn):
    monkeypatch.chdir(tmp_path)
    session.upload(TABLE.encode(), "survey.csv").given(perturb_cells=True, perturb_metrics=True)
    session.go("perturb").set("number_input", "Seed", 3)
    if drawn:
        session.set("number_input", "What if the number of people were", drawn)
    cells = next(frame.value for frame in session.at.dataframe if "truth" in frame.value.columns)
    measures = next(frame.value for frame in session.at.dataframe if "half L1 (total variation)" in frame.value.index)
    code = session.download("simulated-trial.py")
    assert code.splitlines()[0] == f"# {TRUE}"
    assert PLANTED not in code
    Path("survey.csv").write_text(TABLE, encoding="utf-8")
    printed = run(code)
    told = [text for column in cells.columns if "truth" in column or "95 %" in column for text in cells[column]]
    told += [text for column in ("shrinkage", "unbiased estimate") for text in measures[column].tolist()]
    assert len(told) == 4 * 3 + 2 * 6
    assert [text for text in told if text not in printed] == []
    report = session.download("with-true-shares-simulated-findings.html")
    assert "Internal: this simulation contains true shares" in plain(report)
    assert [text for text in told[:4] if text not in report.replace("\u00a0", " ")] == []


@pytest.mark.slow
def test_the_script_reads_an_upload_as_its_questions_were_answered(session, tmp_path, monkeypatch):
    """A file without names, whose columns were then named."""
    monkeypatch.chdir(tmp_path)
    rows = TABLE.partition("\n")[2]
    session.upload(rows.encode(), "survey.csv")
    rename_column(session.at.session_state["work"], "Column 1", "smokes")
    session.given(perturb_cells=True).run().go("perturb")
    cells = next(frame.value for frame in session.at.dataframe if "truth" in frame.value.columns)
    code = session.download("simulated-trial.py")
    assert "ReadOptions(" in code
    assert "'Column 1': 'smokes'" in code
    Path("survey.csv").write_text(rows, encoding="utf-8")
    printed = run(code)
    assert "smokes" in printed
    assert [text for text in cells["truth"] if text not in printed] == []
