"""Every number of its kind has one value, one name and the digits that its error supports, on all pages, in reports and in JSON."""

import json
import math
import re
from collections import defaultdict
from pathlib import Path

import pytest

import rrcore as rr
from rrcore.__main__ import main
from rrcore.answers import Answers
from rrcore.report import questions_after, report_after, report_before
from rrcore.wording import Quantity

ROOT = Path(__file__).parents[2]
METHODS = ("odds", "times", "both", "within", "estimated")
SECTIONS = ("bargain", "tradeoffs", "observer", "again", "published")
PAGES = ("start", "data", "budget", "plans", "perturb", "collect", "release", "read", "audit", "ledger")
READ = re.compile(
    r"(With [\d,]+ (?:person|people)) (?:a|every) share of (.+?) [a-z ]*within (± [\d.]+ points(?: of [a-z ]+)?)(?! if all)"
)
"""A forecast of the shares of something, however common they are: by how many people, of what, within what."""
ESTIMATED = re.compile(r"(-?[\d.]+) % \((-?[\d.]+) to (-?[\d.]+)\)")


@pytest.fixture
def printed(monkeypatch):
    """(what a number stands for, the method, the numbers, the text) of everything that is printed from here on."""
    seen = []
    for method in METHODS:
        own = getattr(Quantity, method)

        def spy(self, *numbers, own=own, method=method):
            text = own(self, *numbers)
            seen.append((self, method, numbers, text))
            return text

        monkeypatch.setattr(Quantity, method, spy)
    return seen


def texts_by_quantity(printed):
    """What stands for one thing -> the texts it was printed as; estimates are of one release each."""
    found = defaultdict(set)
    for quantity, method, _, text in printed:
        if method in ("odds", "times", "both", "within"):
            found[quantity, method].add(text)
    return found


def walk(session):
    """All pages on which a plan's own numbers are, and everything on Budget."""
    told = []
    for page in PAGES:
        told.append(session.go(page).text)
    session.go("budget")
    for section in SECTIONS:
        told.append(session.look_at("budget_section", section).text)
    return "\n".join(told)


def forecasts(told):
    """Whom and what shares are forecast of -> within what, by the words that people read."""
    found = defaultdict(set)
    for people, what, within in READ.findall(told.replace("\N{NO-BREAK SPACE}", " ")):
        found[people, what].add(within)
    return found


def digits_follow(text):
    """Of every estimate in ``text`` the last digit stands for 0.1 to 1 of a third of half the interval's width, by ends as printed."""
    for share, low, high in ESTIMATED.findall(text.replace("−", "-")):
        decimals = {len(each.partition(".")[2]) for each in (share, low, high)}
        half = (float(high) - float(low)) / 2
        unit = 10.0 ** -min(decimals)
        assert len(decimals) == 1, (share, low, high)
        assert half > 3.5 * unit - unit or unit == 1, (share, low, high)  # ends are rounded, by half a unit each
        assert half < 35.5 * unit + unit, (share, low, high)


def test_a_plan_for_a_table_has_one_number_for_one_thing(session, printed):
    work = session.go("budget").at.session_state["work"]
    work.set_levels(dict(zip(work.wishes.chosen, (2.0, 2.5, 3.0, 3.5), strict=True)))
    printed.clear()
    told = walk(session)
    found = texts_by_quantity(printed)
    assert {quantity.kind for quantity, _ in found} >= {"one answer", "others known", "whole record", "share", "any share"}
    assert [(where, texts) for where, texts in found.items() if len(texts) > 1] == []
    assert forecasts(told)["With 2,201 people", "Class × Sex"]
    assert [(where, texts) for where, texts in forecasts(told).items() if len(texts) > 1] == []
    digits_follow(told)


def test_a_declared_plan_has_one_number_for_one_thing(session, printed):
    session.go("data").set("radio", "Where the table comes from", "declare")
    session.declare("smokes: no, yes", "ward: north, south, east, west", "visits: none, one, more")
    printed.clear()
    told = walk(session)
    found = texts_by_quantity(printed)
    assert [(where, texts) for where, texts in found.items() if len(texts) > 1] == []
    assert [(where, texts) for where, texts in forecasts(told).items() if len(texts) > 1] == []


def test_what_is_forecast_twice_with_two_numbers_is_seen():
    """What Budget and Collect once said of the same plan."""
    told = "With 2,201 people every share of Class × Sex is within ± 3.1 points.\n"
    told += "With 2,201 people a share of Class × Sex comes out within ± 2.2 points, 95 times in 100."
    assert forecasts(told) == {("With 2,201 people", "Class × Sex"): {"± 3.1 points", "± 2.2 points"}}
    even = "With 2,201 people a share of Class × Sex is within ± 2.2 points if all answers are equally common."
    assert forecasts(even) == {}


def test_pages_reports_and_json_say_the_same_of_a_plan(session, printed, capsys):
    work = session.go("budget").at.session_state["work"]
    plan = work.plan()
    mechanism = plan.build()
    file = rr.MechanismFile(plan.schema, rr.integer_groups(mechanism))
    page = {
        quantity.kind: text for quantity, method, _, text in printed if method == "odds" and quantity.about == work_title(work)
    }
    report = report_before(file, people=plan.respondents)
    sizes = ",".join(map(str, plan.schema.sizes))
    eps = ",".join(map(str, plan.levels))
    assert main(["plan", "--sizes", sizes, "--eps", eps, "--method", plan.mechanism, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert page["whole record"] == Quantity("whole record", "json").odds(told["total"])
    assert page["others known"] == Quantity("others known", "json").odds(max(told["leakage"]))
    assert page["one answer"] == Quantity("one answer", "json").odds(max(told["achieved_levels"]))
    for text in page.values():
        assert text.removeprefix("× ") in report


def work_title(work):
    return rr.compare(work.plan(), [work.wishes.mechanism])[0].title


def test_a_report_on_answers_prints_no_digit_beyond_the_error():
    table = rr.load_demo("titanic")
    file = rr.MechanismFile(table.schema, rr.integer_groups(rr.build("pair-safe", table.schema.sizes, [1.0] * 4)))
    answers = Answers(rr.randomise(file, table), file)
    text = report_after(answers, questions_after(answers)).replace("\N{NO-BREAK SPACE}", " ").replace("−", "-")
    assert len(ESTIMATED.findall(text)) > 10
    digits_follow(text)


@pytest.mark.parametrize("half", [10.0**power * lead for power in range(-7, -1) for lead in (1, 3.5, 3.6, 9.9)])
def test_the_last_digit_of_an_estimate_is_supported_by_its_interval(half):
    """By the rule itself, worked out from the printed text: a unit of the last digit is at most 1 / 3.55 of half the width, or 1 %."""
    text = Quantity("share", "any").estimated(0.3, 0.3 - half, 0.3 + half).replace("−", "-")
    share, low, high = ESTIMATED.fullmatch(text).groups()
    decimals = len(share.partition(".")[2])
    assert len(low.partition(".")[2]) == len(high.partition(".")[2]) == decimals
    assert 10.0**-decimals <= 100 * half / 3.55 * (1 + 1e-9) or decimals == 0
    assert 10.0**-decimals > 10 * half / 3.55 * (1 - 1e-9)
    assert math.isclose(float(low), 30 - 100 * half, abs_tol=0.51 * 10.0**-decimals)
