"""Every file that an earlier version wrote still loads, says the same, and is written again as it was. See README.md."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import io
import json
import math
import re
import shutil
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rrcore.answers import Answers, read_answers
from rrcore.asking import SurveyFile
from rrcore.asking.survey_file import SURVEY_FILE_VERSION
from rrcore.asking.translation import Translation
from rrcore.budget import Origin, Pinned, Plan, Project, Questions, Wishes
from rrcore.budget.pinned import PINNED_VERSION
from rrcore.budget.plan import PLAN_VERSION
from rrcore.budget.project import PROJECT_VERSION
from rrcore.estimate import cell_variance
from rrcore.ledger import Entry, Ledger, entries_csv, entry_populations, running_totals, total_spent
from rrcore.mechanisms import Safeguards
from rrcore.promise.mechanism_file import MECHANISM_VERSION, MechanismFile
from rrcore.promise.stages import in_two_stages
from rrcore.research.keyvalue import KeyValueData, read_long, read_wide
from rrcore.table import Attribute, ColumnRule, Control, Counts, Impossible, Invention, Schema, load_demo, read_text_table, recode
from rrcore.table.reading import TextColumn
from rrcore.wording import spreadsheet_safe

FILES = Path(__file__).with_name("files")
EXPECTED = json.loads(Path(__file__).with_name("expected.json").read_text(encoding="utf-8"))

SMOKES = Attribute("smokes, daily?", ("no", "yes, often", '=SUM("A1")', "weiß nicht"))
INCOME = Attribute("=Einkommen", ("< 1 000 €", "'t weinig", "-5"), "ordinal")
TRAIT = Attribute("имеет «признак»", ("нет", "да 🙂"))
NUMBER = Attribute('2020 "x"', ("+49, D", "0", "1"), "ordinal")
THREE, FOUR = Schema((SMOKES, INCOME, TRAIT)), Schema((SMOKES, INCOME, TRAIT, NUMBER))
FIELD = Schema(
    (
        Attribute("Warner, direct", ("no", "yes")),
        Attribute("=forced", ("nein", "ja")),
        Attribute('unrelated "q"', ("нет", "да")),
        Attribute("k-ary", ("a", "b", "c")),
        Attribute("matrix", ("x", "y", "z")),
    )
)
KNOWN = Schema(THREE.attributes, control=Control(TRAIT.name, "нет"))
NEVER = ((SMOKES.categories[1], "нет"), (SMOKES.categories[2], "да 🙂"))
RULED = Schema(THREE.attributes, (Impossible((SMOKES.name, TRAIT.name), NEVER),))
SCHEMAS = {
    "impossible": RULED,
    "control": KNOWN,
    "blocks": FOUR,
    "mixed-groups": FOUR,
    "field-designs": FIELD,
    "no-uniform": Schema((TRAIT, INCOME)),
    "counts": FOUR,
}
"""What the mechanism files ask; all others ask THREE."""

SOLVED = 1e-7
"""Nats by which what a solver finds may differ from what another version of it found."""


def text(name: str) -> str:
    return (FILES / name).read_bytes().decode("utf-8")


def mechanism(name: str) -> MechanismFile:
    return MechanismFile.from_bytes((FILES / mechanism_file(name)).read_bytes())


def mechanism_file(name: str) -> str:
    (path,) = FILES.glob(f"mechanism-v*-{name}.json")
    return path.name


def answers(*names: str, by: str = "mixed-groups") -> Answers:
    return read_answers([((FILES / name).read_bytes(), name) for name in names], mechanism(by))


def complete(read: Answers) -> tuple[Answers, int]:
    """What former versions read, who left out records that lack some answers, and how many they left out."""
    whole = read.dataset.n
    columns = tuple(TextColumn(column.name, column.codes[:whole], column.values) for column in read.groupings)
    return replace(read, partial=None, groupings=columns, _counted={}), read.left_out + read.n - whole


def close(found: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(np.asarray(found, dtype=float).ravel(), wanted, rtol=0, atol=tolerance)


def same_document(found: Any, wanted: Any) -> None:
    """The same fields in the same order with the same content, computed numbers up to the solver's precision."""
    if isinstance(wanted, dict):
        assert list(found) == list(wanted)
        for key, value in wanted.items():
            same_document(found[key], value)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            same_document(one, other)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, abs=SOLVED)
    else:
        assert found == wanted


