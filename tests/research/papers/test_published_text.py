"""Numbers that are typed as published are those of the papers' texts, which are not part of this repository."""

import re
from pathlib import Path

import pytest

from rrcore.research.papers import find

SEEDS = Path(__file__).resolve().parents[3].parent / "shared" / "seeds"
CASTELL, LOPUB, KEYVALUE = "000", "001", "004"


def text(paper):
    files = sorted(SEEDS.glob(f"{paper}_*.txt"))
    if not files:
        pytest.skip(f"The text of paper {paper} is not part of this repository: it is looked for in {SEEDS}")
    return re.sub(r"\s+", " ", files[0].read_text(encoding="utf-8"))


def row(name, numbers, pattern="{:.4f}"):
    return " ".join([name, *(pattern.format(number) for number in numbers)])


def printed(entry, name, panel=""):
    return next(one for one in find(entry).published if (one.name, one.panel) == (name, panel)).y


def thrice(number):
    """Formulas of the text come three times over: as symbols, in words and as LaTeX."""
    return f"{number}" * 3


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("RR-Ind-Joint", "RR-Ind-Joint"),
        ("RR-Independent", "RR-Independent"),
        ("hybrid", "hybrid"),
        ("truncated", "truncated"),
        ("LoPub", "LoPub [4]"),
        ("RR-Joint", "RR-Joint [3]"),
    ],
)
def test_table_6_of_castell(name, label):
    numbers = list(printed("castell-table-6", name))
    if name != "LoPub":
        numbers += printed("castell-table-6", name, "mean")
    assert row(label, numbers) in text(CASTELL)


def test_other_numbers_of_castell():
    seed = text(CASTELL)
    places = {name: printed("castell-table-3", "threshold", name)[0] for name in ("people", "level", "attributes")}
    assert f" {places['people']:,.0f} " in seed
    assert f" {places['level']} RR-Ind-Joint" in seed
    assert f" {places['attributes']} otherwise" in seed
    assert "V𝑉V " + " ".join(map(str, printed("castell-table-5", "all pairs", "Cramér's V"))) in seed
    for name in ("RR-Independent", "RR-Ind-Joint"):
        for number in printed("castell-table-5", name, "mean absolute error"):
            mantissa, exponent = f"{number:.2e}".split("e-")
            assert f"{mantissa}\\times 10^{{-{int(exponent)}}}" in seed
    assert "2.944\\cdot 10^{-3}+4.953\\cdot 10^{-6}" in seed.replace("superscript", "") or "2.944103+4.953106" in seed
    assert "Adult UCI census income data [21] 32,561 8 1814400" in seed


def test_counts_of_lopub():
    seed = text(LOPUB)
    tables = {panel.split(",")[0]: find("lopub-table-7-pairs").published[i].y for i, panel in enumerate(("VII,", "VIII,", "IX,"))}
    for numbers in tables.values():
        assert "# Pairs (Pruning) ".replace("# ", "##\\#. ") + " ".join(thrice(f"{number:.0f}") for number in numbers) in seed
    for label, column in (("Loss Ratio", "loss ratio"), ("Reduction Ratio", "reduction ratio")):
        values = printed("lopub-table-7", column)
        assert row(label, [thrice(f"{value:.3f}") for value in values], "{}") in seed
    for label, column in (("##\\#. Dep", "dependent pairs"), ("##\\#. Dep (Pruning)", "dependent pairs after pruning")):
        counts = [round(210 * value) for value in printed("lopub-table-7", column)]
        assert row(label, map(thrice, counts), "{}") in seed
    assert "8.79" in seed
