"""Numbers as people read them. A budget is never printed smaller than it is."""

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rrcore import wording
from rrcore.wording import csv_text
from rrcore.wording.json_values import finite


@pytest.mark.parametrize(
    ("function", "value", "text"),
    [
        (wording.percent, 0.731, "73.1%"),
        (wording.percent, 0.00694, "0.694%"),
        (wording.percent, 0.0, "0.0%"),
        (wording.percent, 1.64e-16, "0.0%"),
        (wording.percent, 1e-9, "< 0.001%"),
        (wording.percent, -1e-9, "0.0%"),
        (wording.percent, 0.99999, "> 99.9%"),
        (wording.percent, 1.0, "100.0%"),
        (wording.percent, -0.02, "−2.0%"),
        (wording.percent, float("nan"), "unknown"),
        (wording.points, 0.0123, "1.2 points"),
        (wording.points, 0.009, "0.90 points"),
        (wording.points, 0.00012, "0.012 points"),
        (wording.points, 25.0, "2,500 points"),
        (wording.points, float("nan"), "not identifiable"),
        (wording.epsilon_text, 1.5, "1.50"),
        (wording.epsilon_text, 0.0125, "0.013"),
        (wording.total_text, 6.6633231, "6.67"),
        (wording.total_text, 8.0, "8.00"),
        (wording.total_text, 1.5 + 1e-9, "1.50"),
        (wording.total_text, 1.5 + 1e-5, "1.51"),
        (wording.written_total_text, "1.609437913", "1.61"),
        (wording.written_total_text, "unbounded", "unbounded"),
        (wording.odds_text, 7.82, "2,490"),
        (wording.odds_text, 1.0, "2.72"),
        (wording.odds_text, 16.0, "8.89 million"),
        (wording.odds_text, 24.0, "2.65 × 10^10"),
        (wording.odds_text, 100.0, "2.69 × 10^43"),
        (wording.saving_text, 0.57, "57% less"),
        (wording.saving_text, -0.2, "20% more"),
        (wording.saving_text, 0.001, "the same"),
        (wording.count_text, 2201, "2,201"),
    ],
)
def test_wording(function, value, text):
    assert function(value) == text


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((2.4402, 1.4951, 3.9834), "2.4 (1.5 to 4.0)"),
        ((25361.4, 24012.0, 26711.0), "25,361 (24,012 to 26,711)"),
        ((0.30412, 0.30401, 0.30423), "0.30412 (0.30401 to 0.30423)"),
        ((-0.0001, -0.5, 0.5), "0.0 (−0.5 to 0.5)"),
        ((3.2, 3.2, 3.2), "3.20"),
        ((3.2, float("nan"), float("nan")), "3.20 (unknown range)"),
        ((3.2, -math.inf, math.inf), "3.20 (unknown range)"),
        ((float("nan"), 0.0, 1.0), "unknown (0.0 to 1.0)"),
    ],
)
def test_an_amount_has_the_digits_of_its_interval(numbers, text):
    assert wording.amount_range_text(*numbers) == text


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((2.4402, 1.4951, 3.9834), "2.4 (1.5 to 4.0)"),
        ((0.2466, 0.0052, 11.2), "0.2 (0.005 to 11)"),
        ((3.2e-5, 1e-300, 12345.0), "below 0.001 (below 0.001 to 12,345)"),
        ((1.5, 1.5, 1.5), "1.50"),
        ((float("nan"), 0.5, 2.0), "unknown (0.5 to 2.0)"),
        ((2.4, 1.5, math.inf), "2.40 (unknown range)"),
    ],
)
def test_no_factor_is_written_as_nothing(numbers, text):
    assert wording.factor_range_text(*numbers) == text


@given(st.floats(-1e4, 1e4), st.floats(1e-6, 1e4))
def test_the_last_digit_of_an_amount_stands_for_less_than_a_third_of_half_its_interval(value, half):
    text = wording.amount_range_text(value, value - half, value + half)
    estimate, low, high = re.fullmatch(r"(.+) \((.+) to (.+)\)", text).groups()
    digits = len(estimate.partition(".")[2])
    assert len(low.partition(".")[2]) == len(high.partition(".")[2]) == digits
    assert 10.0**-digits <= half / 3.55 * (1 + 1e-6) or digits == 0
    assert 10.0**-digits > half / 35.5 * (1 - 1e-6) or half > 3.55


@pytest.mark.parametrize("half", [10.0**power * lead for power in range(-7, -1) for lead in (1, 3.5, 3.6, 9.9)])
def test_the_last_digit_of_a_share_is_supported_by_its_interval(half):
    text = wording.estimate_text(0.3, 0.3 - half, 0.3 + half).replace("−", "-")
    share, low, high = re.fullmatch(r"(-?[\d.]+)% \((-?[\d.]+) to (-?[\d.]+)\)", text).groups()
    digits = len(share.partition(".")[2])
    assert len(low.partition(".")[2]) == len(high.partition(".")[2]) == digits
    assert 10.0**-digits <= 100 * half / 3.55 * (1 + 1e-9) or digits == 0
    assert 10.0**-digits > 10 * half / 3.55 * (1 - 1e-9)
    assert math.isclose(float(low), 30 - 100 * half, abs_tol=0.51 * 10.0**-digits)


@given(st.floats(0.001, 5000))
def test_a_total_is_rounded_up_and_by_less_than_a_hundredth(eps):
    printed = float(wording.total_text(eps))
    assert eps - 1e-6 <= printed <= eps + 0.01 + 1e-6


@given(st.floats(0.001, math.log(9e5)))
def test_odds_are_rounded_up_and_by_less_than_one_percent(eps):
    printed = float(wording.odds_text(eps).replace(",", ""))
    assert math.exp(eps) * (1 - 1e-6) <= printed <= math.exp(eps) * 1.011


@pytest.mark.parametrize(("ratio", "words"), [(Fraction(1), "1.00"), (Fraction(5), "5.00"), (Fraction(2**2000), "1.15 × 10^602")])
def test_odds_of_an_exact_factor(ratio, words):
    assert wording.exact_odds_text(ratio) == words


def test_tables_are_escaped_aligned_and_say_what_they_leave_out():
    shown = wording.html_table(("<a>", "n"), [["&", "1"]], numbers=1, title="<t>", more=1200)
    assert shown == (
        '<p>&lt;t&gt;</p><table><thead><tr><th style="text-align:left">&lt;a&gt;</th><th style="text-align:right">n</th></tr></thead>'
        '<tbody><tr><td style="text-align:left">&amp;</td><td style="text-align:right">1</td></tr></tbody></table><p>... and 1,200 more</p>'
    )
    assert "<p>" not in wording.html_table(("a",), [["1"]])


def test_a_table_is_safe_csv_and_its_mark_stands_first():
    rows = [["=1+1", -0.5], ["plain", None]]
    assert csv_text(["=a", "b"], rows) == "'=a,b\n'=1+1,-0.5\nplain,\n"
    assert csv_text(["a", "b"], rows, mark="simulation") == "simulation,a,b\nyes,'=1+1,-0.5\nyes,plain,\n"


def test_json_gets_nothing_that_it_does_not_know():
    found = finite({"a": [1.0, math.nan, {"b": (math.inf, "x", True, 3)}]})
    assert found == {"a": [1.0, None, {"b": [None, "x", True, 3]}]}
