"""Checks, measurements without a table against the stored results, the choice of what a table allows, and the document."""

import math
from pathlib import Path

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.papers import PAPERS, Check, Results, castell, multidimensional, optimized, read_input, run_papers, stored_results
from rrcore.papers.checks import ADULT_COLUMNS, Run, at_least, at_most, flatness, highest_ratio, near, slope, steepest, within
from rrcore.papers.keyvalue import claims as keyvalue
from rrcore.papers.keyvalue.protocols import KVOH, KVUE
from rrcore.papers.lopub import claims as lopub
from rrcore.papers.results import ALL_ADULT_COLUMNS

ROOT = Path(__file__).resolve().parents[2]
ADULT = ROOT.parent / "shared" / "data" / "adult.csv"
EXACT = {
    "castell": (castell.table_3, castell.theorem_5, castell.lemma_2, castell.appendix_b),
    "multidimensional": (
        *(multidimensional.section_3_3, multidimensional.proposition_1),
        *(multidimensional.corollary_1, multidimensional.example_1),
    ),
    "optimized": (optimized.section_iv_b1,),
    "lopub": (lopub.section_vi_a2, lopub.tables_vii_to_ix),
    "keyvalue": (keyvalue.section_ii_c, keyvalue.table_iv, keyvalue.equation_5, keyvalue.sections_iii_and_vi_a),
}
"""Measurements without randomness, or none that changes a value by 1e-6."""


def run_of(table=None, repeats=1.0):
    return Run(np.random.default_rng(0), repeats, table)


@pytest.mark.parametrize(
    ("check", "agrees"),
    [
        (near("p", "w", 2.0, 2.2, absolute=0.2), True),
        (near("p", "w", 2.0, 2.3, absolute=0.2), False),
        (near("p", "w", -2.0, -1.8, relative=0.1), True),
        (near("p", "w", 0.0, 0.0), True),
        (within("p", "w", 2.0, 4.0, 2), True),
        (within("p", "w", 2.0, 0.9, 2), False),
        (at_most("p", "w", 1.0, 1.0), True),
        (at_most("p", "w", 1.1, 1.0), False),
        (at_most("p", "w", math.nan, 1.0), False),
        (at_least("p", "w", 1.1, 1.0), True),
        (at_least("p", "w", 0.9, 1.0, printed=1.0), False),
    ],
)
def test_a_check_agrees_within_its_range(check, agrees):
    assert check.agrees is agrees
    assert check.row["Agrees"] == ("yes" if agrees else "no")


def test_rows_show_printed_values_and_ranges():
    rows = [one.row for one in (near("a", "b", 121_000, 40_113, relative=0.01), at_most("a", "b", 0.5, 1), near("a", "b", 4, 4))]
    assert [row["Printed"] for row in rows] == ["121,000", "", "4"]
    assert [row["Measured"] for row in rows] == ["40,113", "0.5", "4"]
    assert [row["Allowed"] for row in rows] == ["119,790 to 122,210", "at most 1", "4"]


def test_measures_of_curves():
    assert slope([1, 10, 100], [5, 0.5, 0.05]) == pytest.approx(-1)
    assert flatness([2.0, 1.0, 3.0]) == 3
    assert steepest([4.0, 2.0, 3.0]) == 1.5
    assert highest_ratio([1.0, 1.0], [2.0, 4.0]) == 0.5
    assert highest_ratio([1.0], [0.0]) == math.inf


# what is stored


@pytest.mark.parametrize("paper", PAPERS)
def test_stored_values_are_measured_again(paper):
    stored = {(one.place, one.what): one for one in stored_results().checks[paper]}
    for measure in EXACT[paper]:
        for one in measure(run_of()):
            same = stored[one.place, one.what]
            assert one.measured == pytest.approx(same.measured, abs=1e-6)
            assert (one.printed, one.agrees) == (same.printed, same.agrees)


