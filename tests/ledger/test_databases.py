"""What the ledger holds: what is recorded, by two programs at once, under a clock that jumps, and what fails half-way."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from rrcore.errors import InputError
from rrcore.ledger import Entry, Ledger

DAY = dt.date(2026, 3, 1)


def entry(mark="0", note="", date=DAY, **more):
    return Entry("panel", date, ("a", "b"), (Decimal(1), None), None, mark * 64, 7, note, **more)


@pytest.fixture
def ledger(place):
    return Ledger.open(place, create=True)


def test_what_is_recorded_is_read_back(ledger):
    first = ledger.add(entry(note="Größe '; drop table rr_release; --"))
    again = ledger.add(entry(same_draw=True))
    other = ledger.add(entry("1", date=DAY - dt.timedelta(days=400)))  # the clock was set back: the order is that of recording
    assert [each.id for each in (first, again, other)] == [1, 2, 3]
    assert ledger.entries() == (first, again, other)
    assert Ledger.open(ledger.place).spent("PANEL").entries == (first, again, other)
    with pytest.raises(InputError, match="already exists"):
        Ledger.open(ledger.place, create=True)
    ledger.strike(3, "recorded by mistake", never_happened=True)
    assert ledger.add(entry("2")).id == 4
    assert [each.id for each in ledger.entries()] == [1, 2, 3, 4]


def test_what_fails_half_way_is_not_recorded(ledger):
    with pytest.raises(KeyboardInterrupt), ledger.adding(entry()):
        raise KeyboardInterrupt
    assert ledger.entries() == ()
    with ledger.adding(entry(), once=True) as recorded:
        pass
    with pytest.raises(InputError, match="already recorded"), ledger.adding(entry(), once=True):
        pytest.fail("nothing is released a second time")
    assert ledger.entries() == (recorded,)


def test_two_writers_lose_nothing(ledger):
    """Twelve entries by three threads with connections of their own, and one of them wins where each may be there once only."""

    def add(number):
        ledger.add(entry(note=str(number)))

    def add_once(number):
        try:
            with ledger.adding(entry("f", note=f"once {number}"), once=True):
                return True
        except InputError:
            return False

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(add, range(12)))
        won = list(pool.map(add_once, range(3)))
    found = ledger.entries()
    assert sorted(int(each.note) for each in found[:12]) == list(range(12))
    assert (won.count(True), len(found)) == (1, 13)


def test_what_two_programs_record_of_one_release_is_recorded_once(ledger):
    """It was recorded twice where both had looked before either had written."""
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(ledger.add_once, [entry(note="closed")] * 6))
    assert set(found) == set(ledger.entries())
    assert len(ledger.entries()) == 1
    assert ledger.add_once(entry(note="another")).id == 2
