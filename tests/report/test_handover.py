"""The two pages that go with released answers: the numbers of the certificate, whatever the answers, and nothing that runs."""

import io
import re
import zipfile

import numpy as np
import pytest

import rrcore as rr
from rrcore.answers import nigeria
from rrcore.promise import release_table
from rrcore.promise.release_folder import WantedRelease, release_into
from rrcore.promise.releases import Releases
from rrcore.report import handover_pages
from tests.promise.designs_zoo import ZOO, file_of

SCHEMA = rr.Schema((rr.Attribute("smokes", ("no", "yes")), rr.Attribute("<b>region</b>", ("north", "south", "east"))))
FILE = rr.MechanismFile(SCHEMA, rr.integer_groups(rr.build("kronecker", (2, 3), [1.0, 2.0])))
RECIPIENTS, BOARD = "for-recipients.html", "for-the-board.html"


def plain(page):
    """The text of a page, with single spaces."""
    text = re.sub(r"<[^>]*>", " ", re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL))
    return " ".join(text.replace("\u00a0", " ").split())


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        (
            RECIPIENTS,
            [
                "Randomised answers of 2,457 people and 2 questions",
                "no row says what a person answered",
                "smokes no, yes 73.1 %",
                "Do not count the rows as they stand",
                "Do not take any row at its word",
                "rrcore read --mechanism mechanism.json --in released.csv",
                "python check.py",
            ],
        ),
        (
            BOARD,
            [
                "One row for each of 2,457 people",
                "&lt;b&gt;region&lt;/b&gt; north, south, east",
                "One answer, seen alone (largest for '&lt;b&gt;region&lt;/b&gt;') from 50 in 100 to 88.1 in 100 7.39 times 2.000000000",
                "The whole row, between any two people's answers from 50 in 100 to 95.3 in 100 20.1 times 3.000000000",
                "Nobody is protected from those who hold the table of true answers",
                "Name Function Date Signature",
            ],
        ),
    ],
)
def test_what_the_pages_say(name, sentences):
    """1 / (1 + e^-2) is 0.8808, 1 / (1 + e^-3) 0.9526: rounded up."""
    page = handover_pages(FILE, 2457)[name]
    assert [sentence for sentence in sentences if sentence not in plain(page)] == []
    assert FILE.sha256 in page
    assert "<script" not in page
    assert "default-src 'none'" in page


def test_levels_that_differ_beyond_what_is_shown_are_alike():
    file = rr.MechanismFile(SCHEMA, rr.integer_groups(rr.build("pair-safe", (2, 3), [1.0, 1.0])))
    assert len(set(file.certificate.levels)) == 2
    assert "One answer, seen alone from 50 in 100 to 73.2 in 100 2.72 times" in plain(handover_pages(file, 5)[BOARD])


@pytest.mark.parametrize("name", ZOO)
def test_there_is_a_page_for_every_mechanism(name):
    file = file_of(ZOO[name])
    text = plain(handover_pages(file, 1)[BOARD])
    assert ("no limit" in text) == (file.certificate.total is None)
    assert ("to certainty" in text) == (file.certificate.total is None)


def test_a_large_budget_is_no_certainty_and_not_told_as_such():
    file = rr.MechanismFile(SCHEMA, rr.integer_groups(rr.build("kronecker", (2, 3), [9.0, 9.0])))
    assert "from 50 in 100 to nearly 100 in 100 8,110 times" in plain(handover_pages(file, 5)[BOARD])


def test_a_rehearsal_is_marked():
    page = handover_pages(FILE, 5, rehearsal="invented")[RECIPIENTS]
    assert "Rehearsal: the people of this release are of the invented table." in plain(page)
    assert "Rehearsal" not in handover_pages(FILE, 5)[RECIPIENTS]


def test_they_stand_in_the_archive_and_its_guide_names_them():
    people = rr.Dataset(SCHEMA, np.tile([[0, 0], [1, 2]], (50, 1)), "people")
    pages = handover_pages(FILE, people.n)
    with zipfile.ZipFile(io.BytesIO(release_table(FILE, people).to_zip(pages=pages))) as opened:
        assert {name: opened.read(name).decode() for name in (RECIPIENTS, BOARD)} == pages
        guide = opened.read("read-me.txt").decode()
    assert "\nfor-recipients.html  to read in a browser" in guide
    assert "\nfor-the-board.html   to read in a browser" in guide


def test_they_stand_in_the_folder_of_a_release(tmp_path):
    (tmp_path / "releases").mkdir()
    table = tmp_path / "people.csv"
    table.write_text("q0\n" + "c0\nc1\n" * 50)
    file = file_of(ZOO["forced"])
    release_into(Releases(tmp_path / "releases"), WantedRelease(file, "spring", "people.csv"), table, pages=handover_pages)
    there = {each.name for each in (tmp_path / "releases" / "spring").iterdir()}
    assert {RECIPIENTS, BOARD, "check.py", "mechanism.json"} <= there
    assert "100 people" in plain((tmp_path / "releases" / "spring" / BOARD).read_text(encoding="utf-8"))


def test_reports_that_are_no_answers_are_listed_instead():
    file = file_of(ZOO["wide"])
    assert "q0 r0, r1, r2, r3 no report is an answer" in plain(handover_pages(file, 5)[RECIPIENTS])
    assert "83.3 %" in plain(handover_pages(nigeria().mechanism, 2457)[RECIPIENTS])


def test_what_leaves_as_it_is_stands_on_both_pages():
    kept = rr.Schema((rr.Attribute("ward", ("east", "west")),))
    for page in handover_pages(FILE, 2457, kept=kept).values():
        assert "ward leaves as it is: everybody's is learnt." in plain(page)
        assert "ward east, west always" in plain(page)
        assert "leaves as it is" not in plain(handover_pages(FILE, 2457)[BOARD])
