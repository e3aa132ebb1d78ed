"""The ledger: composition as it is, places as they are, and nobody's answers."""

import csv
import datetime as dt
import io
import itertools
import math
import os
import re
import sqlite3
import tempfile
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from rrcore import plots
from rrcore.budget import build
from rrcore.designs import read_design
from rrcore.errors import InputError
from rrcore.ledger import (
    Entry,
    Ledger,
    entries_csv,
    entry_populations,
    largest_total_text,
    running_totals,
)
from rrcore.ledger.entry import added, parse_nats, people_key
from rrcore.ledger.store import LEDGER_VERSION
from rrcore.limits import MAX_LEDGER_NATS
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.rounding import integer_groups
from rrcore.table.schema import Attribute, Schema
from tests.contrast import weak_labels

YES_NO = ("no", "yes")
DAY = dt.date(2026, 1, 31)


def entry(population="panel", names=("a", "b"), epsilon=("1.000000001", "0.500000000"), total="1.500000001", mark="0", **rest):
    amounts = tuple(parse_nats(level) for level in epsilon)
    return Entry(population, rest.pop("date", DAY), tuple(names), amounts, parse_nats(total), mark * 64, **rest)


@pytest.fixture
def ledger(tmp_path):
    return Ledger.open(str(tmp_path / "releases.ledger"), create=True)


def test_the_group_that_has_spent_most_is_named():
    one, other = entry("panel"), entry("others", epsilon=("2.500000000", "0.500000000"), total="2.500000000")
    text = largest_total_text([one, other, replace(one, same_draw=True)])
    assert "'others'" in text
    assert "ε = 2.50" in text
    assert "'x'" in largest_total_text([one, entry("x", epsilon=("unbounded",) * 2, total="unbounded")])


@pytest.fixture(scope="module")
def forced():
    """Forced response with odds of exactly 5 about 'smokes'."""
    schema = Schema((Attribute("smokes", YES_NO),))
    return MechanismFile(schema, (((0,), read_design("smokes", "forced", 2, "2/3,1/6,1/6")),))


@pytest.fixture(scope="module")
def coupled():
    """The optimum over two attributes."""
    schema = Schema((Attribute("smokes", YES_NO), Attribute("sex", ("f", "m", "x"))))
    return MechanismFile(schema, integer_groups(build("optimal", [2, 3], [1.0, 0.7])))


# Composition


def channel(file):
    """Oracle: record -> released record -> exact probability, by enumeration of the integer weights."""
    sizes = file.schema.sizes
    found = {}
    for truth in itertools.product(*map(range, sizes)):
        chances = {(): Fraction(1)}
        for group, weights in file.groups:
            own = [truth[i] for i in group]
            new = {}
            for said, chance in chances.items():
                for answer in itertools.product(*(range(sizes[i]) for i in group)):
                    new[said + answer] = chance * one_group(weights, own, answer)
            chances = new
        found[truth] = chances
    return found


def one_group(weights, truth, answer):
    if weights.rows is not None:
        row = weights.rows[truth[0]]
        return Fraction(row[answer[0]], sum(row))
    lies = dict(weights.lies)
    whole = weights.uniform + sum(lies.values())
    pattern = "".join("0" if said == true else "1" for said, true in zip(answer, truth, strict=True))
    ways = math.prod(size - 1 for size, changed in zip(weights.sizes, pattern, strict=True) if changed == "1")
    return Fraction(weights.uniform, whole * math.prod(weights.sizes)) + Fraction(lies.get(pattern, 0), whole * ways)


def largest_odds(likelihoods):
    """Largest ratio of the probabilities of one output, over all outputs and pairs of truths."""
    outputs = next(iter(likelihoods.values()))
    return max(
        max(chances[y] for chances in likelihoods.values()) / min(chances[y] for chances in likelihoods.values()) for y in outputs
    )


