"""What waves give away, against the definition: every permanent draw, every report and every history written out in fractions."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest

from rrcore.designs import forced_response, k_ary, matrix_design
from rrcore.errors import InputError
from rrcore.promise import MechanismFile, given_away_in_waves
from rrcore.promise.weights import CountWeights, LieWeights
from rrcore.table import Attribute, Schema

THIRD, QUARTER = Fraction(1, 3), Fraction(1, 4)


def survey(weights):
    """A file whose attributes are randomised together by ``weights``."""
    attributes = tuple(Attribute(f"q{i}", tuple(map(str, range(a)))) for i, a in enumerate(weights.sizes))
    return MechanismFile(Schema(attributes), ((tuple(range(len(attributes))), weights),))


def once(weights):
    """P(report | record) of one group by its definition: record -> report -> Fraction."""
    records = list(product(*map(range, weights.sizes)))
    if weights.rows is not None:
        return {(x,): {(y,): Fraction(cell, weights.whole) for y, cell in enumerate(row)} for x, row in enumerate(weights.rows)}
    shares = {}
    for record in records:
        for report in records:
            lie = tuple(int(x != y) for x, y in zip(record, report, strict=True))
            if isinstance(weights, CountWeights):
                counts = [sum(lie[start:end]) for start, end in weights.runs]
                place = 0
                for count, number in zip(counts, weights.kinds, strict=True):
                    place = place * (number + 1) + count
                chance = Fraction(weights.records[place], weights.whole)
            else:
                given = dict(weights.lies).get("".join(map(str, lie)), 0)
                others = prod(a - 1 for a, lies in zip(weights.sizes, lie, strict=True) if lies)
                chance = Fraction(given, others * weights.whole) + Fraction(weights.uniform, prod(weights.sizes) * weights.whole)
            shares.setdefault(record, {})[report] = chance
    return shares


def instant(sizes, redrawn):
    records = list(product(*map(range, sizes)))
    return {
        z: {y: prod((1 - redrawn) * (i == j) + redrawn / a for i, j, a in zip(z, y, sizes, strict=True)) for y in records}
        for z in records
    }


def histories_law(permanent, second, waves):
    """History -> reports of all waves -> probability, from the definition: what each record is turned into is drawn once and for all."""
    records = list(permanent)
    reports = list(next(iter(second.values())))
    laws = {}
    for history in product(records, repeat=waves):
        own = sorted(set(history))
        law = dict.fromkeys(product(reports, repeat=waves), Fraction(0))
        for drawn in product(list(second), repeat=len(own)):
            turned = dict(zip(own, drawn, strict=True))
            chance = prod((permanent[x][z] for x, z in turned.items()), start=Fraction(1))
            for seen in law if chance else ():
                law[seen] += chance * prod(second[turned[x]][y] for x, y in zip(history, seen, strict=True))
        laws[history] = law
    return laws


def furthest(laws, histories):
    """The most that any reports move the odds between two of the ``histories``; None where there is no limit."""
    most = Fraction(1)
    for seen in next(iter(laws.values())):
        chances = [laws[history][seen] for history in histories]
        if max(chances) and not min(chances):
            return None
        if max(chances):
            most = max(most, max(chances) / min(chances))
    return most


ZOO = {
    "die": forced_response(Fraction(2, 3), Fraction(1, 6), Fraction(1, 6)),
    "uneven": matrix_design([[Fraction(9, 10), Fraction(1, 10)], [Fraction(2, 5), Fraction(3, 5)]]),
    "three": k_ary(3, Fraction(3, 5)),
    "three, uneven": matrix_design(
        [
            [Fraction(7, 10), Fraction(2, 10), Fraction(1, 10)],
            [Fraction(1, 10), Fraction(5, 10), Fraction(4, 10)],
            [Fraction(3, 10), Fraction(3, 10), Fraction(4, 10)],
        ]
    ),
    "together": LieWeights((2, 3), 6, (("00", 20), ("01", 3), ("10", 4), ("11", 7))),
    "counted": CountWeights((2, 2), (2,), (9, 2, 1)),
}


SMALL = [(name, waves) for name in ZOO for waves in (1, 2, 3) if name != "together" and (name, waves) != ("counted", 3)]
WRITTEN = [
    *(pytest.param(name, waves, marks=[pytest.mark.slow] * (waves == 3)) for name, waves in SMALL),
    pytest.param("together", 2, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "waves"), WRITTEN)
@pytest.mark.parametrize("way", ["fresh", "memoised", "two-stage"])
def test_what_waves_give_away_is_what_enumeration_finds(name, waves, way):
    weights = ZOO[name]
    shares = once(weights)
    identity = {z: {y: Fraction(int(y == z)) for y in shares} for z in shares}
    stages = {
        "fresh": (identity, shares),
        "memoised": (shares, identity),
        "two-stage": (shares, instant(weights.sizes, THIRD)),
    }[way]
    laws = histories_law(*stages, waves)
    found = given_away_in_waves(survey(weights), waves, way, redrawn=THIRD)
    constant = [history for history in laws if len(set(history)) == 1]
    assert found.held == furthest(laws, constant)
    varied = furthest(laws, list(laws))
    if way == "two-stage":
        assert varied <= found.varied
    else:
        assert found.varied == varied


def test_two_stages_never_give_away_more_than_the_permanent_one_and_come_up_to_it():
    file = survey(ZOO["three, uneven"])
    total = file.certificate.total
    held = [given_away_in_waves(file, waves, "two-stage", redrawn=QUARTER).held for waves in (1, 2, 5, 20, 100)]
    assert held == sorted(held)
    assert held[-1] < total
    assert float(total - held[-1]) < 1e-12
    assert given_away_in_waves(file, 5, "two-stage", redrawn=QUARTER).ever == total


def test_a_die_without_truth_for_certain_has_no_limit_and_says_so():
    certain = survey(matrix_design([[Fraction(1), Fraction(0)], [Fraction(1, 3), Fraction(2, 3)]]))
    assert given_away_in_waves(certain, 3, "fresh").held is None
    assert given_away_in_waves(certain, 3, "memoised").held is None
    second = given_away_in_waves(certain, 3, "two-stage", redrawn=QUARTER)
    assert second.held is not None  # a yes may have been redrawn
    assert second.ever is None
    assert "without limit" in given_away_in_waves(certain, 3, "fresh").sentence()


def test_sentences_tell_what_each_way_costs():
    file = survey(ZOO["die"])
    assert given_away_in_waves(file, 4, "fresh").sentence() == (
        "Asked 4 times and randomised anew each time, a record that stays the same shifts odds at most 625 times: every wave adds its total "
        "once more, without end."
    )
    assert "proves that the record has changed" in given_away_in_waves(file, 4, "memoised").sentence()
    assert "at most 4.56 times, and never more than 5.00 times" in given_away_in_waves(file, 2, "two-stage").sentence()
    assert "as if asked once without the second stage, and never more. No" in given_away_in_waves(file, 4, "two-stage").sentence()
    assert (
        given_away_in_waves(file, 1).sentence()
        == "Asked 1 time, a record shifts odds at most 5.00 times: nothing is asked again."
    )


def test_what_cannot_be_asked_is_refused_with_a_sentence():
    file = survey(ZOO["die"])
    with pytest.raises(InputError, match="0 waves are asked for: give 1 to 100"):
        given_away_in_waves(file, 0)
    with pytest.raises(InputError, match="redrawing is not between 0 and 1"):
        given_away_in_waves(file, 2, "two-stage", redrawn=Fraction(1))
    many = survey(LieWeights((2,) * 13, 1, (("0" * 13, 5),)))
    with pytest.raises(InputError, match="13 attributes are randomised together"):
        given_away_in_waves(many, 2, "two-stage")
