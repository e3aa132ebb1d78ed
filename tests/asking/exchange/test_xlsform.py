"""XLSForms: accepted by pyxform, drawing with the mechanism's probabilities, and submitting no true answer and no draw."""

from __future__ import annotations

import io
import itertools
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from scipy.stats import chi2

from rrcore.asking.exchange import choice_names, question_names, xlsform
from rrcore.asking.exchange.draws import BITS, HALF, drawn_weights
from rrcore.asking.languages import LANGUAGES, language
from rrcore.asking.translation import Translation
from rrcore.errors import InputError
from rrcore.mechanisms import build
from rrcore.promise.integers import integer_groups
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights
from rrcore.table.schema import Attribute, Schema
from tests import oracles
from tests.asking.exchange.xform_logic import Form
from tests.promise.designs_zoo import file_of


def convert(**options):
    """By pyxform, which is loaded once a test asks: collecting need not wait for it."""
    return pytest.importorskip("pyxform.xls2xform", reason="pyxform is not installed: it validates XLSForms").convert(**options)


SMOKES, HEALTH = Attribute("Smokes?", ("no", "yes")), Attribute("health", ("very good", "fair", "poor"))


def coupled(mechanism: str = "pair-safe") -> MechanismFile:
    schema = Schema((SMOKES, HEALTH))
    return MechanismFile(schema, integer_groups(build(mechanism, schema.sizes, (0.7, 1.1))))


def matrix() -> MechanismFile:
    return MechanismFile(Schema((HEALTH,)), (((0,), MatrixWeights(((7, 2, 1), (1, 8, 1), (0, 3, 7)))),))


def more_reports() -> MechanismFile:
    reports = Schema((Attribute("health", ("red", "black", "white", "grey")),))
    rows = ((7, 2, 1, 0), (1, 6, 1, 2), (0, 3, 7, 0))
    return MechanismFile(Schema((HEALTH,)), (((0,), MatrixWeights(rows)),), reports=reports)


def sides() -> MechanismFile:
    """A die for one question, a coupled pair whose order is not the schema's, and lie sets of four questions in all."""
    schema = Schema((SMOKES, HEALTH, Attribute("bribe", ("no", "yes"))))
    lies = LieWeights((2, 3), 0, (("00", 5), ("01", 2), ("11", 3)))
    return MechanismFile(schema, (((2, 1), lies), ((0,), MatrixWeights(((5, 1), (1, 5))))))


def xform(file: MechanismFile, **options: object) -> Form:
    found = convert(xlsform=io.BytesIO(xlsform(file, title="Survey", **options)), file_type=".xlsx", validate=False)
    assert found.warnings == []
    return Form(found.xform)


def true_answers(file: MechanismFile, codes: tuple[int, ...]) -> dict[str, str]:
    names = question_names(file.schema)
    return {
        f"/data/rr_private/{name}_true": choice_names(attribute)[code]
        for name, attribute, code in zip(names, file.schema.attributes, codes, strict=True)
    }


@pytest.mark.parametrize("code", LANGUAGES)
def test_nobody_is_told_that_nobody_can_be_sure_where_some_reports_rule_an_answer_out(code):
    """As the respondents' form says it: a zero in the matrix rules the answer of its row out."""
    kept = MechanismFile(Schema((HEALTH,)), (((0,), MatrixWeights(((7, 2, 1), (1, 8, 1), (1, 2, 7)))),))
    told = {}
    for key, file in (("explanation_some_sure", matrix()), ("explanation", kept)):
        sheet = openpyxl.load_workbook(io.BytesIO(xlsform(file, title="Survey", languages=[code])))["survey"]
        (told[key],) = [row[2] for row in sheet.iter_rows(values_only=True) if row[1] == "rr_explanation"]
        assert told[key] == language(code).text("xlsform", key)
    assert told["explanation"] != told["explanation_some_sure"]


