"""The key that closes a survey: only its hash is kept, it cannot be tried out, and a new one makes the former void."""

import datetime as dt
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

import rrcore
from rrcore.__main__ import main
from rrcore.errors import InputError
from rrcore.limits import MAX_WRONG_KEYS
from rrcore.receiver import closingkey, create_store, open_store
from rrcore.receiver.closingkey import check_closing_key, has_closing_key, new_closing_key
from rrcore.receiver.tables import SURVEYS
from rrcore.report import close_survey

KEY, OTHER = "7K3QD-9XW2M-4HTRC", "7K3QD-9XW2M-4HTRD"
DAY = dt.date(2026, 3, 1)


@pytest.fixture
def store(place, mechanism):
    return create_store(place, mechanism, title="Pilot", closing_key=KEY)


def wrong(store, times=1):
    for _ in range(times):
        with pytest.raises(InputError, match=r"This is not the key of this survey.*The survey stays open"):
            check_closing_key(store, OTHER)


@pytest.mark.parametrize("typed", [KEY, " 7k3qd 9xw2m 4htrc ", "7K3QD9XW2M4HTRC"])
def test_the_key_fits_however_it_is_typed(store, typed):
    check_closing_key(store, typed)
    assert close_survey(store, on=DAY, key=typed).on == DAY


@pytest.mark.parametrize("typed", ["", "hello", KEY[:-1], KEY + "0", "\0", "\N{FULLWIDTH DIGIT SEVEN}" + KEY[1:]])
def test_what_cannot_be_a_key_is_none_and_counts_as_no_try(store, typed):
    with pytest.raises(InputError, match="The key has 15 letters and digits"):
        close_survey(store, on=DAY, key=typed)
    assert store.closed is None
    assert [act.act for act in store.acts()] == ["created"]


def test_a_survey_stays_open_with_a_wrong_key(store):
    with pytest.raises(InputError, match="This is not the key of this survey"):
        close_survey(store, on=DAY, key=OTHER)
    assert store.closed is None
    assert [act.act for act in store.acts()] == ["created", "wrong key"]
    close_survey(store, on=DAY)  # by whoever owns the database
    assert [act.act for act in store.acts()] == ["created", "wrong key", "closed"]


def test_only_the_hash_of_the_key_is_stored(store):
    key = new_closing_key(store)
    wrong(store)
    with SURVEYS.connected(store.place) as connection:
        for table in ("rr_act", "rr_closing_key", "rr_survey", "rr_state"):
            held = repr(connection.execute(text(f"SELECT * FROM {table}")).all()).upper()
            assert not any(code in held.replace("-", "") for code in (key.replace("-", ""), OTHER.replace("-", "")))
    if not store.place.startswith("postgresql:"):
        content = Path(store.place).read_bytes()
        assert key.encode() not in content
        assert key.replace("-", "").encode() not in content


def test_after_five_wrong_keys_not_even_the_right_one_is_looked_at(store, monkeypatch):
    eve = replace(store, by="eve@example.org")
    wrong(eve, MAX_WRONG_KEYS)
    for typed in (OTHER, KEY):
        with pytest.raises(InputError, match="5 wrong keys were given within a minute: wait a minute"):
            check_closing_key(eve, typed)
    assert [act.act for act in store.acts()].count("wrong key") == MAX_WRONG_KEYS
    check_closing_key(store, KEY)  # somebody else is not kept out
    monkeypatch.setattr(closingkey, "PAUSE", dt.timedelta(0))
    check_closing_key(eve, KEY)


def test_keys_that_are_tried_at_once_are_counted_one_after_the_other(store):
    def attempt(_):
        with pytest.raises(InputError) as error:
            check_closing_key(open_store(store.place), OTHER)
        return "within a minute" in str(error.value)

    with ThreadPoolExecutor(8) as pool:
        refused = list(pool.map(attempt, range(12)))
    assert refused.count(False) == MAX_WRONG_KEYS


def test_a_new_key_makes_the_former_void(store):
    key = new_closing_key(store)
    with pytest.raises(InputError, match="This is not the key"):
        check_closing_key(store, KEY)
    check_closing_key(store, key)
    assert re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){2}", key)
    assert [act.act for act in store.acts()] == ["created", "key replaced", "wrong key"]


def test_a_closed_survey_needs_no_key(store):
    store.close(DAY)
    with pytest.raises(InputError, match="is closed: it needs no key any more"):
        new_closing_key(store)


def test_who_closes_is_on_record_once(store):
    ada = replace(store, by="ada@example.org\n\N{RIGHT-TO-LEFT OVERRIDE}")
    close_survey(ada, on=DAY, key=KEY)
    close_survey(store, on=DAY)
    assert [(act.act, act.who) for act in store.acts()][1:] == [("closed", "ada@example.org")]


def test_the_record_of_acts_is_only_added_to():
    """No statement of the program changes or deletes a line."""
    for file in Path(rrcore.__file__).parent.rglob("*.py"):
        source = file.read_text(encoding="utf-8")
        assert not re.search(r"(update|delete)\((self\.)?(ACTS|acts|RELEASES)\)", source), file
        assert not re.search(r"(UPDATE|DELETE FROM|DROP TABLE)[^\"']*rr_(act|release)\b", source), file


def test_the_commands(tmp_path, mechanism, monkeypatch, capsys):
    """``serve`` shows the key of a new survey once; ``key`` draws another; ``acts`` lists who did what, of surveys and ledgers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rrcore.receiver.server.serve", lambda app, at, **options: at.close())
    (tmp_path / "m.json").write_text(mechanism.to_json(), encoding="utf-8")
    serve = ["serve", "--mechanism", "m.json", "--db", "pilot.survey", "--port", "0"]
    assert main([*serve, "--title", "Pilot"]) == 0
    told = capsys.readouterr().err
    (key,) = re.findall(r"The key that closes this survey on page Field is (\S+)\. Write it down", told)
    store = open_store("pilot.survey")
    check_closing_key(store, key)
    assert main(serve) == 0
    assert "key" not in capsys.readouterr().err
    assert main(["key", "--db", "pilot.survey"]) == 0
    told = capsys.readouterr().out
    assert "The key before it no longer closes it." in told
    check_closing_key(store, re.findall(r"is (\S{17})\.", told)[0])
    assert main(["close", "--db", "pilot.survey"]) == 0
    capsys.readouterr()
    assert main(["acts", "--db", "pilot.survey", "--csv", "acts.csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.rpartition(": ")[2] for line in lines] == ["created", "key replaced", "closed"]
    assert len((tmp_path / "acts.csv").read_text().splitlines()) == 4
    assert main(["ledger", "create", "--db", "releases.ledger"]) == main(["acts", "--db", "releases.ledger", "--json"]) == 0
    assert '"act": "created"' in capsys.readouterr().out
    (tmp_path / "text").write_text("neither")
    assert main(["acts", "--db", "text"]) == 2
    assert "is not a survey: check the path" in capsys.readouterr().err
    assert has_closing_key(store)
