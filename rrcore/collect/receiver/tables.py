"""What a receiver's database holds: six tables, none of which joins an answer with a person, a code, an address or a time of day."""

from __future__ import annotations

from sqlalchemy import Column, Integer, LargeBinary, MetaData, String, Table, Text

STORE_VERSION = 1
"""Number of the layout of these tables."""

TABLES = MetaData()

SURVEY = Table(
    "rr_survey",
    TABLES,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("mechanism", Text, nullable=False),  # the mechanism file, as JSON
    Column("texts", Text, nullable=False),  # JSON: title, introduction, questions
    Column("key", Text),  # PEM: signs invitations; none where everybody may answer
)
"""One row: what is asked and how it is randomised. It never changes."""

STATE = Table(
    "rr_state",
    TABLES,
    Column("answers", Integer, primary_key=True, autoincrement=False),
    Column("closed", String(10)),
)
"""One row: the number of answers, and the day of closing. Whoever writes answers changes it first and so has it to themselves."""

ANSWERS = Table(
    "rr_answer",
    TABLES,
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("day", String(10), nullable=False),
    Column("record", Text, nullable=False),
)
"""Places 1 to n, each with a randomised answer; all records are equally long, and each order of them is equally likely."""

RECEIPTS = Table("rr_receipt", TABLES, Column("hash", LargeBinary(32), primary_key=True), sqlite_with_rowid=False)
"""SHA-256 of the receipts of stored answers, so that none is stored twice."""

CODES = Table(
    "rr_code",
    TABLES,
    Column("hash", LargeBinary(32), primary_key=True),
    Column("used_for", LargeBinary(32)),
    sqlite_with_rowid=False,
)
"""SHA-256 of the invitation codes, and of the blinded receipt that a code was used for, which tells nothing about the receipt."""

OPENED = Table(
    "rr_opened",
    TABLES,
    Column("day", String(10), primary_key=True),
    Column("forms", Integer, nullable=False),
    sqlite_with_rowid=False,
)
"""How many forms were given out, by day."""