def test_totals_add_up_to_exactly_what_two_releases_can_tell(forced, coupled, ledger):
    """Both releases seen at once, by enumeration: the sum of totals holds, and nothing below it would."""
    one, two = channel(forced), channel(coupled)
    assert all(sum(chances.values()) == 1 for chances in (*one.values(), *two.values()))
    both = {truth: {(y, z): one[truth[:1]][y] * two[truth][z] for y in one[truth[:1]] for z in two[truth]} for truth in two}
    exact = largest_odds(both)
    for file in (forced, coupled):
        ledger.add(Entry.of(file, population="panel", date=DAY))
    bound = ledger.spent("panel").total
    assert math.log(exact) <= float(bound) <= math.log(exact) + 3e-9

    marginal = {}
    for truth, chances in both.items():
        counted = marginal.setdefault(truth[0], {})
        for (y, z), chance in chances.items():
            counted[(y[0], z[0])] = counted.get((y[0], z[0]), 0) + chance / 3  # the other attribute, known to be anything
    alone = ledger.spent("panel", ["smokes"]).epsilon[0]
    assert math.log(largest_odds(marginal)) <= float(alone) <= math.log(largest_odds(marginal)) + 3e-9
    assert alone < bound


def test_sums_by_hand(ledger):
    ledger.add(entry(mark="a"))
    ledger.add(entry(names=("b", "c"), epsilon=("0.250000000", "2.000000000"), total="2.100000000", mark="b"))
    ledger.add(entry("others", mark="a"))
    ledger.add(entry(mark="a"))
    found = ledger.spent("panel")
    assert found.total == Decimal("5.100000002")
    assert dict(zip(found.attributes, found.epsilon, strict=True)) == {
        "a": Decimal("2.000000002"),
        "b": Decimal("1.25"),
        "c": Decimal(2),
    }
    assert found.asked == (2, 3, 1)
    assert ledger.spent("panel", ["c", "never"]).epsilon == (2, 0)
    assert ledger.spent("others").total == Decimal("1.500000001")
    assert ledger.spent("nobody").total == 0
    assert ledger.populations() == ("panel", "others")
    assert running_totals(ledger.entries()) == [Decimal(x) for x in ("1.500000001", "3.600000001", "1.500000001", "5.100000002")]


def test_sums_are_never_rounded_down():
    thousand = added([parse_nats("0.000000001")] * 999 + [parse_nats(f"{MAX_LEDGER_NATS}.000000000")] * 100_000)
    assert thousand == MAX_LEDGER_NATS * 100_000 + Decimal("0.000000999")


def test_without_a_bound_there_is_no_sum(ledger):
    ledger.add(entry(epsilon=("unbounded", "0.500000000"), total="unbounded"))
    ledger.add(entry(mark="1"))
    found = ledger.spent("panel")
    assert (found.total, found.epsilon) == (None, (None, Decimal(1)))
    planned = ledger.planned(entry(mark="2"))
    assert planned.to_dict()["after"]["total"] == "unbounded"


def test_the_same_released_answers_cost_nothing_more(ledger):
    again = entry(same_draw=True)
    with pytest.raises(InputError, match="with this mechanism is recorded"):
        ledger.add(again)
    with pytest.raises(InputError, match="with this mechanism is recorded"):
        ledger.planned(again)
    ledger.add(entry())
    for other in (
        replace(again, population="others"),
        replace(again, sha256="1" * 64),
        replace(again, epsilon=(Decimal(1), Decimal("0.5"))),
        replace(again, total=Decimal(2)),
    ):
        with pytest.raises(InputError, match="with this mechanism is recorded"):
            ledger.add(other)
    planned = ledger.planned(again)
    assert planned.after.total == planned.before.total == Decimal("1.500000001")
    ledger.add(again)
    ledger.add(again)
    assert ledger.spent("panel").total == Decimal("1.500000001")
    assert ledger.spent("panel").epsilon == (Decimal("1.000000001"), Decimal("0.5"))
    assert ledger.spent("panel").asked == (1, 1)
    ledger.add(entry())  # randomized again: another draw
    assert ledger.spent("panel").total == Decimal("3.000000002")


def test_what_one_more_release_adds_in_words(ledger):
    first = entry(epsilon=("7.820000000", "0.500000000"), total="7.820000000")
    (sentence,) = ledger.planned(first).sentences()
    assert "ε = 7.82" in sentence
    ledger.add(first)
    planned = ledger.planned(replace(first, population="Panel "))
    composed, again, repeated = planned.sentences()
    assert re.search(r"ε = 7\.82.*ε = 15\.64", composed)
    assert re.search(r"'a' \(ε = 15\.64.*'b' \(ε = 1\.00", again)
    assert "number 1" in repeated
    assert ledger.entries() == planned.before.entries
    assert len(ledger.entries()) == 1