def regions(form: Form) -> dict[str, list[tuple[int, int]]]:
    """Each draw (the path of its halves without the last letter) -> the ranges of its 2^44 values within which nothing changes."""
    text = form.xml.replace("&gt;", ">")
    shape = r"(/data/rr_private/\w+)a \* 4194304 \+ \1b"
    plain = re.sub(r"\s+", " ", text)
    ends: dict[str, set[int]] = {
        path: {0, 1 << BITS} for path in re.findall(r"nodeset=\"(\S+)a\" type=\"string\" calculate=\"once", plain)
    }
    for path, bound in re.findall(shape + r" >= (\d+)", plain):
        ends[path].add(int(bound))
    for path, limit in re.findall(shape + r" ?\) \* (\d+) div 17592186044416", plain):
        ends[path] |= {-(-(c << BITS) // int(limit)) for c in range(1, int(limit))}
    return {path: [(a, b) for a, b in itertools.pairwise(sorted(found)) if a < b] for path, found in ends.items()}


def halves(path: str, value: int) -> dict[str, int]:
    return {f"{path}a": value >> HALF, f"{path}b": value & ((1 << HALF) - 1)}


@pytest.mark.parametrize(
    "file",
    [coupled(), coupled("kronecker"), matrix(), sides(), more_reports()],
    ids=["coupled", "apart", "matrix", "sides", "more reports"],
)
def test_a_form_draws_with_the_mechanisms_probabilities(file):
    """By enumeration of all 2^44 values of every draw, in ranges; what is left is the rounding of bounds, half a unit of 2^-44 each."""
    form = xform(file)
    exact = oracles.exact_channel(file.groups)
    parts = regions(form)
    reported = [f"/data/rr_reported/{name}" for name in question_names(file.schema)]
    names = [choice_names(attribute) for attribute in file.reports.attributes]
    places = list(parts)
    for true in [*oracles.cells(file.schema.sizes)][:: 1 if len(places) == 1 else 5]:
        found: Counter[tuple[int, ...]] = Counter()
        for ranges in itertools.product(*parts.values()):
            outcomes = set()
            for end in (0, 1):
                draws: dict[str, int] = {}
                for path, (low, high) in zip(places, ranges, strict=True):
                    draws |= halves(path, low if end == 0 else high - 1)
                _, submission = form.fill(true_answers(file, true), draws)
                outcomes.add(tuple(names[i].index(submission[path]) for i, path in enumerate(reported)))
            assert len(outcomes) == 1
            weight = 1
            for low, high in ranges:
                weight *= high - low
            found[outcomes.pop()] += weight
        assert sum(found.values()) == 1 << (BITS * len(places))
        for output in oracles.cells(file.reports.sizes):
            share = Fraction(found[output], 1 << (BITS * len(places)))
            assert abs(share - exact[true, output]) < Fraction(8, 1 << BITS)


@pytest.mark.parametrize("actions_first", [False, True])
@pytest.mark.parametrize("blank", [False, True])
def test_neither_true_answers_nor_draws_are_submitted_whatever_the_programs_order(actions_first, blank):
    file, draws = sides(), {}
    form = xform(file)
    for number, path in enumerate(regions(form)):
        draws |= halves(path, (number + 1) * 1234567890123)
    before, after = form.fill(true_answers(file, (1, 2, 1)), draws, actions_first=actions_first, blank=blank)
    assert any("rr_private" in path for path in before)
    wanted = {"/data/rr_explanation", "/data/rr_done", "/data/rr_filled", "/data/rr_mechanism"} | {
        f"/data/rr_reported/{name}" for name in question_names(file.schema)
    }
    assert wanted <= set(after) <= wanted | {"/data/rr_confirm"}  # whether the confirmation itself stays differs
    assert all(after[path] for path in wanted - {"/data/rr_explanation"})
    assert after["/data/rr_mechanism"] == file.sha256
    again, _ = form.fill(true_answers(file, (1, 2, 1)), draws, actions_first=actions_first, blank=blank)
    assert again == before


@pytest.mark.parametrize("file", [coupled(), sides(), more_reports()], ids=["coupled", "sides", "more reports"])
def test_whatever_was_answered_as_many_characters_are_submitted(file):
    """Other answers than the longest are filled up; an element is never empty, which is written shorter."""
    form, submitted = xform(file), {}
    for true in oracles.cells(file.schema.sizes):
        for number in range(8):
            draws: dict[str, int] = {}
            for place, path in enumerate(regions(form), 1):
                draws |= halves(path, (number * place * 2_345_678_901_234) % (1 << BITS))
            _, after = form.fill(true_answers(file, true), draws)
            submitted[tuple(after[f"/data/rr_reported/{name}"] for name in question_names(file.schema))] = after
    answers = [sum(map(len, reported)) for reported in submitted]
    assert max(answers) > min(answers)
    assert {sum(map(len, after.values())) for after in submitted.values()} == {sum(map(len, after.values()))}
    assert all(after["/data/rr_filled"].strip("x") == "" != after["/data/rr_filled"] for after in submitted.values())


def test_nothing_can_be_submitted_before_it_is_randomised():
    """Every true answer is required, the confirmation once they are all there, and the reported answers, which nobody can type."""
    form = xform(sides())
    for path, bind in form.binds.items():
        if path.endswith("_true") or path == "/data/rr_confirm" or path.startswith("/data/rr_reported/"):
            assert bind["required"] == "true()"
        if path.startswith("/data/rr_reported/"):
            assert bind["readonly"] == "true()"
    assert form.binds["/data/rr_confirm"]["relevant"].count("!= ''") == 3
    assert {trigger for trigger, _, _ in form.actions} == {"/data/rr_confirm"}


def test_what_a_form_draws_promises_no_more_than_the_mechanism_and_a_millionth():
    for file in (coupled(), sides(), matrix()):
        drawn = MechanismFile(file.schema, tuple((places, drawn_weights(weights)) for places, weights in file.groups))
        for promised, kept in zip(file.certificate.levels, drawn.certificate.levels, strict=True):
            assert kept is None if promised is None else kept <= promised * (1 + Fraction(1, 10**6))


def test_languages_have_columns_of_their_own():
    book = openpyxl.load_workbook(
        io.BytesIO(xlsform(matrix(), title="=1+1", questions={"health": "¿Salud?"}, languages=list(LANGUAGES)))
    )
    heads = [cell.value for cell in book["survey"][1]]
    for code, name in LANGUAGES.items():
        assert f"label::{name} ({code})" in heads
    assert book["settings"]["A2"].value == "=1+1"
    assert book["settings"]["A2"].data_type == "s"
    assert xform(matrix(), languages=["fr", "pt"]).xml.count("<translation") == 2


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_title_that_was_left_as_it_is_is_said_in_the_first_language(code):
    book = openpyxl.load_workbook(io.BytesIO(xlsform(matrix(), title="Survey", languages=[code, "en" if code != "en" else "fr"])))
    assert book["settings"]["A2"].value == language(code).text("form", "untitled")


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        (file_of((((2, 0, 1), CountWeights((2, 2, 3), (2, 1), (40, 9, 7, 3, 2, 1))),)), {}, "more lie sets than the 256"),
        (
            MechanismFile(Schema((SMOKES,)), (((0,), MatrixWeights(((10**15 - 1, 1), (1, 10**15 - 1)))),)),
            {},
            "too small for a form of ODK or Kobo",
        ),
        (
            MechanismFile(
                Schema((SMOKES, replace(SMOKES, name="drinks"))),
                (((0,), MatrixWeights(((3, 1), (1, 3)))), ((1,), MatrixWeights(((10**15 - 1, 1), (1, 10**15 - 1))))),
            ),
            {},
            "too small for a form of ODK or Kobo",
        ),
        (
            MechanismFile(
                Schema((Attribute("x", tuple(map(str, range(600)))),)), integer_groups(build("kronecker", (600,), (1.0,)))
            ),
            {},
            "'x' has 600 categories",
        ),
        (matrix(), {"questions": {"health": "Are you ${name}?"}}, "cannot stand in an XLSForm"),
        (matrix(), {"questions": {"age": "?"}}, "There is no attribute 'age'"),
        (matrix(), {"languages": ["xx"]}, "no texts in the language 'xx'"),
        (matrix(), {"languages": []}, "choose at least one"),
    ],
)
def test_what_a_form_cannot_do_is_refused_in_a_sentence(file, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        xlsform(file, **({"title": "Survey"} | options))


def test_names_are_unlike_each_other_and_unlike_the_forms_own():
    schema = Schema(
        tuple(Attribute(name, ("a", "b")) for name in ("Größe", "grosse", "rr_done", "9 lives", "x_true", "Grosse!", "性別"))
    )
    names = question_names(schema)
    assert len(set(names)) == 7
    assert names[0] == "gro_e" or names[0] == "grosse"
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in names)
    assert choice_names(Attribute("x", ("a b", "a_b"))) == ("choice_1", "choice_2")
    assert choice_names(Attribute("x", ("choice_1", "?"))) == ("choice_1_2", "choice_2")


