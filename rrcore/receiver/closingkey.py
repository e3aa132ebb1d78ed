"""The key that closes a survey from a dashboard. It is shown once, when it is drawn; the database holds its hash.

Whoever owns the database needs none: ``rrcore close`` closes it, and ``rrcore key`` draws a new key in place of a lost one.
"""

import datetime as dt
import hmac

from sqlalchemy import delete, insert, inspect, select

from rrcore.errors import InputError
from rrcore.limits import MAX_WRONG_KEYS
from rrcore.receiver.codes import code_hash, new_code, plain_code
from rrcore.receiver.store import Store
from rrcore.receiver.tables import ACTS, CLOSING_KEY, SURVEYS
from rrcore.work.database.acts import acts_of, record_act, written_name

PAUSE = dt.timedelta(minutes=1)

NO_KEY = (
    "This survey has no key for closing: whoever runs its server draws one with 'rrcore key --db', or closes it with "
    "'rrcore close --db'."
)
"""What is said of a survey of an earlier version."""


def has_closing_key(store: Store) -> bool:
    """Whether the survey has a key; those of earlier versions have none until one is drawn."""
    with SURVEYS.transaction(store.place) as connection:
        if not inspect(connection).has_table(CLOSING_KEY.name):
            return False
        return connection.execute(select(CLOSING_KEY.c.hash)).first() is not None


def new_closing_key(store: Store) -> str:
    """A new key in place of the one that there was, if any: write it down, since only its hash is kept.

    Raises
    ------
    InputError
        If the survey is closed, or cannot be written.
    """
    if store.closed:
        raise InputError(f"The survey at '{store.shown}' is closed: it needs no key any more.")
    key = new_code()
    with SURVEYS.acting(store.place, store.by) as connection:
        before = connection.execute(delete(CLOSING_KEY)).rowcount
        connection.execute(insert(CLOSING_KEY).values(hash=code_hash(key)))
        record_act(connection, ACTS, store.by, "key replaced" if before else "key given")
    return key


def check_closing_key(store: Store, typed: str) -> None:
    """Refuse what is not the survey's key, and whoever gave too many wrong ones. Wrong ones go into the record of acts.

    The key has 75 random bits, so that a hash without a salt tells nothing of it, and five tries a minute find it never.

    Raises
    ------
    InputError
        If it is not the key, if the survey has none, or if ``store.by`` gave ``MAX_WRONG_KEYS`` wrong ones within ``PAUSE``.
    """
    if not has_closing_key(store):
        raise InputError(NO_KEY)
    if not plain_code(typed):
        raise InputError(
            "The key has 15 letters and digits, such as 7K3QD-9XW2M-4HTRC: type the one that 'rrcore serve' printed when the survey was "
            "started. The survey stays open."
        )
    with SURVEYS.acting(store.place, store.by) as connection:
        since = dt.datetime.now(dt.UTC) - PAUSE
        wrong = [
            act
            for act in acts_of(connection, ACTS)
            if act.act == "wrong key" and act.who == written_name(store.by) and act.at > since
        ]
        refused = len(wrong) >= MAX_WRONG_KEYS
        if not refused:
            known = connection.execute(select(CLOSING_KEY.c.hash)).scalar_one()
            fits = hmac.compare_digest(known, code_hash(typed))
            if not fits:
                record_act(connection, ACTS, store.by, "wrong key")
    if refused:
        raise InputError(
            f"{MAX_WRONG_KEYS} wrong keys were given within a minute: wait a minute and try again. The survey stays open."
        )
    if not fits:
        raise InputError(
            "This is not the key of this survey: compare it with what 'rrcore serve' printed when the survey was started. Whoever runs its "
            "server replaces a lost one with 'rrcore key --db'. The survey stays open."
        )
