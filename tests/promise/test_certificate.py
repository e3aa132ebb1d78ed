"""The certificate against a channel that is written out; logarithms against exact bounds on both sides."""

import math
import re
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rrcore.errors import InputError
from rrcore.ledger.entry import entry_nats_text, parse_nats
from rrcore.promise.certificate import certified_nats, certify
from rrcore.promise.weights import LieWeights, MatrixWeights
from tests import oracles
from tests.promise.designs_zoo import ZOO


@pytest.mark.slow
@pytest.mark.parametrize("name", ZOO)
def test_it_is_what_the_written_out_channel_gives(name):
    found = certify(ZOO[name])
    assert (found.epsilon, found.epsilon_informed, found.epsilon_total) == oracles.exact_promises(ZOO[name])


weights = st.integers(0, 40)


@pytest.mark.slow
@settings(max_examples=50)
@given(st.lists(st.integers(2, 3), min_size=1, max_size=2), st.data())
def test_random_coupled_groups(sizes, data):
    names = [format(i, f"0{len(sizes)}b") for i in range(1 << len(sizes))]
    lies = tuple((name, weight) for name in names if (weight := data.draw(weights)))
    uniform = data.draw(weights)
    if not lies and not uniform:
        return
    groups = ((tuple(range(len(sizes))), LieWeights(tuple(sizes), uniform, lies)),)
    found = certify(groups)
    assert (found.epsilon, found.epsilon_informed, found.epsilon_total) == oracles.exact_promises(groups)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.integers(1, 9), min_size=4, max_size=4), st.lists(st.integers(0, 9), min_size=4, max_size=4), st.booleans())
def test_random_groups_side_by_side(lies, entries, swapped):
    """Total is the product, whatever the order of the attributes; lies may be likelier than truths."""
    a, b, c, d = entries
    if a + b == 0 or a * (c + d) == c * (a + b) or c + d == 0:
        return
    matrix = MatrixWeights(((a * (c + d), b * (c + d)), (c * (a + b), d * (a + b))))
    coupled = LieWeights((2, 2), lies[0], tuple(zip(("00", "01", "11"), lies[1:], strict=True)))
    groups = (((0, 2), coupled), ((1,), matrix)) if swapped else (((1,), matrix), ((2, 0), coupled))
    found = certify(groups)
    assert (found.epsilon, found.epsilon_informed, found.epsilon_total) == oracles.exact_promises(groups)


@pytest.mark.slow
@settings(max_examples=50)
@given(st.integers(2, 4), st.data())
def test_random_matrices(size, data):
    rows = [data.draw(st.lists(weights, min_size=size, max_size=size)) for _ in range(size)]
    whole = max(map(sum, rows))
    for row in rows:
        row[0] += whole - sum(row)
    try:
        groups = (((0,), MatrixWeights(tuple(map(tuple, rows)))),)
    except InputError as error:
        assert "singular" in str(error) or "All weights are 0" in str(error)  # noqa: PT017
        return
    found = certify(groups)
    assert (found.epsilon, found.epsilon_informed, found.epsilon_total) == oracles.exact_promises(groups)


@pytest.mark.slow
@settings(max_examples=100)
@given(st.integers(1, 10**40), st.integers(1, 10**40))
def test_nats_are_rounded_up_by_less_than_two_units(one, other):
    """e^(nats) against the ratio, to 120 digits: never below it, and e^(nats - 2e-9) is."""
    ratio = max(Fraction(one, other), Fraction(other, one))
    with localcontext(prec=120):
        nats = Decimal(certified_nats(ratio))
        exact = Decimal(ratio.numerator) / Decimal(ratio.denominator)
        assert nats.exp() >= exact * (1 - Decimal(10) ** -100)
        assert ratio == 1 or (nats - Decimal("2e-9")).exp() < exact


@pytest.mark.parametrize("power", range(1, 200, 9))
def test_nats_of_ratios_next_to_one_are_written_out(power):
    """Nine decimals, never an exponent: what reads amounts in nats takes nothing else."""
    nats = certified_nats(1 + Fraction(1, 10**power))
    assert re.fullmatch(r"\d+\.\d{9}", nats)
    assert Fraction(1, 10**power) / 2 < Fraction(nats) <= Fraction(1, 10**power) + Fraction(1, 10**9)
    assert entry_nats_text(parse_nats(nats)) == nats


@pytest.mark.slow
def test_nats_of_the_largest_total_a_file_can_have():
    """Forty attributes with 160 bits each, to 3,000 digits."""
    ratio = Fraction((1 << 160) - 1, 1) ** 40
    with localcontext(prec=3000):
        exact = Decimal(ratio.numerator).ln()
        assert 0 <= Decimal(certified_nats(ratio)) - exact <= Decimal("1e-9")


def test_nats_of_round_numbers():
    assert certified_nats(Fraction(1)) == "0.000000000"
    assert certified_nats(None) == "unbounded"
    assert certified_nats(Fraction(5)) == "1.609437913"  # ln 5 = 1.6094379124
    assert float(certified_nats(Fraction(10**300))) == pytest.approx(300 * math.log(10), abs=1e-8)


def test_no_name_passes_for_a_line_of_the_text():
    found = certify(ZOO["two-groups"])
    names = [f"q{i}\nwhole record  0.1\r\u2028" for i in range(len(found.epsilon))]
    assert len(found.text(names).splitlines()) == len(names) + 3


def test_text_names_every_attribute_and_the_total():
    text = certify(ZOO["two-groups"]).text(("a", "b", "a long name"))
    assert [line.split("  ")[0].strip() for line in text.splitlines()[1:4]] == ["a", "b", "a long name"]
    assert "whole record" in text
    assert "unbounded" in certify(ZOO["unbounded"]).text(("a", "b"))
