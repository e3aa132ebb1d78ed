"""Links: they open what they say, say what is wrong with them, and never hold anything of a table of one's own."""

import json
import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from pages.shared import address
from pages.shared.address import PARAMETERS
from rrcore.limits import MAX_SEED
from rrcore.table import DEMOS, load_demo
from tests.pages.conftest import TITLES


def work(session):
    return session.at.session_state["work"]


def told(session):
    """What the tab was told last: the parameters for its address."""
    data = [json.loads(part.proto.json) for part in session.at.get("bidi_component")]
    return [entry["query"] for entry in data if "query" in entry][-1]


def link(session):
    """The link that is offered for copying, from its parameters on; None where there is none."""
    codes = [code.value for code in session.at.code if "?table=" in code.value]
    return codes[0][codes[0].index("?") :] if codes else None


@pytest.mark.slow
def test_a_fresh_session_has_nothing_in_its_address(open_session):
    session = open_session(table="")
    for page in ("start", "budget", "perturb"):
        session.at.switch_page(f"pages/{page}/page.py")
        assert told(session.run()) == ""


@pytest.mark.slow
def test_the_address_follows_what_is_chosen_on_every_page(session):
    session.go("budget").edit({0: {"eps": 1.0}}).set("number_input", "People", 900).choose("3-safe")
    session.go("perturb").set("multiselect", "Joint distribution of", ["Sex", "Survived"]).set("number_input", "Seed", 3)
    wanted = "table=titanic&levels=Class:1,Sex:2,Age:2,Survived:2&mechanism=3-safe&marginal=Sex,Survived&seed=3&planned=900"
    assert told(session) == wanted
    for page in ("start", "data", "plans", "compare"):
        assert told(session.go(page)) == wanted


def test_a_link_opens_what_it_says_whatever_its_capitals(open_session):
    session = open_session(
        "/perturb?table=titanic&levels=sex:1,survived:2&mechanism=kronecker&marginal=SURVIVED&seed=3&people=2000"
    )
    own = work(session)
    assert session.title == "Perturb & estimate"
    assert (own.wishes.chosen, own.plan().levels, own.wishes.mechanism) == (("Sex", "Survived"), (1.0, 2.0), "kronecker")
    assert (own.wishes.marginal, own.wishes.seed, own.wishes.people, own.wishes.respondents) == (("Survived",), 3, 2000, 2000)
    assert session.widget("number_input", "Seed").value == 3
    assert session.warnings == []


