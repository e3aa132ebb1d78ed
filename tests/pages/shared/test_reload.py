"""A tab finds its work again. The tab is played here: what its script does is a few lines, and a browser runs the real one once."""

import json
from types import SimpleNamespace

import pytest

from pages.shared import jobs, reload
from pages.shared.hosting import sessions

SURVEY = b"Planted-column,age\n" + b"planted-answer,young\nno,old\nno,young\n" * 40


class Tab:
    """What a browser keeps for one tab: its session storage and its address."""

    def __init__(self):
        self.storage, self.query, self.sent = {}, "", []

    def __call__(self, *, key, data, **_):
        self.sent.append(json.dumps(data))
        former = None
        if "key" in data:
            former = self.storage.get("rr-workbench")
            if data["heard"] or former in (None, data["key"]):
                self.storage["rr-workbench"], former = data["key"], None
        else:
            self.query = data["query"]
        return SimpleNamespace(former=former)


@pytest.fixture
def tab(monkeypatch):
    tab = Tab()
    monkeypatch.setattr(reload, "_tab", tab)
    monkeypatch.setattr(reload, "_kept", type(reload._kept)())
    return tab


def work(session):
    return session.at.session_state["work"]


@pytest.mark.slow
def test_plan_pins_page_and_choices_are_there_again(tab, open_session):
    session = open_session("/budget").edit({0: {"eps": 1.0}}).click("Pin plan")
    session.go("collect").set("text_input", "Made by", "the office")
    again = open_session(f"/collect?{tab.query}")
    assert work(again).plan() == work(session).plan()
    assert again.pins.pinned == session.pins.pinned
    assert again.widget("text_input", "Made by").value == "the office"
    assert open_session(f"/budget?{tab.query}").levels == [1.0, 2.0, 2.0, 2.0]


def test_somebody_else_who_logs_in_in_the_same_tab_starts_anew(tab, open_session, monkeypatch):
    monkeypatch.setattr(reload.login, "user", lambda: "ada")
    session = open_session("/plans").click("Pin plan")
    former = tab.storage["rr-workbench"]
    assert len(session.pins.pinned.pins) == 1
    monkeypatch.setattr(reload.login, "user", lambda: "bob")
    assert not open_session("/plans").pins.pinned.pins
    tab.storage["rr-workbench"] = former
    monkeypatch.setattr(reload.login, "user", lambda: "ada")
    assert len(open_session("/plans").pins.pinned.pins) == 1


@pytest.mark.slow
def test_of_an_upload_it_is_said_what_to_upload_again(tab, open_session):
    session = open_session().upload(SURVEY, "mine.csv").go("budget").edit({0: {"eps": 1.0}})
    plan = work(session).plan()
    again = open_session("/budget")
    assert work(again).plan() == plan
    assert "about the file 'mine'" in again.at.toast[0].value
    again.upload(SURVEY, "mine.csv")
    assert work(again).plan() == plan
    assert work(again).dataset is not None


@pytest.mark.slow
def test_the_tab_is_given_nothing_of_an_upload(tab, open_session):
    session = open_session().upload(SURVEY, "Planted-file.csv")
    for page in ("start", "data", "budget", "perturb"):
        session.go(page)
    given = "".join([*tab.sent, *tab.storage.values(), tab.query]).lower()
    assert "planted" not in given


def test_no_answers_are_kept_on_the_server(tab, open_session):
    session = open_session().upload(SURVEY)
    (kept,) = reload._kept.values()
    assert type(kept).__name__ == "KeptProject"
    assert not any(value is table for value in vars(kept).values() for table in (work(session).table, work(session).dataset))
    assert "codes" not in repr(kept.project)


@pytest.mark.slow
def test_what_is_kept_of_a_session_that_has_ended_is_read_by_its_tab_alone(tab, open_session):
    session = open_session().upload(SURVEY)
    plan, key = work(session).plan(), tab.storage["rr-workbench"]
    (place, kept), *_ = reload._kept.items()
    assert key != place
    assert "planted" in repr(kept).lower()
    sessions.AT_END[0](kept.owner.session + " of somebody else")
    assert reload._find(key) is kept
    sessions.AT_END[0](kept.owner.session)
    sealed = reload._kept[place]
    for secret in ("planted", "Planted", "young", key):
        assert secret not in repr(reload._kept)
        assert secret.encode() not in sealed.content
    assert reload._find(key[:-1]) is None
    assert reload._find(key).project == kept.project
    again = open_session(f"/budget?{tab.query}")
    assert work(again).plan() == plan
    assert work(again).awaited is not None


def test_two_tabs_share_nothing(tab, open_session, monkeypatch):
    open_session("/budget").edit({0: {"eps": 1.0}})
    other = Tab()
    monkeypatch.setattr(reload, "_tab", other)
    assert open_session("/budget").levels == [2.0] * 4
    assert tab.storage != other.storage


@pytest.mark.slow
def test_a_tab_and_its_duplicate_go_separate_ways(tab, open_session, monkeypatch):
    session = open_session("/budget").edit({0: {"eps": 1.0}})
    copy = Tab()
    copy.storage = dict(tab.storage)
    monkeypatch.setattr(reload, "_tab", copy)
    duplicate = open_session("/budget")
    assert duplicate.levels == [1.0, 2.0, 2.0, 2.0]
    duplicate.edit({0: {"eps": 3.0}})
    monkeypatch.setattr(reload, "_tab", tab)
    assert open_session("/budget").levels == session.levels == [1.0, 2.0, 2.0, 2.0]


@pytest.mark.slow
def test_a_link_opened_in_the_tab_is_followed_and_undone(tab, open_session):
    session = open_session("/budget").edit({0: {"eps": 1.0}}).click("Pin plan")
    other = open_session("/budget?table=haireye&seed=4")
    assert (work(other).title, work(other).wishes.seed) == ("Hair and eye colour", 4)
    assert other.pins.pinned == session.pins.pinned
    assert other.click("Undo").levels == [1.0, 2.0, 2.0, 2.0]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "name"), [("compare", "comparison_glance"), ("dependence", "routes")])
def test_work_in_the_background_goes_on(tab, open_session, monkeypatch, page, name):
    begun = open_session(f"/{page}?table=haireye&seed=4").job(name)
    own = open_session(f"/{page}?{tab.query}").run().job(name)
    assert own is not begun  # the tab that began it is still there
    monkeypatch.setattr(jobs.QUEUE, "_is_open", lambda session: False)
    again = open_session(f"/{page}?{tab.query}")
    assert again.job(name) is own
    assert again.run().job(name) is own
    assert begun.owner.jobs[name] is begun


@pytest.mark.parametrize("former", ["nobody's", "", "x" * 10_000])
def test_a_key_that_nothing_is_kept_for_changes_nothing(tab, open_session, former):
    tab.storage["rr-workbench"] = former
    assert open_session("/budget").levels == [2.0] * 4


def test_what_is_kept_is_bounded_in_number_and_time(tab, session, monkeypatch):
    session.run()
    kept = next(iter(reload._kept.values()))
    monkeypatch.setattr(reload, "_kept", type(reload._kept)())
    for number in range(600):
        reload._keep(str(number), kept)
    assert len(reload._kept) == 500
    monkeypatch.setattr(reload.time, "monotonic", lambda: kept.at + 3600 * 5)
    assert reload._find("599") is None


def test_nothing_is_run_again_for_it(tab, session):
    """A run tells the tab twice, at its start and at its end, and asks for no other."""
    session.run()
    before = len(tab.sent)
    session.go("budget")
    assert len(tab.sent) == before + 2
