"""Formulas of designs against the same in exact fractions, also where what they divide by vanishes: then nothing is told but why."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from rrcore.designs import DESIGNS, LATENT_DESIGNS, BlocksOfPeople, design_facts, estimate_blocks, estimate_counts, from_sample
from rrcore.designs.estimate import unbiased
from rrcore.errors import InputError
from rrcore.estimate.sample import Sample
from tests.commands.terminal import run
from tests.designs.catalogue import NUMBERS, channel, some_channel

VANISHING = [
    ("4/5, 2/5", [[100, 0], [60, 40]]),
    ("4/5, 2/5", [[800, 200], [400, 600]]),
    ("7/10, 1/10", [[9, 1], [3, 7]]),
    ("1/3, 2/3", [[30, 60], [60, 30]]),
    ("99/100, 97/100", [[51_000, 49_000], [49, 51]]),
]
"""Numbers of the lie detector, and counts of which exactly nobody is estimated to have the trait; the sum was 1e-17 or so, and divided by."""


def solved(rows, target):
    """Some exact scores s with ``rows`` s = ``target``: elimination in fractions."""
    table, places = [[*row, value] for row, value in zip(rows, target, strict=True)], []
    for column in range(len(rows[0])):
        row = next((r for r in range(len(places), len(table)) if table[r][column]), None)
        if row is None:
            continue
        top = table.pop(row)
        top = [entry / top[column] for entry in top]
        table = [[a - line[column] * b for a, b in zip(line, top, strict=True)] for line in table]
        table.insert(len(places), top)
        places.append(column)
    scores = [Fraction(0)] * len(rows[0])
    for place, line in zip(places, table, strict=False):
        scores[place] = line[-1]
    return scores


def exact_mean(design, scores, counts):
    part = [Fraction(int(one), int(row.sum())) for row in counts for one in row]
    return sum((score * share for score, share in zip(scores, part, strict=True)), Fraction(0))


def exact_value(design, quantity, counts):
    """A quantity by its formula in fractions, None for a ratio over 0 or less; where reports are as many as unknowns all scores agree."""
    if quantity.scores is not None:
        return exact_mean(design, [one for row in quantity.scores for one in row], counts)
    value = exact_mean(design, solved(design.stacked, quantity.of), counts)
    if quantity.per is None:
        return value
    over = exact_mean(design, solved(design.stacked, quantity.per), counts)
    return value / over if over > 0 else None


@pytest.mark.parametrize("key", NUMBERS)
def test_formulas_are_exact_to_rounding(key):
    """30 surveys of 2 to 40 people a group, so that differences of shares often vanish: the value in fractions, within 1e-9 of its terms."""
    rng = np.random.default_rng([3, *key.encode()])
    for _ in range(30):
        design = some_channel(key, rng)
        counts = np.array(
            [rng.multinomial(rng.integers(2, 41), rng.dirichlet(row + 1e-9)) for row in design.matrices.any(axis=1)]
        )
        counts *= design.matrices.any(axis=1)
        if counts.sum(axis=1).min() < 2:
            continue
        for quantity in design.quantities:
            if quantity.scores is None and design.free:
                continue  # more reports than unknowns: the formula is a choice among several
            value, error = unbiased(design, quantity, counts)
            exact = exact_value(design, quantity, counts)
            if exact is None:
                assert math.isnan(value)
                assert math.isnan(error)
            else:
                assert value == pytest.approx(float(exact), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("text", "counts"), VANISHING)
def test_a_ratio_over_nobody_is_unknown_however_it_rounds(capsys, text, counts):
    design, table = channel("lie-detector", text), np.array(counts)
    admit = design.quantities[1]
    assert exact_value(design, admit, table) is None
    assert estimate_counts(design, table).quantities[0].value == pytest.approx(0, abs=1e-9)
    assert np.isnan(unbiased(design, admit, table)).all()
    assert np.isnan(unbiased(design, admit, table, 3.0 * table, 9.0 * table)).all()
    typed = ";".join(",".join(map(str, row)) for row in counts)
    _, out, _ = run(capsys, "designs", "lie-detector", "--numbers", text, "--counts", typed)
    assert "admit it, of those who have it: unknown, as nobody is estimated to have the trait" in out
    _, out, _ = run(capsys, "designs", "lie-detector", "--numbers", text, "--counts", typed, "--json")
    told = json.loads(out)["estimate"]["quantities"][1]
    assert told["value"] is told["error"] is None
    assert told["interval"] == [None, None]


def test_a_ratio_over_nobody_is_unknown_from_a_sample():
    design = channel("lie-detector", "4/5, 2/5")
    groups, reports = np.repeat([0, 1, 1], [100, 60, 40]), np.repeat([0, 0, 1], [100, 60, 40])
    found = from_sample(design, design.quantities[1], reports, Sample(np.full(200, 2.0)), groups)
    assert math.isnan(found.value)
    assert math.isnan(found.error)


def test_of_nobody_no_precision_is_told(capsys):
    _, out, _ = run(capsys, "designs", "lie-detector", "--prevalence", "0")
    assert "admit it, of those who have it: unknown" in out
    assert "so it takes" not in design_facts(LATENT_DESIGNS["lie-detector"], "4/5, 2/5", share=0).precision
    assert "so it takes" in design_facts(DESIGNS["warner"], "3/4").precision


def test_two_people_asked_openly_have_the_error_of_two():
    """One block of four with two lies: those who were not made to lie said no and yes, and a mean of n varies by s / sqrt(n)."""
    assert estimate_blocks([3], BlocksOfPeople(4, 2)).error == pytest.approx(np.std([0, 1], ddof=1) / np.sqrt(2))


@pytest.mark.parametrize("key", [key for key, design in LATENT_DESIGNS.items() if design.assumes])
def test_what_is_taken_for_granted_is_said_with_the_precision(key):
    facts = design_facts(LATENT_DESIGNS[key], NUMBERS[key])
    assert f" and {facts.assumes}, 1,000 people tell" in facts.precision
    assert "the trait, 1,000 people tell" in design_facts(DESIGNS["warner"], "3/4").precision


def test_a_probability_below_zero_is_refused_though_its_row_sums_to_one():
    over = (Fraction(3, 2), Fraction(-1, 2))
    with pytest.raises(InputError, match="The probabilities of what 'no' reports"):
        replace(channel("warner"), rows=((over, over[::-1]),))