CHANGES = {
    "levels": lambda own: own.set_levels({"Hair": 0.123456}),
    "scale": lambda own: own.wish(scale=0.5),
    "seed": lambda own: own.wish(seed=MAX_SEED),
    "attributes": lambda own: (own.choose_attributes(("Sex", "Hair")), own.choose_marginal(())),
    "mechanism": lambda own: own.wish(mechanism="joint"),
    "people": lambda own: own.wish(people=77, respondents=10**9),
    "total": lambda own: own.wish(entry="total", total=2.5),
    "questions": lambda own: own.wish(entry="questions", mechanism="design", questions=(("Hair", "Eye"), ("Sex",))),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", CHANGES)
def test_what_a_link_says_is_what_was_in_play(open_session, what):
    """The address, which leaves out what is usual, and the link to be copied, which leaves out nothing."""
    change, full = CHANGES[what], what in ("levels", "attributes", "questions")
    session = open_session("/?table=haireye")
    change(work(session))
    session.run()
    other = open_session(link(session) if full else f"?{told(session)}")
    assert other.warnings == []
    mine, theirs = work(session), work(other)
    assert mine.plan() == theirs.plan()
    for name in ("entry", "marginal", "seed", "people", "respondents"):
        assert getattr(mine.wishes, name) == getattr(theirs.wishes, name), name


def test_weights_are_those_that_make_the_levels_of_the_link(open_session):
    session = open_session("/budget?levels=Class:3.64442,Sex:1.21481,Age:1.21481,Survived:1.21481&total=5&mechanism=3-safe")
    assert work(session).wishes.weights["Class"] == 3
    assert session.levels == pytest.approx([3.64442, 1.21481, 1.21481, 1.21481], rel=1e-5)


WRONG = {
    "table=nobody": "'nobody', which is no demo table",
    "levels=Sex": "'Sex' is not a name and a level, such as Class\\:2",
    "levels=Sex:0": "Level of 'Sex' is 0",
    "levels=Shoe:1": "There is no attribute 'Shoe'",
    "levels=Sex:1,sex:2": "'Sex' has two levels: give it one.",
    "mechanism=best": "There is no mechanism 'best'",
    "mechanism=9999-safe": "There is no mechanism '9999-safe'",
    "mechanism=design": "needs more than a link can say",
    "marginal=Sex,Sex": "named twice",
    "marginal=": "There is no attribute ''",
    "seed=-1": "'-1' is not a whole number",
    "seed=1_000": "'1_000' is not a whole number",
    "people=0": "'0' is not a whole number",
    "people=9999999999999999999999": "is not a whole number",
    "total=inf": "not a number of nats",
    "questions=Sex*Shoe": "There is no attribute 'Shoe'",
    "level=2": "'level', which means nothing here",
}


@pytest.mark.slow
def test_one_sentence_for_each_parameter_that_is_wrong(open_session):
    queries = list(WRONG)
    for query in queries:
        session = open_session(f"?{query}&seed=5" if "seed" not in query else f"?{query}")
        if WRONG[query]:
            (warning,) = session.warnings
            assert WRONG[query] in warning
        if work(session).dataset is not None:
            assert work(session).wishes.seed == (0 if "seed" in query else 5)
    several = open_session("/budget?table=haireye&seed=x&people=x&levels=Sex:1")
    assert len([warning for warning in several.warnings if warning.startswith("The link")]) == 2
    assert work(several).wishes.chosen == ("Sex",)
    assert not [warning for warning in several.click("Close").warnings if warning.startswith("The link")]


def test_markup_in_a_link_stays_text(open_session):
    session = open_session("?levels=![x](https://evil.example/p.png)&**b**=1")
    assert len(session.warnings) == 2
    assert not any("](https" in warning.replace("\\]", "").replace("\\(", "") for warning in session.warnings)


PLANTED = ("Planted-file", "Planted-column", "planted-answer", "planted-question")


def mine(session):
    rows = b"".join(b"%s,%d\n" % ((b"planted-answer", b"no")[n % 2], n % 3) for n in range(60))
    return session.upload(b"Planted-column,Class\n" + rows, "Planted-file.csv")


@pytest.mark.slow
def test_nothing_of_an_upload_gets_into_an_address_on_any_page(session):
    """The plan, its marginal, its levels and its questions all carry planted names."""
    mine(session).go("budget").edit({0: {"eps": 1.25}}).set("number_input", "People", 77)
    work(session).wish(wording={"Class": "planted-question"}, seed=12)
    for page in TITLES:
        session.go(page)
        assert told(session) == ""
        assert link(session) is None
        assert not any(name in str(dict(session.at.query_params)) for name in PLANTED)


def test_nothing_that_was_declared_or_invented_gets_into_an_address(session):
    session.go("data").set("radio", "Where the table comes from", "declare").edit({0: {"name": "planted-question"}})
    assert told(session) == ""
    assert link(session) is None
    session.set("radio", "Where the table comes from", "synthetic")
    assert told(session) == ""


def test_of_a_demo_table_only_what_stands_in_it_does(session):
    own = work(session)
    planted = "planted-question"
    levels = {**own.wishes.levels, planted: 1.0}
    own.wish(levels=levels, weights={planted: 3.0}, questions=((planted, "Sex"),), entry="questions")
    session.run()
    assert "planted" not in told(session)


def test_a_demo_table_that_was_recoded_has_no_link_since_another_would_open(session):
    session.go("data").detail("Class").set("number_input", "Merge categories with fewer people than", 400)
    assert work(session).dataset.schema.sizes != load_demo("titanic").schema.sizes
    assert told(session) == ""
    assert link(session.go("budget")) is None
    session.set("multiselect", "Attributes of the plan", ["Sex", "Age"])  # these are as they were
    assert "levels=Sex" in link(session)


@pytest.mark.slow
def test_every_demo_table_has_a_short_link_that_opens_it(open_session):
    for key in DEMOS:
        session = open_session(f"?table={key}")
        assert work(session).dataset.schema == load_demo(key).schema
        assert [name for name, _ in parse_qsl(told(session))] == ["table"]
        assert set(dict(parse_qsl(link(session)[1:]))) <= set(PARAMETERS)


def test_parameters_that_pages_follow_by_themselves_are_left_to_them(open_session):
    session = open_session("/?told=90&asked=500&budget_section=tradeoffs&seed=4")
    assert session.warnings == []
    assert work(session).wishes.seed == 4
    code = "".join(path.read_text("utf-8") for path in Path(address.__file__).parents[1].rglob("*.py"))
    bound = re.findall(r'key="(\w+)"(?:(?!key=).)*?bind="query-params"', code, re.DOTALL)
    assert bound
    assert set(bound) <= {*address._OF_PAGES}
