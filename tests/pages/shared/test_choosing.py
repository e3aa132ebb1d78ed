"""A session without a table: pages offer the ways to one, and show no other table in its place."""

import pytest

from pages.field import starting
from pages.field.opening import OpenSurvey
from pages.learn import polldesign
from pages.ledger import planning
from pages.release import draws
from pages.shared.choosing import TITLE
from pages.shared.mode import SWITCHED_OFF
from pages.shared.opened import Opened, OpenLedger
from rrcore.errors import InputError

NEEDING = ("data", "budget", "plans", "perturb", "dependence", "collect", "release", "compare", "synthesize")
OTHERS = ("start", "learn", "field", "read", "models", "audit", "ledger", "keyvalue", "papers")
TABLE = b"ward,age\n" + b"north,young\nsouth,old\nnorth,old\n" * 40


@pytest.fixture
def bare(open_session):
    return open_session(table="")


def shown(session, page):
    session.at.switch_page(f"pages/{page}/page.py")
    return session.run()


@pytest.mark.parametrize("page", [*NEEDING, *OTHERS])
def test_no_page_opens_a_table_by_itself(bare, page, here):
    shown(bare, page)
    assert (TITLE in bare.text) == (page in NEEDING)
    assert bare.at.session_state["work"].schema is None


def test_a_demo_table_is_opened_where_one_is(bare):
    shown(bare, "budget").set("selectbox", "Demo table", "haireye").click("Open it")
    assert bare.title == "Budget"
    assert bare.at.session_state["work"].title == "Hair and eye colour"


def test_a_table_is_uploaded_where_one_is(bare):
    shown(bare, "perturb")
    (uploader,) = [each for each in bare.at.file_uploader if each.key == "first_upload"]
    uploader.set_value(("mine.csv", TABLE, "text/csv"))
    bare.run()
    assert bare.title == "Perturb & estimate"
    assert bare.at.session_state["work"].title == "mine"


def test_questions_are_described_on_data(bare):
    shown(bare, "budget").click("Describe questions")
    assert bare.title == "Data"
    assert bare.at.session_state["work"].source == "declare"


def test_data_asks_where_the_table_comes_from(bare):
    shown(bare, "data").set("radio", "Where the table comes from", "demo")
    assert bare.at.session_state["work"].title == "Titanic"


ACTS = (
    lambda: OpenLedger(name="typed").create(),
    lambda: planning.record(OpenLedger(), None, None),
    lambda: draws.start(None, None, None, None, 1),
    lambda: starting.start(OpenSurvey()),
    lambda: polldesign.require(),
)


@pytest.mark.parametrize("act", ACTS)
def test_what_acts_is_refused_in_a_demo(monkeypatch, act, here, tmp_path):
    """Also where somebody would call it by a message that no page sends."""
    monkeypatch.setenv("RR_WORKBENCH_DEMO", "yes")
    said = []
    monkeypatch.setattr(
        Opened, "__setattr__", lambda self, name, value: said.append(value) or object.__setattr__(self, name, value)
    )
    try:
        act()
    except InputError as error:
        said.append(str(error))
    assert SWITCHED_OFF in said
    assert list(tmp_path.iterdir()) == []


def test_a_demo_asks_for_no_file(monkeypatch, open_session):
    monkeypatch.setenv("RR_WORKBENCH_DEMO", "yes")
    session = open_session("/data", table="")
    assert list(session.at.file_uploader) == []
    (sources,) = session.at.radio
    assert len(sources.options) == 3
