"""Who may do what: everybody looks, uploads, plans and tries; who may run surveys and write to ledgers is named in the operator's file.

A person is known by the e-mail address that the login's provider vouches for (the claims ``email`` and ``email_verified``), and by the
provider's own number for them (the claim ``sub``), which the operator writes as "sub:...". On one's own computer, where nobody logs in, all
is allowed.
"""

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from pages.shared.hosting import login
from pages.shared.hosting.operator import operator
from pages.shared.hosting.shelves import hosted
from rrcore.errors import InputError
from rrcore.work.database.acts import this_user

Role = Literal["run_surveys", "keep_ledgers", "release_tables"]
"""What is not for everybody: the names of the operator's settings."""

_DOING = {
    "run_surveys": "Running a survey",
    "keep_ledgers": "Writing to a ledger",
    "release_tables": "Releasing a table on the server",
}


@dataclass(frozen=True)
class Person:
    """Somebody who has logged in, by what the provider says of them.

    Parameters
    ----------
    number : str, the provider's own for this person; two people never have the same
    email : str, empty where the provider says none
    verified : bool, whether the provider has seen to it that the address is theirs; without that anybody may have typed it
    """

    number: str
    email: str = ""
    verified: bool = False

    @property
    def shown(self) -> str:
        """By what the operator can name them, and the record of acts does."""
        is_address = "@" in self.email and not self.email.startswith("sub:")
        return self.email if self.verified and is_address else f"sub:{self.number}"

    def is_among(self, named: tuple[str, ...]) -> bool:
        """Whether the operator named this person."""
        own = {_address(self.shown), *([f"sub:{self.number}"] if self.number else [])}
        return bool(own & {_address(each) for each in named})


def _address(name: str) -> str:
    """Capitals of English letters make no difference in an address; other letters are compared as they are, since some only look alike."""
    line = name.strip()
    return line if line.startswith("sub:") or not line.isascii() else line.lower()


def person() -> Person | None:
    """Who has logged in at this tab; None where nobody has, or nobody is asked to."""
    if not (login.wanted() and st.user.is_logged_in):
        return None
    number, email = (str(st.user.get(claim) or "") for claim in ("sub", "email"))
    return Person(number, email, st.user.get("email_verified") in (True, "true"))  # some providers write it as a text


def shared() -> bool:
    """Whether others than the person at this computer use this dashboard."""
    return hosted() or login.wanted()


def whom() -> str:
    """Whom people here are told to ask."""
    return operator().contact or "the operator of this dashboard"


def refusal(role: Role) -> str:
    """In one sentence, why the person at this tab may not, and whom to ask; empty where they may."""
    if not shared():
        return ""
    who = person()
    here = f"{_DOING[role]} is for people whom the operator of this dashboard has named"
    if not login.wanted():
        return f"{here}, and nobody logs in here: ask {whom()}."
    if who is None:
        return f"{here}: log in first."
    if who.is_among(getattr(operator(), role)):
        return ""
    if who.email and not who.verified:
        return f"{here}, and your login does not vouch for your e-mail address: ask {whom()} to name you as {who.shown}."
    return f"{here}, and {who.shown} is not among them: ask {whom()}."


def require(role: Role) -> str:
    """Who is at this tab, for the record of acts; to be called by what acts. Raises InputError, with the sentence of ``refusal``."""
    reason = refusal(role)
    if reason:
        raise InputError(reason)
    who = person()
    return this_user() if who is None else who.shown