def test_many_attributes_asked_again_are_counted(ledger):
    wide = entry(names=tuple("abcdef"), epsilon=("0.500000000",) * 6, total="3.000000000")
    ledger.add(wide)
    _, again = ledger.planned(replace(wide, sha256="1" * 64)).sentences()
    assert [f"'{name}'" in again for name in "abcdef"] == [True] * 3 + [False] * 3
    assert "3 more" in again
    fresh = ledger.planned(entry(names=("x",), epsilon=("0.500000000",), total="0.500000000", mark="1"))
    assert len(fresh.sentences()) == 1


@pytest.mark.parametrize(
    "name", ["Panel 2026", "  panel   2026 ", "PANEL 2026", "panel\u200b 2026", "panel\u00a02026", "ｐanel 2026"]
)
def test_one_group_under_many_spellings_is_one_group(ledger, name):
    ledger.add(entry("panel 2026"))
    assert ledger.planned(entry(name)).before.total == Decimal("1.500000001")
    assert ledger.add(entry(name)).population == "panel 2026"
    assert entry_populations(ledger.entries()) == ("panel 2026",)
    assert len(ledger.entries(name)) == 2
    assert people_key("panel 2027") != people_key(name)


# Entries


def test_an_entry_has_what_the_certificate_has(forced, coupled):
    made = Entry.of(forced, population=" panel ", date=DAY, people=2201, note="first")
    assert (made.attributes, made.epsilon, made.total) == (("smokes",), (Decimal("1.609437913"),), Decimal("1.609437913"))
    assert made.sha256 == forced.sha256
    assert made.population == "panel"
    claim = coupled.certificate.to_dict(coupled.schema.names)
    made = Entry.of(coupled, population="panel", date=DAY).to_dict()
    assert made["total"] == claim["epsilon_total"]["nats"]
    assert made["epsilon"] == {each["attribute"]: each["epsilon"]["nats"] for each in claim["attributes"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"population": " \u200b"}, "has no name"),
        ({"population": "x" * 501}, "at most 500"),
        ({"population": "a\x00b"}, "cannot be displayed"),
        ({"population": "a\ud800"}, "cannot be displayed"),
        ({"note": 3}, "not text"),
        ({"date": "2026-01-31"}, "a date such as"),
        ({"date": dt.datetime(2026, 1, 31)}, "a date such as"),
        ({"sha256": "A" * 64}, "64 hexadecimal"),
        ({"sha256": "a" * 63}, "64 hexadecimal"),
        ({"people": 0}, "whole number"),
        ({"people": True}, "whole number"),
        ({"attributes": ("a", "a")}, "different attributes"),
        ({"attributes": ("a",)}, "different attributes"),
        ({"attributes": (), "epsilon": ()}, "1 to 1,000"),
        ({"attributes": ("a", "")}, "needs a name"),
        ({"total": Decimal("0.9")}, "smaller than"),
        ({"epsilon": (None, Decimal(1))}, "smaller than"),
        ({"total": Decimal("1.5000000001")}, "nine decimals"),
        ({"total": Decimal("NaN")}, "nine decimals"),
        ({"total": Decimal("Infinity")}, "nine decimals"),
        ({"total": Decimal(MAX_LEDGER_NATS + 1)}, "nine decimals"),
        ({"epsilon": (Decimal("-0.1"), Decimal(1))}, "nine decimals"),
        ({"total": 1.5}, "nine decimals"),
    ],
)
def test_entries_that_cannot_be_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        replace(entry(), **change)


@pytest.mark.parametrize("text", ["1", "1.5", "-1.000000000", "1e-9", "Unbounded", "", "1.0000000000", "١.000000000", 1.5, None])
def test_amounts_are_written_in_one_way(text):
    with pytest.raises(InputError, match="nine decimals"):
        parse_nats(text)


