"""What a receiver's database holds: ten tables, none of which joins an answer with a person, a code, an address or a time of day."""

from sqlalchemy import Column, Integer, LargeBinary, MetaData, String, Table, Text, update

from rrcore.work.database.acts import acts_table
from rrcore.work.database.kind import DatabaseKind

STORE_VERSION = 4
"""Number of the layout of these tables. Version 1 had neither a key for closing nor a record of acts, version 2 neither pauses nor where
the survey is served, version 3 no questions that are not randomised."""

TABLES = MetaData()

SURVEY = Table(
    "rr_survey",
    TABLES,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("mechanism", Text, nullable=False),  # the mechanism file, as JSON
    Column("texts", Text, nullable=False),  # JSON: title, introduction, questions
    Column("key", Text),  # PEM: signs invitations; none where everybody may answer
)
"""One row: what is asked and how it is randomised. Nothing of it but the version ever changes."""

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
"""Places 1 to n, each with a randomised answer, and what was asked unrandomised behind it; all records are equally long, and each order of
them is equally likely."""

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

CLOSING_KEY = Table("rr_closing_key", TABLES, Column("hash", LargeBinary(32), primary_key=True), sqlite_with_rowid=False)
"""At most one row: SHA-256 of the key that closes the survey."""

PAUSED = Table("rr_paused", TABLES, Column("day", String(10), primary_key=True), sqlite_with_rowid=False)
"""At most one row: the day since which the survey is paused."""

SERVED = Table(
    "rr_served",
    TABLES,
    Column("run", String(32), primary_key=True),
    Column("terms", Text, nullable=False),  # JSON: where it listens, and which address respondents are given
    Column("stop", Integer, nullable=False),  # 1 once it is to end
    sqlite_with_rowid=False,
)
"""At most one row: where the survey was last served, under the name of that run, which /health says too."""

ACTS = acts_table(TABLES)
"""Who created and closed the survey and who replaced its key, and when: never about who answers."""

LOCK = update(STATE).values(answers=STATE.c.answers)
"""Whoever writes does this first: nobody else writes from then on."""

PRAGMAS = ("journal_mode = TRUNCATE", "synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY")
"""How SQLite writes: its journal is emptied after each transaction, on disk before it is over, and what is deleted is overwritten."""

SURVEYS = DatabaseKind(
    "survey",
    TABLES,
    SURVEY.c.version,
    STORE_VERSION,
    {2: (CLOSING_KEY, ACTS), 3: (PAUSED, SERVED), 4: ()},
    ACTS,
    lock=LOCK,
    pragmas=PRAGMAS,
)
"""Where surveys are kept."""
