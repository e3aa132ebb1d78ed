"""The operator's file: what is read, and what is refused with a sentence."""

import sys
from pathlib import Path

import pytest

from pages.shared.hosting.operator import Operator, operator
from rrcore.commands.app import LEDGERS_VARIABLE, OPERATOR_VARIABLE
from rrcore.errors import InputError


def test_settings_replace_what_holds_without_them():
    read = Operator.from_toml('jobs_in_all = 8\nhosts = ["rr.example.org"]\nledgers = "ledgers"')
    assert (read.jobs_in_all, read.hosts, read.ledgers) == (8, ("rr.example.org",), "ledgers")
    assert read.jobs_per_user == Operator().jobs_per_user


def test_relative_folders_start_beside_the_file_and_must_be_there(tmp_path, monkeypatch):
    (tmp_path / "kept").mkdir()
    file = tmp_path / "operator.toml"
    file.write_text('ledgers = "kept"\nsecrets = "secrets.toml"', encoding="utf-8")
    monkeypatch.setenv(OPERATOR_VARIABLE, str(file))
    monkeypatch.delenv(LEDGERS_VARIABLE, raising=False)
    read = operator.__wrapped__()
    assert (read.ledgers, read.secrets, read.surveys) == (str(tmp_path / "kept"), str(tmp_path / "secrets.toml"), "")
    monkeypatch.setenv(LEDGERS_VARIABLE, str(tmp_path))
    assert operator.__wrapped__().ledgers == str(tmp_path)
    file.write_text('data = ["none"]', encoding="utf-8")
    with pytest.raises(InputError, match=r"There is no folder '.*none', which the setting 'data' names"):
        operator.__wrapped__()
    monkeypatch.setenv(OPERATOR_VARIABLE, str(tmp_path / "none.toml"))
    with pytest.raises(InputError, match="cannot be read: check its name and place"):
        operator.__wrapped__()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("jobs = 3", "has a setting 'jobs': choose among jobs_per_user"),
        ("readers = 0", "'readers' of the operator's file is '0': expected a whole number from 1 to 1,000,000,000"),
        ("readers = -1", "expected a whole number from 1"),
        ("job_megabytes = 99999999999999999999", "expected a whole number from 1"),
        ("reader_seconds = 1.5", "expected a whole number"),
        ("readers = 2\nreaders = 3", "is not TOML"),
        ("[readers]\na = 1", "expected a whole number"),
        ("readers = true", "expected a whole number"),
        ('hosts = "a"', "expected a list of texts"),
        ("hosts = [1]", "expected a list of texts"),
        ("scheduler = 5", "expected a text"),
        ("= 5", "is not TOML"),
    ],
)
def test_what_is_not_understood_is_said(text, says):
    with pytest.raises(InputError, match=says):
        Operator.from_toml(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('databases = ["nonsense://"]', "The database 'nonsense' cannot be used: install its driver"),
        ('databases = [""]', "No place is given"),
        ('data = ["~nobody-of-that-name/x"]', "There is no folder"),
        ('ledgers = "a\\u0000b"', "There is no folder"),
    ],
)
def test_what_cannot_be_carried_out_is_said_at_the_start(tmp_path, text, says):
    with pytest.raises(InputError, match=says):
        Operator.from_toml(text).checked(tmp_path)


def test_a_scheduler_without_the_library_that_speaks_to_it_is_said_at_the_start(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"rr-workbench\[cluster\]"):
        Operator(scheduler="tcp://cluster:8786").checked(tmp_path)
    assert Operator().checked(tmp_path).scheduler == ""


def test_a_mark_at_the_start_of_the_file_is_no_mistake(tmp_path, monkeypatch):
    (tmp_path / "operator.toml").write_text("readers = 5", encoding="utf-8-sig")
    monkeypatch.setenv(OPERATOR_VARIABLE, str(tmp_path / "operator.toml"))
    monkeypatch.delenv(LEDGERS_VARIABLE, raising=False)
    assert operator.__wrapped__().readers == 5


def test_addresses_of_surveys_have_a_port_each():
    decided = Operator.from_toml('survey_addresses = ["https://a.example.org/ 8601", "https://b.example.org/pilot 8602"]')
    assert decided.survey_places == {"https://a.example.org": 8601, "https://b.example.org/pilot": 8602}
    assert Operator().survey_places == {}
    for wrong in (
        "https://a.example.org",
        "http://a.example.org 8601",
        "https://a.example.org 80",
        "--help 8601",
        "https://a b 8601",
    ):
        with pytest.raises(InputError, match="of the setting 'survey_addresses' is not understood"):
            Operator(survey_addresses=(wrong,)).checked(Path.cwd())
