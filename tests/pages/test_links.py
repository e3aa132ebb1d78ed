"""Links open what they describe, name what they cannot follow, and never hold anything of a user's own table."""

import json
import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from pages.data.columns import rename_column
from pages.shared import middleware
from rrcore.table import DEMOS
from tests.pages.test_frame import TABS, work

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"http://localhost:8501(/[^\s)>\"`]*)")
LINKS = sorted(
    {found for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")) for found in LINK.findall(path.read_text("utf-8"))}
)


def address(session):
    """The parameters that the tab gets for its address."""
    data = [json.loads(part.proto.json) for part in session.at.get("bidi_component")]
    return dict(parse_qsl([entry["query"] for entry in data if "query" in entry][-1]))


def test_a_fresh_session_has_no_parameters(open_session):
    session = open_session(table="").go("start")
    assert address(session) == {}


def test_the_address_follows_the_plan_and_opens_it_again(session, open_session):
    session.go("budget")
    work(session).choose_attributes(("Sex", "Survived"))
    work(session).set_epsilon({"Sex": 0.1234})
    work(session).change(n=900, seed=3, mechanism="independent")
    found = address(session.run())
    assert (found["n"], found["seed"], found["mechanism"]) == ("900", "3", "independent")
    query = "&".join(f"{name}={text}" for name, text in found.items())
    again = open_session(f"/simulate?{query}", table="")
    assert again.title == "Simulate"
    assert work(again).plan() == work(session).plan()
    assert work(again).draft.seed == 3


def test_a_link_to_a_total_keeps_the_weights(session, open_session):
    session.go("budget")
    weights = {"Class": 2.0, "Sex": 1.0, "Age": 1.0, "Survived": 4.0}
    work(session).set_epsilon({name: weight / 2 for name, weight in weights.items()})
    work(session).change(entry="total", total=3.0, weights=weights)
    query = "&".join(f"{name}={text}" for name, text in address(session.run()).items())
    again = work(open_session(f"/start?{query}", table="")).draft
    assert (again.entry, again.total, again.weights) == ("total", 3.0, pytest.approx(weights, rel=1e-4))


def test_what_a_link_cannot_say_is_named_and_the_rest_is_followed(open_session):
    session = open_session("/budget?epsilon=Sex:0,Survived:1&mechanism=best&seed=4&n=0&people=3")
    assert work(session).draft.seed == 4
    assert len(session.warnings) == 4
    assert work(session).draft.n == 2201


def test_no_address_holds_names_of_an_upload(session):
    session.upload(b"secret,b\n" + b"x,y\nz,w\n" * 50).go("budget")
    assert address(session) == {}


def test_no_address_holds_a_name_that_a_person_typed(session):
    rename_column(work(session.go("budget")), "Sex", "secret")
    assert "secret" in work(session).draft.chosen
    assert address(session.run()) == {}


@pytest.mark.parametrize("link", [link for link in LINKS if not link.startswith("/lesson")])
def test_a_documented_link_opens(open_session, link):
    session = open_session(link, table="")
    assert session.warnings == []
    said = dict(parse_qsl(link.partition("?")[2]))
    if "epsilon" in said:
        plan = work(session).plan()
        each = zip(plan.schema.names, plan.epsilon, strict=True)
        assert ",".join(f"{name}:{epsilon:g}" for name, epsilon in each) == said["epsilon"]
    if "table" in said:
        assert work(session).title == DEMOS[said["table"]].title


def test_former_addresses_lead_to_tabs():
    for places in middleware._MOVED.values():
        ((page, tab),) = places.items()
        assert tab in TABS[page]