def test_nothing_is_missing() -> None:
    """Every file is read by a test below."""
    named = {f"plan-v{version}-{key}.json" for version, keys in EXPECTED["plans"].items() for key in keys}
    named |= {mechanism_file(key) for key in EXPECTED["mechanisms"]} | set(EXPECTED["others"])
    named |= {f"project-v1-{key}.json" for key in EXPECTED["projects"]} | {"project-v1-bins.json", "project-v2-open.json"}
    named |= {f"project-v{version}-{key}.json" for version, key, _ in RULED_PROJECTS}
    assert {path.name for path in FILES.iterdir()} - {".gitattributes"} == named
    assert sum(path.stat().st_size for path in FILES.iterdir()) < 150_000


def test_versions_that_are_documented_are_those_of_the_program_and_each_has_a_file() -> None:
    """The finding: the table lacked survey files of version 3, and of plans, projects and mechanism files some versions were not kept."""
    table = (FILES.parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    newest = {
        "Plan": ("plan", PLAN_VERSION),
        "Pinned plans": ("pinned", PINNED_VERSION),
        "Project": ("project", PROJECT_VERSION),
        "Mechanism file": ("mechanism", MECHANISM_VERSION),
        "Survey file": ("survey", SURVEY_FILE_VERSION),
    }
    for title, (kind, version) in newest.items():
        (read,) = re.findall(rf"^\| {title} \|[^|]*\|[^|]*\| ([^|]*) \|", table, re.MULTILINE)
        every = [str(each) for each in range(1, version + 1)]
        assert re.findall(r"\d", read) == every
        assert sorted({path.name.split("-")[1].partition(".")[0] for path in FILES.glob(f"{kind}-v*")}) == [
            f"v{each}" for each in every
        ]


PLANS = [(version, key) for version, keys in EXPECTED["plans"].items() for key in keys]


def check_plan(plan: Plan, key: str, version: str = "2") -> None:
    key = key.removeprefix("first-")
    assert plan.schema == {"3": RULED, "4": KNOWN}.get(version, THREE)
    assert plan.mechanism == key
    levels = {"closed-form": (4.0, 4.5, 4.25), "design": (4 / 3, 4 / 3, 4 / 3)}
    assert plan.levels == levels.get(key, (1.0, 2.5, 0.1))
    assert plan.respondents == {"safeguarded": 10**10, "design": 1}.get(key, 12345)
    guarded = Safeguards(0.9, ((0, 2), (0, 1, 2)), (0.25, math.inf, 0.125))
    assert plan.safeguards == (guarded if key == "safeguarded" else Safeguards())
    assert plan.questions == (Questions(4.0, ((0, 1), (2,))) if key == "design" else None)


@pytest.mark.parametrize(("version", "key"), PLANS)
def test_plan(version: str, key: str) -> None:
    name = f"plan-v{version}-{key}.json"
    plan = Plan.from_json(text(name))
    check_plan(plan, key, version)
    built = plan.build()
    assert built.total_level == pytest.approx(EXPECTED["plans"][version][key], abs=SOLVED)
    written, before = json.loads(plan.to_json(built)), json.loads(text(name))
    assert before["version"] == int(version)
    if version == "1":  # which knew no lower bound
        before["version"], bound = 2, written.pop("lower_bound")
        assert bound is None or bound <= before["total_level"] + SOLVED
    same_document(written, before)


def test_pinned_plans() -> None:
    pinned = Pinned.from_json((FILES / "pinned-v1.json").read_bytes())
    keys = ["kronecker", "pair-safe", "optimal", "closed-form", "joint", "published", "safeguarded", "design"]
    assert [pin.name for pin in pinned.pins] == ["RR-Joint" if key == "joint" else f'=plan "{key}", für später' for key in keys]
    for pin, key in zip(pinned.pins, keys, strict=True):
        check_plan(pin.plan, key)
    assert pinned.to_json() == text("pinned-v1.json")


@pytest.mark.parametrize("version", EXPECTED["plans"])
def test_a_plan_is_pinned_from_its_file(version: str) -> None:
    (pin,) = Pinned.from_json(text(f"plan-v{version}-kronecker.json")).pins
    check_plan(pin.plan, "kronecker", version)


UPLOAD = Project(
    Origin(
        "upload",
        "Umfrage, 2026.csv",
        columns=("person", *FOUR.names),
        rules={
            "person": ColumnRule(use=False),
            SMOKES.name: ColumnRule(missing="drop", missing_marks=("?", "k. A.")),
            INCOME.name: ColumnRule(kind="ordinal", categories=INCOME.categories),
            TRAIT.name: ColumnRule(merge_below=5),
            NUMBER.name: ColumnRule(kind="ordinal", binning="edges", edges=(0.5, 18.0, 30.0)),
        },
    ),
    FOUR,
    Wishes(
        respondents=12345,
        chosen=(INCOME.name, SMOKES.name, NUMBER.name),
        levels={SMOKES.name: 1.0, INCOME.name: 2.5, TRAIT.name: 2.0, NUMBER.name: 0.25},
        scale=0.5,
        mechanism="safeguarded",
        width=2,
        weights={INCOME.name: 2.0},
        floor=0.9,
        floor_marginals=((INCOME.name, SMOKES.name),),
        slacks={NUMBER.name: 0.25},
        marginal=(INCOME.name,),
        seed=7,
        people=500,
        wording={SMOKES.name: "Rauchen Sie täglich?", NUMBER.name: '=1+1 "x"'},
    ),
    Pinned().pin(Plan(THREE, (1.0, 2.5, 0.1), 12345, "kronecker"), '=plan "kronecker", für später'),
    {
        "made_by": 'Büro für Statistik, "A"',
        "compare_seed": 3,
        "compare_level": 1.5,
        "prune": True,
        "schemes": ("em", "pair-safe"),
    },
)
DESIGNED = Wishes(
    1,
    THREE.names,
    dict.fromkeys(THREE.names, 2.0),
    entry="questions",
    mechanism="design",
    width=3,
    questions=((SMOKES.name, INCOME.name), (TRAIT.name,)),
)
HAIR = load_demo("haireye").schema
PROJECTS = {
    "upload": UPLOAD,
    "declared": Project(Origin("declare", "Declared plan"), THREE, DESIGNED),
    "invented": Project(
        Origin("synthetic", "Invented", invention=Invention(people=50, seed=3), rules={"A": ColumnRule()}), THREE, DESIGNED
    ),
    "demo": Project(
        Origin(
            "demo", "Hair and eye colour", "haireye", rules={a.name: ColumnRule(categories=a.categories) for a in HAIR.attributes}
        ),
        HAIR,
        Wishes(
            592,
            ("Eye", "Sex"),
            dict.fromkeys(HAIR.names, 2.0),
            entry="total",
            mechanism="pair-safe",
            width=3,
            total=1.5,
            people=592,
        ),
    ),
}


@pytest.mark.parametrize("name", EXPECTED["projects"])
def test_project(name: str) -> None:
    written = text(f"project-v1-{name}.json")
    assert Project.from_json(written) == PROJECTS[name]
    assert PROJECTS[name].to_json() == written


def test_a_project_keeps_the_bins_of_its_time() -> None:
    """Groups of equal counts, intervals of equal width and typed edges, called as they were when every project had such."""
    written = text("project-v1-bins.json")
    project = Project.from_json(written)
    assert project.to_json() == written
    rows = "\n".join(f"{250 + 37 * (i % 240)},{18 + i % 60},{i % 2}.5,{'ab'[i % 2]}" for i in range(480))
    table = read_text_table(f"amount,age,weight,likes\n{rows}\n".encode(), "credit.csv")
    assert recode(table, project.origin.rules).schema == project.schema


def test_a_project_with_open_intervals_is_of_version_2() -> None:
    written = text("project-v2-open.json")
    project = Project.from_json(written)
    assert project.to_json() == written
    assert json.loads(written)["version"] == 2
    assert project.origin.rules["amount"] == ColumnRule(kind="ordinal", binning="open", edges=(1000.0, 2000.0, 5000.0))
    assert project.schema.attributes[0].categories == (
        "below 1,000",
        "1,000 to below 2,000",
        "2,000 to below 5,000",
        "5,000 and more",
    )


RULED_PROJECTS = [(3, "impossible", RULED), (4, "control", KNOWN)]


@pytest.mark.parametrize(("version", "key", "schema"), RULED_PROJECTS)
def test_a_project_with_rules_about_its_attributes(version: int, key: str, schema: Schema) -> None:
    written = text(f"project-v{version}-{key}.json")
    assert json.loads(written)["version"] == version
    assert Project.from_json(written) == (project := Project(Origin("declare", "Declared plan"), schema, DESIGNED))
    assert project.to_json() == written


def test_survey_file() -> None:
    written = text("survey-v1.json")
    survey = SurveyFile.from_json(written)
    assert survey.to_json() == written
    assert survey.mechanism.to_json() == text("mechanism-v1-mixed-groups.json")
    assert (survey.title, survey.introduction) == ('Vélos, "bikes" & 自転車', "Thank you for =your help.\nTwo lines.")
    assert survey.order == ("имеет «признак»", "smokes, daily?", '2020 "x"', "=Einkommen")
    assert survey.questions == {"smokes, daily?": "Why, if at all?"}
    assert (survey.language, survey.invited, survey.memory) == ("fr", True, True)


def test_survey_file_with_unrandomised_questions_and_languages() -> None:
    written = text("survey-v2-languages.json")
    survey = SurveyFile.from_json(written)
    assert survey.to_json() == written
    assert json.loads(written)["version"] == 2
    assert survey.unrandomised == (Attribute("région", ("nord", "süd, or west")),)
    assert survey.order[:2] == ("имеет «признак»", "région")
    german = Translation("Räder", "Danke.", {"région": "Wo wohnen Sie?"}, {"région": ("Nord", "Süd oder West")})
    assert survey.translations == {"de": german, "fr": Translation()}
    assert survey.questions["région"] == "Where do you live?"


def test_survey_file_with_answers_that_are_redrawn() -> None:
    written = text("survey-v3-redrawn.json")
    survey = SurveyFile.from_json(written)
    assert survey.to_json() == written
    assert json.loads(written)["version"] == 3
    assert (survey.title, survey.memory, survey.redrawn) == ("Vélos, =zwei Stufen", True, "1/4")
    assert survey.mechanism == in_two_stages(mechanism("kronecker"), Fraction(1, 4))


def test_lines_with_answers_that_were_not_randomised() -> None:
    answers = read_answers([((FILES / "answers-unrandomised.jsonl").read_bytes(), "answers.jsonl")], mechanism("mixed-groups"))
    assert {name: part.n for name, part in answers.split("région").items()} == {"nord": 2, "süd, or west": 1}


@pytest.mark.parametrize("name", EXPECTED["mechanisms"])
def test_mechanism_file(name: str) -> None:
    wanted, written = EXPECTED["mechanisms"][name], text(mechanism_file(name))
    made = mechanism(name)
    assert made.schema == SCHEMAS.get(name, THREE)
    assert made.made_by == 'Büro für Statistik, "A"'
    assert made.note == wanted["note"]
    assert made.to_json() == written

    document = json.loads(written)
    claimed = document.pop("sha256")
    canonical = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    assert made.sha256 == claimed == hashlib.sha256(canonical).hexdigest() == wanted["sha256"]

    promise = made.certificate
    ratios = [None if ratio == "unbounded" else Fraction(ratio) for ratio in wanted["ratios"]]
    assert [*promise.levels, *promise.leakage, promise.total] == ratios
    entries = promise.to_dict(made.schema.names)
    told = [entry[kind] for kind in ("level", "leakage") for entry in entries["attributes"]] + [entries["total"]]
    for ratio, entry in zip(ratios, told, strict=True):
        if ratio is None:
            assert entry == {"ratio": "unbounded", "nats": "unbounded"}
        else:
            assert Fraction(entry["ratio"]) == ratio
            assert 0 <= float(entry["nats"]) - (math.log(ratio.numerator) - math.log(ratio.denominator)) <= 1.1e-9


@pytest.mark.parametrize("name", EXPECTED["mechanisms"])
def test_answers_are_read_by_every_mechanism_file(name: str) -> None:
    """The joint distribution of the first and the last attribute, from the c-th of all records that may be reported c + 1 times."""
    made, wanted = mechanism(name), EXPECTED["mechanisms"][name]
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(made.schema.names)
    for times, record in enumerate(product(*(attribute.categories for attribute in made.reports.attributes)), 1):
        writer.writerows([record] * times)
    read = read_answers([(table.getvalue().encode(), "all.csv")], made)
    cells = math.prod(made.reports.sizes)
    assert (read.n, read.left_out) == (cells * (cells + 1) // 2, 0)
    estimate = read.estimate((made.schema.names[0], made.schema.names[-1]))
    close(estimate.shares, wanted["shares"])


def test_field_designs_promise_what_textbooks_say() -> None:
    levels = mechanism("field-designs").certificate.levels
    assert levels == (Fraction(3), Fraction(5), Fraction(9), Fraction(3), None)


def test_certificate() -> None:
    made, written = mechanism("mixed-groups"), json.loads(text("certificate.json"))
    certificate = made.certificate.to_dict(made.schema.names) | {"sha256": made.sha256}
    assert certificate == written
    assert json.dumps(certificate, ensure_ascii=False, indent=1) == text("certificate.json")
    assert f"{made.certificate.text(made.schema.names)}\nsha256 {made.sha256}\n" == text("certificate.txt")
    assert made.certificate.levels[1] == Fraction(8)
    assert made.certificate.levels[3] == Fraction(2 * (3 * 99 + 1), 3 * 29 + 2)


ANSWERS = {
    "form": ("answers.jsonl", "answer-a19cb398647eb31b.json", "answer-d873047271dd546f.json"),
    "collect": ("collected.csv",),
    "spreadsheet": ("collected-with-region.csv",),
}
"""Who wrote -> files."""


@pytest.mark.parametrize("source", ANSWERS)
def test_answers(source: str) -> None:
    (read, left_out), wanted = complete(answers(*ANSWERS[source])), EXPECTED["answers"][source]
    assert (read.n, left_out) == (wanted["n"], wanted["left_out"])
    for axes, found in zip([(0,), (1,), (2,), (3,), (0, 2)], wanted["marginals"], strict=True):
        names = [FOUR.names[i] for i in axes]
        assert read.counts(names).ravel().tolist() == found["counts"]
        estimate = read.estimate(names)
        close(estimate.shares, found["shares"])
        plugged = cell_variance(estimate.released, estimate.shares, estimate.channel, read.n - 1, population=True)
        close(np.sqrt(plugged), found["errors"])  # theory.md section 7, as it was then
        if (estimate.shares >= 0).all():
            close(estimate.standard_error(population=True), found["errors"])


def test_an_estimate_by_hand() -> None:
    """Of 129 equally likely draws 99 keep the answer, 29 lie and 1 gives any of the three."""
    read = answers("collected.csv")
    true, false = (99 + 1 / 3) / 129, (29 / 2 + 1 / 3) / 129
    close(read.estimate([NUMBER.name]).shares, (read.counts([NUMBER.name]) / 120 - false) / (true - false))


def test_answers_of_the_form_are_lines_of_json() -> None:
    """What this program reads from a line is what the line says."""
    lines = [json.loads(line) for name in ANSWERS["form"] for line in text(name).splitlines()]
    assert {line["mechanism"] for line in lines} == {mechanism("mixed-groups").sha256}
    said = [[line["answers"][name] for name in FOUR.names] for line in lines]
    codes = answers(*ANSWERS["form"]).dataset.codes
    assert [[a.categories[c] for a, c in zip(FOUR.attributes, row, strict=True)] for row in codes.tolist()] == said


def test_collected_answers_are_written_again() -> None:
    assert answers("collected.csv").dataset.to_csv() == text("collected.csv")


def test_answers_from_a_spreadsheet_keep_their_other_column() -> None:
    read, left_out = complete(answers("collected-with-region.csv"))
    assert [column.name for column in read.groupings] == ["region"]
    assert {value: part.n for value, part in read.split("region").items()} == {"=Nord": 19, "Süd; Ost": 20, "ไทย": 19}
    assert left_out == 2
    whole = answers("collected.csv").dataset.codes[:60]
    assert np.array_equal(read.dataset.codes, np.delete(whole, [7, 11], axis=0))


def test_simulated_release() -> None:
    table = read_text_table((FILES / "simulated-release.csv").read_bytes(), "simulated-release.csv")
    assert table.n == 120
    assert list(table.names) == [spreadsheet_safe(name) for name in FOUR.names]
    for i, attribute in enumerate(FOUR.attributes):
        column = table.columns[i]
        counts = dict(zip(column.values, np.bincount(column.codes).tolist(), strict=True))
        assert [counts[spreadsheet_safe(category)] for category in attribute.categories] == EXPECTED["release"][i]
    assert answers("simulated-release.csv").dataset.to_csv() == text("simulated-release.csv")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    shutil.copy(FILES / "releases.ledger", tmp_path / "releases.ledger")
    return Ledger.open(str(tmp_path / "releases.ledger"))


def test_ledger(ledger: Ledger) -> None:
    entries = ledger.entries()
    assert [entry.id for entry in entries] == [1, 2, 3, 4, 5]
    assert [entry.date.isoformat() for entry in entries] == ["2026-01-31", "2026-02-28", "2026-03-01", "2026-04-01", "2025-12-24"]
    assert [entry.population for entry in entries] == ["Panel 2026, Köln", "=Панель"] + ["Panel 2026, Köln"] * 2 + ["=Панель"]
    assert [entry.people for entry in entries] == [12345, 9_999_999_999, None, None, None]
    assert [entry.note for entry in entries] == ['=note, "first"', "", "", "given out again", ""]
    assert [entry.same_draw for entry in entries] == [False, False, False, True, False]
    for entry, name in zip(entries, ["kronecker", "mixed-groups", "optimal", "kronecker", "field-designs"], strict=True):
        made = mechanism(name)
        assert entry.sha256 == made.sha256
        assert entry.attributes == made.schema.names
        again = Entry.of(made, population="anyone", date=dt.date(2026, 1, 1))
        assert (entry.levels, entry.total) == (again.levels, again.total)


def test_what_the_entries_of_the_ledger_add_up_to(ledger: Ledger) -> None:
    entries = ledger.entries()
    assert [entry.total for entry in entries] == [*map(Decimal, ("3.6", "7.426562889", "3.217577061", "3.6")), None]
    assert running_totals(entries) == [*map(Decimal, ("3.6", "7.426562889", "6.817577061", "6.817577061")), None]
    assert entry_populations(entries) == ("Panel 2026, Köln", "=Панель")
    panel = total_spent(entries, "panel 2026,  KÖLN")
    assert panel.total == Decimal("6.817577061")
    assert dict(zip(panel.attributes, panel.levels, strict=True)) == dict(
        zip(THREE.names, map(Decimal, ("2", "5", "0.2")), strict=True)
    )
    assert panel.asked == (2, 2, 2)
    assert total_spent(entries, "=Панель").total is None
    assert exported(entries) == text("ledger-entries.csv")


def exported(entries: tuple[Entry, ...]) -> str:
    """The columns that the export had when the file was written; two came later."""
    out = io.StringIO()
    rows = list(csv.reader(io.StringIO(entries_csv(entries))))
    assert rows[0][-2:] == ["happened", "struck"]
    csv.writer(out, lineterminator="\n").writerows(row[:-2] for row in rows)
    return out.getvalue()


def test_the_ledger_goes_on(ledger: Ledger) -> None:
    """Number 6 was recorded by mistake and taken back, so the next one is 7."""
    added = ledger.add(Entry.of(mechanism("joint"), population="PANEL 2026, Köln", date=dt.date(2026, 6, 1)))
    assert (added.id, added.population) == (7, "Panel 2026, Köln")
    assert ledger.spent("Panel 2026, Köln").total == Decimal("6.817577061") + added.total
    ledger.strike(7, "recorded by mistake", never_happened=True)
    assert running_totals(ledger.entries())[5] == Decimal("6.817577061")
    assert exported(ledger.entries()[:5]) == text("ledger-entries.csv")


KEYS = ('film, "A"', "=фильм", "drama, 2020")


def check_ratings(data: KeyValueData, wanted: dict[str, Any]) -> None:
    assert data.keys == KEYS
    assert data.n == wanted["n"]
    close(data.frequency, wanted["frequency"])
    close(data.mean, wanted["mean"], 1e-7)  # values are kept in single precision
    assert len(data.notes) == wanted["notes"]


def test_ratings_one_row_each() -> None:
    table = read_text_table((FILES / "ratings-long.csv").read_bytes(), "ratings-long.csv")
    columns = {"user": "user", "key": "=key", "value": "Bewertung, 1–5"}
    check_ratings(read_long(table, **columns, low=1, high=5, keys=KEYS), EXPECTED["ratings"]["long"])


def test_ratings_one_row_a_user() -> None:
    table = read_text_table((FILES / "ratings-wide.csv").read_bytes(), "ratings-wide.csv")
    check_ratings(read_wide(table, KEYS, low=1, high=5), EXPECTED["ratings"]["wide"])


def test_counts(tmp_path: Path) -> None:
    found = Counts.load(FILES / "counts-v1.arrow")
    assert (found.schema, found.n, found.left_out, found.incomplete) == (THREE, 198, 3, 126)
    one, two, three = THREE.names
    assert list(found.tables) == [(one,), (three, two), (one, two, three)]
    assert found.of([one]).tolist() == [35, 31, 42, 43]
    assert found.of([two, three]).tolist() == [[25, 17], [20, 12], [12, 11]]
    assert found.of([one, two, three]).ravel().tolist() == [
        3, 1, 2, 1, 2, 3, 3, 6, 1, 1, 3, 1, 7, 1, 5, 2, 5, 1, 8, 3, 4, 5, 1, 3,
    ]  # fmt: skip
    found.save(tmp_path / "again.arrow")
    again = Counts.load(tmp_path / "again.arrow")
    assert (again.schema, again.n, again.left_out, again.incomplete) == (found.schema, found.n, found.left_out, found.incomplete)
    for names, table in found.tables.items():
        np.testing.assert_array_equal(again.tables[names], table)
