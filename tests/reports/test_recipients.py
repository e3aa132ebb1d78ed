"""The page that goes with released answers, for recipients."""

import io
import zipfile

import numpy as np

import rrcore as rr
from rrcore.answers import nigeria
from rrcore.budget import build
from rrcore.promise import integer_groups
from rrcore.reports import recipient_pages, released_archive
from tests.promise.designs_zoo import ZOO, file_of
from tests.reports.pages import Tree

SCHEMA = rr.Schema((rr.Attribute("smokes", ("no", "yes")), rr.Attribute("<b>region</b>", ("north", "south", "east"))))
FILE = rr.MechanismFile(SCHEMA, integer_groups(build("independent", (2, 3), [1.0, 2.0])))
WARD = rr.Schema((rr.Attribute("ward", ("east", "west")),))
NAME = "for-recipients.html"


def page(file=FILE, **options):
    return Tree(recipient_pages(file, 2457, **options)[NAME])


def test_the_page_lists_the_columns_and_how_often_they_are_unchanged():
    assert page().rows == [["smokes", "no, yes", "73.1%"], ["<b>region</b>", "north, south, east", "78.7%"]]
    assert "2,457" in page().text
    assert FILE.sha256 in page().text
    assert "python check.py" in page().text


def test_columns_that_are_not_randomized_are_listed():
    assert page(kept=WARD).rows[-1] == ["ward", "east, west", "always"]
    assert "ward" not in page().text


def test_reports_that_are_no_answers_are_listed_instead():
    assert page(file_of(ZOO["wide"])).rows[0][1] == "r0, r1, r2, r3"
    assert "%" not in page(file_of(ZOO["wide"])).rows[0][2]
    assert page(nigeria().mechanism).rows[0][2] == "83.3%"


def test_a_rehearsal_is_marked():
    assert page(rehearsal="invented").title.startswith("Rehearsal: ")
    assert "Rehearsal" not in page().title


def test_the_archive_has_the_page_and_its_guide_names_it():
    people = rr.Dataset(SCHEMA, np.tile([[0, 0], [1, 2]], (50, 1)), "people")
    ((released, archive),) = released_archive(FILE, people, None, 1, "")
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.read(NAME).decode() == recipient_pages(FILE, people.n, made=released.made.date())[NAME]
        assert f"\n{NAME} " in opened.read("read-me.txt").decode()