def test_csv_with_everything_and_safe_in_a_spreadsheet(ledger):
    ledger.add(entry("=panel", names=("a", "+b"), note="@note, with a comma", people=5))
    ledger.add(entry("=panel", same_draw=True, names=("a", "+b")))
    rows = list(csv.DictReader(io.StringIO(entries_csv(ledger.entries()))))
    assert [row["so_far"] for row in rows] == ["1.500000001"] * 2
    assert [row["added"] for row in rows] == ["1.500000001", "0.000000000"]
    assert rows[0]["population"] == "'=panel"
    assert rows[0]["note"] == "'@note, with a comma"
    assert rows[0]["attributes"] == "a; +b"
    assert (rows[0]["people"], rows[1]["people"], rows[1]["same_draw"]) == ("5", "", "yes")


# Places


def test_nothing_but_names_dates_fingerprints_and_amounts_is_kept(ledger):
    made = replace(entry(names=("smokes", "Größe\n"), note="n\u00f6te", people=7), id=1)
    assert ledger.add(made) == made
    assert Ledger.open(ledger.place).entries() == (made,)
    with sqlite3.connect(ledger.place) as connection:
        tables = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
        columns = [row[1] for row in connection.execute("pragma table_info(rr_release)")]
    assert tables == {"rr_release", "rr_struck", "sqlite_sequence"}
    assert columns == ["id", "population", "date", "epsilon", "total", "sha256", "people", "same_draw", "note"]


def test_categories_of_a_mechanism_are_not_kept(ledger, coupled):
    schema = Schema((Attribute("smokes", ("planted-one", "planted-two")), coupled.schema.attributes[1]))
    ledger.add(Entry.of(MechanismFile(schema, coupled.groups, note="planted-note"), population="panel", date=DAY))
    assert b"planted" not in Path(ledger.place).read_bytes()


def test_only_create_creates(tmp_path):
    place = tmp_path / "new.ledger"
    with pytest.raises(InputError, match="There is no ledger"):
        Ledger.open(str(place))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="There is no folder"):
        Ledger.open(str(tmp_path / "none" / "new.ledger"), create=True)
    Ledger.open(str(place), create=True).add(entry())
    with pytest.raises(InputError, match="already exists"):
        Ledger.open(str(place), create=True)
    assert len(Ledger.open(str(place)).entries()) == 1


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"SQLite format 3\0" + b"\1" * 200])
def test_foreign_files_are_refused_and_left_alone(tmp_path, content):
    file = tmp_path / "other"
    file.write_bytes(content)
    for use in (Ledger.open, lambda place: Ledger(place).add(entry())):
        with pytest.raises(InputError, match=r"is not a ledger|is damaged"):
            use(str(file))
    assert file.read_bytes() == content


def test_a_foreign_database_is_refused_and_left_alone(tmp_path):
    file = tmp_path / "app.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("create table people (name text)")
    before = file.read_bytes()
    with pytest.raises(InputError, match="is not a ledger"):
        Ledger.open(str(file))
    with pytest.raises(InputError, match="already exists"):
        Ledger.open(str(file), create=True)
    assert file.read_bytes() == before


def changed(ledger, *statements):
    connection = sqlite3.connect(ledger.place)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_newer_version_is_refused(ledger):
    changed(ledger, f"pragma user_version = {LEDGER_VERSION + 1}")
    for use in (ledger.entries, lambda: ledger.add(entry()), lambda: Ledger.open(ledger.place)):
        with pytest.raises(
            InputError, match=f"has version {LEDGER_VERSION + 1}, but this program reads version {LEDGER_VERSION}"
        ):
            use()


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("pragma application_id = 0", "is not a ledger"),
        ("drop table rr_release", "is damaged"),
        ("alter table rr_release drop column note", "is damaged"),
        ("update rr_release set total = '1.200000000'", None),
        ("update rr_release set total = '0.100000000'", "Entry 1"),
        ('update rr_release set epsilon = \'[["a", "1.000000000"\'', "Entry 1"),
        ("update rr_release set epsilon = '7'", "Entry 1"),
        ("update rr_release set epsilon = x'ff'", "Entry 1|damaged"),
        ("update rr_release set population = cast(x'ff' as text)", "damaged"),
        ("update rr_release set date = '2026-13-01'", "Entry 1"),
        ("update rr_release set people = 'many'", "Entry 1"),
        ("update rr_release set same_draw = 2", "Entry 1"),
        ("update rr_release set same_draw = 1", "Entry 1"),
        ("update rr_release set population = x'00'", "Entry 1"),
    ],
)
def test_damaged_ledgers_are_refused_with_a_sentence(ledger, statement, message):
    ledger.add(entry())
    changed(ledger, statement)
    if message is None:
        assert ledger.spent("panel").total == Decimal("1.2")
        return
    with pytest.raises(InputError, match=message) as error:
        ledger.entries()
    assert str(error.value).count("\n") == 0
    assert str(error.value).endswith(".")