@pytest.mark.long
def test_the_library_of_odk_collect_does_the_same(tmp_path):
    """JavaRosa, as pyxform's validator brings it, fills in the form itself. False alarms: 1e-6."""
    import pyxform

    validator = Path(pyxform.__file__).parent / "validators" / "odk_validate" / "bin" / "ODK_Validate.jar"
    if not shutil.which("java") or not validator.exists():
        pytest.skip("no Java or no ODK Validate: install a JDK and pyxform to fill in forms with JavaRosa")
    file, true, runs = coupled(), (1, 2), 1500
    place = tmp_path / "form.xml"
    place.write_text(xform(file).xml, encoding="utf-8")
    answers = [part for pair in true_answers(file, true).items() for part in pair]
    task = ["java", "-cp", str(validator), str(Path(__file__).parent / "JavaRosaRuns.java"), str(place), str(runs), *answers]
    told = subprocess.run([*task, "/data/rr_confirm", "yes"], capture_output=True, text=True, check=True, timeout=300).stdout
    counts: Counter[tuple[int, ...]] = Counter()
    sizes: set[int] = set()
    for line in told.splitlines():
        times, submission = line.split("\t")
        assert "_true" not in submission
        sizes.add(len(submission))
        assert "rr_private" not in submission
        reported = re.findall(r"<(?:smokes|health)>(\w+)</", submission)
        counts[tuple(choice_names(a).index(r) for a, r in zip(file.schema.attributes, reported, strict=True))] += int(times)
    assert len(sizes) == 1
    exact = oracles.exact_channel(file.groups)
    expected = {output: float(runs * exact[true, output]) for output in oracles.cells(file.schema.sizes)}
    statistic = sum((counts[output] - count) ** 2 / count for output, count in expected.items())
    assert np.isclose(sum(counts.values()), runs)
    assert statistic < chi2.isf(1e-6, len(expected) - 1)


