"""Entries that are struck through: read on with who, when and why, counted on unless they never happened."""

import csv
import datetime as dt
import io
from dataclasses import replace
from pathlib import Path

import pytest

from rrcore.errors import InputError
from rrcore.ledger import Entry, Ledger, entries_csv
from rrcore.ledger.entry import parse_nats
from rrcore.ledger.store import this_user

DAY = dt.date(2026, 3, 1)


def entry(population="panel", **more):
    amounts = tuple(map(parse_nats, ("1.000000001", "0.500000000", "1.500000001")))
    return Entry(population, DAY, ("a", "b"), amounts[:2], amounts[2], "0" * 64, **more)


@pytest.fixture
def ledger(place):
    return Ledger.open(place, create=True)


def test_what_is_struck_through_stays_and_counts_on(ledger):
    ledger.add(entry())
    ledger.add(entry("panel", note="second"))
    before = ledger.spent("panel").total
    struck = ledger.strike(1, "  the wrong\nday ")
    assert ledger.entries()[0] == struck
    assert (struck.struck[0].why, struck.struck[0].never_happened, struck.happened) == ("the wrong day", False, True)
    assert struck.struck[0].who == this_user()
    assert ledger.spent("panel").total == before
    assert ledger.spent("panel").struck() == (
        "'panel': number 1 is struck through and still counted, since what was released stays known."
    )
    with pytest.raises(InputError, match=r"Entry 1 is already struck through by .*: the wrong day"):
        ledger.strike(1, "once more")


def test_what_never_happened_no_longer_counts_and_is_no_draw(ledger):
    first = ledger.add(entry())
    ledger.strike(1, "the wrong day")
    ledger.strike(1, "nobody got it", never_happened=True)
    gone = ledger.spent("panel")
    assert (gone.total, gone.asked, gone.to_dict()["releases"]) == (0, (0, 0), 0)
    assert gone.struck() == "'panel': number 1 is declared never to have happened and not counted."
    with pytest.raises(InputError, match="with this mechanism is recorded"):
        ledger.add(replace(first, id=None, same_draw=True))
    with ledger.adding(entry(), once=True) as again:  # the first draw
        pass
    assert ledger.add_once(entry()) == again
    assert ledger.spent("panel").total == first.total
    assert [each.id for each in ledger.entries()] == [1, 2]
    with pytest.raises(InputError, match=r"nobody got it"):
        ledger.strike(1, "once more", never_happened=True)


def test_answers_that_were_given_out_again_were_released(ledger):
    ledger.add(entry())
    ledger.add(entry(same_draw=True))
    with pytest.raises(InputError, match=r"Entry 2 repeats entry 1"):
        ledger.strike(1, "nobody got it", never_happened=True)
    ledger.strike(2, "nor these", never_happened=True)
    ledger.strike(1, "nobody got it", never_happened=True)
    assert ledger.spent("panel").total == 0
    ledger.add(entry())
    ledger.add(entry())
    ledger.add(entry(same_draw=True))
    ledger.strike(3, "drawn twice, and this one was not given out", never_happened=True)  # entry 5 may be the same as 4
    with pytest.raises(InputError, match="entry 5 never happened"):
        ledger.strike(4, "neither was this one", never_happened=True)


@pytest.mark.parametrize("why", ["", " \n ", "\N{ZERO WIDTH SPACE}", "x" * 501])
def test_nothing_is_struck_through_without_a_reason(ledger, why):
    ledger.add(entry())
    with pytest.raises(InputError, match=r"reason is missing|Use at most 500"):
        ledger.strike(1, why)
    assert not ledger.entries()[0].struck


def test_an_entry_says_by_whom_when_and_why_it_was_struck_through(ledger):
    ledger.add(entry())
    ledger.strike(1, "=wrong")
    ledger.strike(1, "nobody got it", never_happened=True)
    first, second = ledger.entries()[0].struck
    assert (first.who, first.why, first.never_happened) == (this_user(), "=wrong", False)
    assert (second.who, second.why, second.never_happened) == (this_user(), "nobody got it", True)
    assert all(abs(dt.datetime.now(dt.UTC) - each.at) < dt.timedelta(minutes=5) for each in (first, second))
    (row,) = csv.DictReader(io.StringIO(entries_csv(ledger.entries())))
    assert (row["happened"], row["total"], row["added"], row["so_far"]) == ("no", "1.500000001", "0.000000000", "0.000000000")
    assert row["struck"] == f"{first.sentence()}; {second.sentence()}"


def test_the_file_is_its_owners_alone(tmp_path):
    ledger = Ledger.open(str(tmp_path / "releases.ledger"), create=True)
    assert Path(ledger.place).stat().st_mode & 0o777 == 0o600