@pytest.mark.slow
def test_a_truncated_file_is_refused(ledger):
    for number in range(60):
        ledger.add(entry(note=f"{number} " + "x" * 400))
    content = Path(ledger.place).read_bytes()
    Path(ledger.place).write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match=r"is damaged|is not a ledger"):
        ledger.entries()


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs users as on Unix")
def test_a_read_only_file_is_read_and_not_written():
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger.open(f"{folder}/releases.ledger", create=True)
        ledger.add(entry())
        os.chmod(ledger.place, 0o444)
        os.chmod(folder, 0o555)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)  # root may write anything
        try:
            assert len(ledger.entries()) == 1
            for use in (lambda: ledger.add(entry()), lambda: ledger.strike(1, "a mistake")):
                with pytest.raises(InputError, match="is read-only, so nothing was written"):
                    use()
            with pytest.raises(InputError, match=r"cannot be created \(Permission denied\)"):
                Ledger.open(f"{folder}/other.ledger", create=True)
        finally:
            if root:
                os.seteuid(0)
            os.chmod(folder, 0o755)
        assert len(ledger.entries()) == 1


def test_no_place_is_no_ledger(tmp_path):
    for place, message in [
        ("  ", "not the path of a file"),
        ("a\0b", "not the path of a file"),
        ("sqlite://", "not the path of a file"),
        (":memory:", "not the path of a file"),
        (str(tmp_path), "is not a file"),
        (str(tmp_path / ("x" * 300)), "cannot be read|no ledger"),
        ("~no-such-user/x", "home folder|no ledger"),
    ]:
        with pytest.raises(InputError, match=message):
            Ledger.open(place)
    for place in (str(tmp_path / ("x" * 300)), str(tmp_path / "a\ud800")):
        with pytest.raises(InputError, match="cannot be created"):
            Ledger.open(place, create=True)


# Writers


def test_a_write_that_is_under_way_keeps_others_out(ledger, monkeypatch):
    monkeypatch.setattr("rrcore.database._PATIENCE", 0.05)
    other = sqlite3.connect(ledger.place)
    other.execute("begin immediate")
    with pytest.raises(InputError, match="is being written by another program"):
        ledger.add(entry())
    assert ledger.entries() == ()
    other.rollback()
    other.close()
    assert ledger.add(entry()).id == 1


def test_full_ledgers_take_no_more(ledger, monkeypatch):
    monkeypatch.setattr("rrcore.ledger.store.MAX_LEDGER_ENTRIES", 1)
    ledger.add(entry())
    with pytest.raises(InputError, match="which is the maximum"):
        ledger.add(entry())


def test_nothing_stays_open(ledger):
    ledger.add(entry())
    folder = Path("/dev/fd")
    if not folder.exists():
        pytest.skip("this system has no list of open files at /dev/fd")
    assert not any(os.path.exists(fd) and os.path.realpath(fd) == ledger.place for fd in folder.iterdir())


# Figure


@pytest.mark.slow
@pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])
def test_the_figure_stacks_what_each_release_adds(ledger, palette):
    ledger.add(entry("<b>panel</b>"))
    ledger.add(entry("<b>panel</b>", same_draw=True))
    ledger.add(entry("others", epsilon=("unbounded", "0.500000000"), total="unbounded"))
    planned = ledger.planned(entry("<b>panel</b>", mark="1", names=("<i>", "%{x}")))
    figure = plots.ledger_figure([planned.after, ledger.spent("others")], palette, planned=planned)
    assert weak_labels(figure) == []
    assert [bar.x[0] for bar in figure.data] == [1.500000001, 1.500000001]
    assert [bar.marker.pattern.shape for bar in figure.data] == ["", "/"]
    assert {bar.y[0] for bar in figure.data} == {1}
    assert figure.layout.barmode == "stack"
    assert [note.text for note in figure.layout.annotations] == [" 3.00", " no bound"]
    assert figure.layout.yaxis.ticktext == ("&lt;b&gt;panel&lt;/b&gt;", "others")