def test_unrandomised_questions_and_translations_stand_in_the_workbook_of_the_same_survey():
    file, region = sides(), Attribute("region", ("north", "south of the river"))
    french = Translation("Santé", "Merci", {"region": "Où ?", "Smokes?": "Fumez-vous ?"}, {"region": ("nord", "sud")})
    made = xlsform(
        file,
        title="Health",
        introduction="Thanks",
        questions={"region": "Where?"},
        languages=["en", "fr", "de"],
        unrandomised=[region],
        translations={"fr": french},
    )
    book = openpyxl.load_workbook(io.BytesIO(made))
    rows = [dict(zip([c.value for c in book["survey"][1]], [c.value for c in row], strict=True)) for row in book["survey"]]
    named = {row["name"]: row for row in rows}
    label = ["label::English (en)", "label::Français (fr)", "label::Deutsch (de)"]
    assert [named["region"][each] for each in label] == ["Where?", "Où ?", "Where?"]
    assert [named["rr_introduction"][each] for each in label] == ["Thanks", "Merci", "Thanks"]
    assert named["region"]["hint::Français (fr)"] == language("fr").text("form", "sent_as_is")
    names = [row["name"] for row in rows]
    assert names.index("region") < names.index("rr_private")  # no part of the true answers that are not submitted
    smokes = question_names(file.schema)[0]
    assert {named[smokes][label[1]], named[f"{smokes}_true"][label[1]]} == {"Fumez-vous ?"}
    choices = [dict(zip([c.value for c in book["choices"][1]], [c.value for c in row], strict=True)) for row in book["choices"]]
    assert [each[label[1]] for each in choices if each["list_name"] == "list_4"] == ["nord", "sud"]
    assert "${region}" in named["rr_filled"]["calculation"]  # what is submitted has one length, in whatever region
