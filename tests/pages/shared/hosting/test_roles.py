"""Who may do what: named by the operator, and known by what the login vouches for."""

import pytest

from pages.shared.hosting import login, roles
from pages.shared.hosting.operator import Operator
from pages.shared.hosting.roles import Person, refusal, require
from rrcore.errors import InputError
from rrcore.work.database.acts import this_user

ADA = Person("17", "ada@example.org", True)
HOSTED = {"hosts": ("rr.example.org",)}
LOGIN = {**HOSTED, "secrets": "secrets.toml"}


@pytest.fixture
def here(monkeypatch):
    """Sets what the operator decided and who is there."""

    def be(person=None, **settings):
        for module in ("shelves", "roles", "login"):
            monkeypatch.setattr(f"pages.shared.hosting.{module}.operator", lambda: Operator(**settings))
        monkeypatch.setattr(roles, "person", lambda: person)

    return be


def test_on_ones_own_computer_all_is_allowed(here):
    here()
    assert refusal("run_surveys") == refusal("keep_ledgers") == ""
    assert require("run_surveys") == this_user()


def test_where_nobody_logs_in_nobody_may(here):
    here(**HOSTED, run_surveys=("ada@example.org",), contact="rr@example.org")
    assert refusal("run_surveys") == (
        "Running a survey is for people whom the operator of this dashboard has named, and nobody logs in here: ask rr@example.org."
    )
    with pytest.raises(InputError, match="Writing to a ledger is for people"):
        require("keep_ledgers")


def test_where_people_log_in_a_server_is_for_others_whatever_its_names(here):
    here(secrets="secrets.toml")
    assert "log in first" in refusal("run_surveys")


def test_each_may_what_they_are_named_for(here):
    here(ADA, **LOGIN, run_surveys=(" Ada@Example.org ",), keep_ledgers=("bob@example.org",))
    assert require("run_surveys") == "ada@example.org"
    assert refusal("keep_ledgers") == (
        "Writing to a ledger is for people whom the operator of this dashboard has named, and ada@example.org is not among them: ask the "
        "operator of this dashboard."
    )


@pytest.mark.parametrize(
    ("person", "may"),
    [
        (ADA, True),
        (Person("17", "ADA@EXAMPLE.ORG", True), True),
        (Person("17", "ada@example.org", False), False),
        (Person("17", "", True), False),
        (Person("17"), False),
        (Person("17", "ada@example.org.evil.example", True), False),
        (Person("17", "ad\N{CYRILLIC SMALL LETTER A}@example.org", True), False),
        (Person("17", "\N{KELVIN SIGN}ay@example.org", True), False),  # in small letters it is an ordinary k
        (Person("17", "sub:9", True), False),
        (Person("ada@example.org"), False),
        (Person("9"), True),
        (Person("9", "mallory@example.org", True), True),
    ],
)
def test_only_what_the_provider_vouches_for_counts(here, person, may):
    here(person, **LOGIN, run_surveys=("ada@example.org", "kay@example.org", "sub:9"))
    assert (refusal("run_surveys") == "") is may


def test_an_address_that_nobody_vouches_for_is_said_to_be_so(here):
    here(Person("17", "ada@example.org"), **LOGIN, run_surveys=("ada@example.org",))
    assert refusal("run_surveys").endswith(
        "and your login does not vouch for your e-mail address: ask the operator of this dashboard to name you as sub:17."
    )


@pytest.mark.parametrize(
    ("said", "verified"), [(True, True), ("true", True), (False, False), ("false", False), (1, True), (None, False)]
)
def test_what_the_provider_says_of_somebody_is_read(here, monkeypatch, said, verified):
    monkeypatch.undo()

    class User(dict):
        is_logged_in = True

    monkeypatch.setattr(login, "operator", lambda: Operator(secrets="secrets.toml"))
    monkeypatch.setattr(roles.st, "user", User(sub="17", email="ada@example.org", email_verified=said))
    assert roles.person() == Person("17", "ada@example.org", verified)


def test_nobody_is_known_where_nobody_has_logged_in(monkeypatch):
    class User(dict):
        is_logged_in = False

    monkeypatch.setattr(login, "operator", lambda: Operator(secrets="secrets.toml"))
    monkeypatch.setattr(roles.st, "user", User(sub="17", email="ada@example.org", email_verified=True))
    assert roles.person() is None
