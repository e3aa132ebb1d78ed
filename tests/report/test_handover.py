"""The page that goes with released answers, for recipients."""

import io
import re
import zipfile

import numpy as np

import rrcore as rr
from rrcore.answers import nigeria
from rrcore.promise import release_table
from rrcore.report.handover import handover_pages
from tests.promise.designs_zoo import ZOO, file_of

SCHEMA = rr.Schema((rr.Attribute("smokes", ("no", "yes")), rr.Attribute("<b>region</b>", ("north", "south", "east"))))
FILE = rr.MechanismFile(SCHEMA, rr.integer_groups(rr.build("kronecker", (2, 3), [1.0, 2.0])))
RECIPIENTS = "for-recipients.html"


def plain(page):
    """The text of a page, with single spaces."""
    text = re.sub(r"<[^>]*>", " ", re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL))
    return " ".join(text.replace("\u00a0", " ").split())


def test_the_page_names_the_columns_and_runs_nothing():
    page = handover_pages(FILE, 2457)[RECIPIENTS]
    said = (
        "2,457 people and 2 questions",
        "smokes no, yes 73.1 %",
        "&lt;b&gt;region&lt;/b&gt; north, south, east",
        "python check.py",
    )
    assert [each for each in said if each not in plain(page)] == []
    assert FILE.sha256 in page
    assert "<script" not in page
    assert "default-src 'none'" in page


def test_a_rehearsal_is_marked():
    page = handover_pages(FILE, 5, rehearsal="invented")[RECIPIENTS]
    assert "Rehearsal: the people of this release are of the invented table." in plain(page)
    assert "Rehearsal" not in handover_pages(FILE, 5)[RECIPIENTS]


def test_it_stands_in_the_archive_and_its_guide_names_it():
    people = rr.Dataset(SCHEMA, np.tile([[0, 0], [1, 2]], (50, 1)), "people")
    pages = handover_pages(FILE, people.n)
    with zipfile.ZipFile(io.BytesIO(release_table(FILE, people).to_zip(pages=pages))) as opened:
        assert opened.read(RECIPIENTS).decode() == pages[RECIPIENTS]
        guide = opened.read("read-me.txt").decode()
    assert "\nfor-recipients.html  to read in a browser" in guide


def test_reports_that_are_no_answers_are_listed_instead():
    file = file_of(ZOO["wide"])
    assert "q0 r0, r1, r2, r3 no report is an answer" in plain(handover_pages(file, 5)[RECIPIENTS])
    assert "83.3 %" in plain(handover_pages(nigeria().mechanism, 2457)[RECIPIENTS])


def test_columns_that_leave_as_they_are_are_named():
    kept = rr.Schema((rr.Attribute("ward", ("east", "west")),))
    assert "ward east, west always" in plain(handover_pages(FILE, 2457, kept=kept)[RECIPIENTS])
    assert "ward" not in plain(handover_pages(FILE, 2457)[RECIPIENTS])
