"""What designs give away, exactly: levels by hand, the certificate's by another route, and which report rules out which truth."""

from fractions import Fraction

import numpy as np
import pytest

from rrcore.designs import BLOCK_DESIGNS, DESIGNS, LATENT_DESIGNS, BlocksOfPeople, design_rows
from rrcore.promise.certificate import certify
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Attribute, Schema
from tests.designs.catalogue import NUMBERS, channel

LEVELS = {
    "warner": 3,
    "forced": 5,
    "unrelated": 9,
    "crosswise": 3,
    "triangular": None,
    "mangat": None,
    "mangat-singh": Fraction(173, 27),  # t + (1 - t) p = 0.865
    "devore": None,
    "disguised": 4,
    "kuk": 243,  # 5 red: (0.6 / 0.2)^5
    "christofides": 4,
    "k-ary": 3,
    "matrix": 12,
    "warner-groups": 3,
    "unrelated-groups": None,
    "unrelated-twice": None,
    "mangat-singh-singh-twice": None,
    "lie-detector": None,
    "cheating": None,
    "cheating-symmetric": 7,
}


@pytest.mark.parametrize("key", LEVELS)
def test_levels_are_exact(key):
    assert channel(key).level == LEVELS[key]


def test_no_design_is_left_out():
    assert set(LEVELS) == set(NUMBERS) == set(DESIGNS) | set(LATENT_DESIGNS)


@pytest.mark.parametrize("key", DESIGNS)
def test_the_certificate_of_a_file_has_the_same_level(key):
    design, size = DESIGNS[key], 3 if key == "k-ary" else 2
    weights = design.make(size, design.numbers(NUMBERS[key]))
    assert certify([((0,), weights)]).levels == (LEVELS[key],)
    assert design_rows(weights) == channel(key).rows[0]


@pytest.mark.parametrize("key", [key for key, design in LATENT_DESIGNS.items() if design.files])
def test_two_groups_are_two_mechanism_files_with_their_levels(key):
    design, exact = LATENT_DESIGNS[key], channel(key)
    numbers = design.numbers(NUMBERS[key])
    schema = Schema((Attribute("q", ("no", "yes")),))
    for group, weights in enumerate(design.files(numbers)):
        file = MechanismFile(schema, (((0,), weights),), note=exact.groups[group])
        assert file.certificate.levels == (exact.levels(group),)
        assert design_rows(weights) == exact.rows[group][:2]
        assert MechanismFile.from_json(file.to_json()) == file


def test_what_a_report_rules_out_is_said_in_plain_words():
    assert channel("triangular").protects == "No bound: a report of 'circle' rules out 'yes'."
    assert channel("lie-detector").protects == "No bound: a report of 'no' rules out 'yes'."
    assert "a report of 'no, yes' rules out 'no to both' and 'yes to both'" in channel("unrelated-twice").protects
    assert channel("warner").protects == "Seeing one answer shifts anyone's odds about it by at most 3.00 times."
    only = channel("cheating-symmetric", "1/8, 0, 1/2, 1/8")
    assert only.protects == "No bound: a report of 'no' in group 1 rules out 'yes'."


def test_blocks_guarantee_a_count_and_no_bound():
    """Every set of lies and every set of true answers of a block of 5, counted one by one."""
    from itertools import combinations, product

    blocks = BlocksOfPeople(5, 2)
    lies = [set(chosen) for chosen in combinations(range(5), 2)]
    seen = {}
    for truth in product((False, True), repeat=5):
        for made in lies:
            recorded = tuple(one or i in made for i, one in enumerate(truth))
            seen.setdefault(recorded, []).append((truth, 0 in made))
    for recorded, ways in seen.items():
        if recorded[0]:  # every true answer of everybody equally likely: how often was the first person's yes made?
            assert Fraction(sum(made for _, made in ways), len(ways)) == blocks.deniable(sum(recorded))
        for others in {truth[1:] for truth, _ in ways}:
            yes = sum(truth == (True, *others) for truth, _ in ways)
            no = sum(truth == (False, *others) for truth, _ in ways)
            if recorded[0]:
                assert blocks.shift(sum(recorded), sum(others)) == (Fraction(yes, no) if no else None)
            else:
                assert not yes
    assert min(blocks.deniable(yes) for yes in range(2, 6)) == Fraction(2, 5)
    assert "Of every 5 people exactly 2 are" in blocks.guarantee
    assert "No bound holds for a single answer" in blocks.guarantee
    assert BLOCK_DESIGNS["block-garbling"].blocks([Fraction(5), Fraction(2)]) == blocks


def test_every_design_has_its_paper_and_story():
    from rrcore.designs import AMOUNT_DESIGNS

    for design in (DESIGNS | LATENT_DESIGNS | AMOUNT_DESIGNS | BLOCK_DESIGNS).values():
        assert any(character.isdigit() for character in design.source)
        assert design.story.endswith(".")
        assert design.costs.endswith(".")
        assert "=" in design.formula
        assert len(design.story) < 230
    for key in LATENT_DESIGNS:
        assert np.allclose(channel(key).matrices.sum(axis=2), 1)