@pytest.mark.long
@pytest.mark.skipif(not ADULT.exists(), reason=f"UCI Adult is not part of this repository: save its table as {ADULT}")
def test_all_values_but_times_are_measured_again():
    table = read_input(ADULT.read_bytes(), "adult.csv")
    again, stored = Results.measure(table=table), stored_results()
    for paper in PAPERS:
        for one, same in zip(again.checks[paper], stored.checks[paper], strict=True):
            assert (one.place, one.what, one.printed) == (same.place, same.what, same.printed)
            if not any(word in one.what for word in ("time", "seconds", "bytes")):
                assert one.measured == pytest.approx(same.measured, rel=1e-6, abs=1e-9)


def test_the_document_holds_the_stored_results():
    assert (ROOT / "docs" / "papers.md").read_text(encoding="utf-8") == stored_results().to_markdown()


def test_every_paper_has_results_and_notes():
    results = stored_results()
    assert list(results.checks) == list(PAPERS)
    for key, paper in PAPERS.items():
        agree, every = results.counts(key)
        assert 0 < agree < every
        assert paper.notes
    assert any("PrivKVM+" in note for note in PAPERS["keyvalue"].notes)


def test_results_survive_their_file():
    results = Results({"lopub": [Check("Table I", "x", 1.5, None, None, 2.0)]}, seed=3, repeats=0.5, table="t")
    assert results.to_json().count("lopub") == 1
    assert "| Table I | x |  | 1.5 | at most 2 | yes |" in results.to_markdown()


# printed numbers


def test_variances_of_kvue_and_kvoh_for_a_rare_state():
    """By simulation: 200,000 collections from 1,000 fixed users, nobody in the first state. Variances vary by 0.3%."""
    rng, states = np.random.default_rng(5), np.array([0, 400, 600])
    e, root = math.exp(1.0), math.exp(0.5)
    for protocol, printed in ((KVUE(1.0), (e + 1) / (e - 1) ** 2), (KVOH(1.0), root / (root - 1) ** 2)):
        counts = sum(rng.multinomial(n, row, size=200_000) for n, row in zip(states, protocol.channel, strict=True))
        estimates = counts @ protocol.states.T
        ours = protocol.state_variances(states / 1000)
        np.testing.assert_allclose(estimates.var(axis=0) / 1000, ours, rtol=0.015)
        assert ours[0] == pytest.approx(printed)


# tables


def adult_like(names, n=400):
    """A file with these columns, random answers, and numbers where Adult has them."""
    rng = np.random.default_rng(0)
    numeric = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}
    columns = [
        rng.integers(0, 900, n).astype(str) if name in numeric else [f"{name}{i % 3}" for i in rng.permutation(n)]
        for name in names
    ]
    rows = [",".join(row) for row in zip(*columns, strict=True)]
    return "\n".join([",".join(names), *rows]).encode()


def test_lopub_uses_15_columns_of_adult_and_others_eight():
    table = read_input(adult_like(ALL_ADULT_COLUMNS), "adult.csv")
    assert table.schema.names == ALL_ADULT_COLUMNS
    assert run_of(table).given.schema.names == ADULT_COLUMNS
    assert lopub._adult(run_of(table)).k == 15
    (part, *_) = (one for one in lopub.table_vii(run_of(table)) if one.what.startswith("reduction ratio"))
    assert part.measured == pytest.approx(1 - math.comb(14, 2) / math.comb(15, 2))
    assert read_input(adult_like(ADULT_COLUMNS[::-1]), "adult.csv").schema.names == ADULT_COLUMNS


@pytest.mark.slow
def test_any_table_can_take_the_place_of_castells():
    table = read_input(b"age,sex,smokes\n" + b"31,f,no\n45,m,yes\n62,f,no\n18,m,no\n" * 200, "clinic.csv")
    places = {one.place for _, checks in run_papers(["castell"], table=table, repeats=0.3) for one in checks}
    assert {f"Figure {number}, clinic" for number in (5, 6, 7)} | {"Figure 11, age by sex"} <= places
    assert "Table VI" not in places
    assert "Table III" in places


def test_an_unknown_paper_is_refused():
    with pytest.raises(InputError, match="'nature'"):
        list(run_papers(["nature"]))
    with pytest.raises(InputError, match="need a table"):
        list(castell.figure_5(run_of()))
