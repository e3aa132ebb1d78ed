"""The operator's file: what is read, and what is refused with a sentence."""

import pytest

from pages.shared.operator import Operator
from rrcore.errors import InputError


def test_settings_replace_what_holds_without_them():
    read = Operator.from_toml('jobs_in_all = 8\nhosts = ["rr.example.org"]\nledgers = "ledgers"')
    assert (read.jobs_in_all, read.hosts, read.ledgers) == (8, ("rr.example.org",), "ledgers")
    assert read.jobs_per_user == Operator().jobs_per_user


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("jobs = 3", "has a setting 'jobs': choose among jobs_per_user"),
        ("readers = 0", "'readers' of the operator's file is '0': expected a whole number of at least 1"),
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
