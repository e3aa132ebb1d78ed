"""The page for recipients in a release archive, and the archive itself."""

import datetime as dt
from collections.abc import Iterator

from rrcore.progress import Report, part, quiet
from rrcore.promise import MechanismFile, Rehearsal, ReleasedTable, release_table, stated_truthful_shares
from rrcore.reports.before import unchanged_text
from rrcore.reports.shared_parts import Front, render
from rrcore.table import Dataset, Schema
from rrcore.wording import date_text


def recipient_pages(
    file: MechanismFile, people: int, *, kept: Schema | None = None, made: dt.date | None = None, rehearsal: Rehearsal = ""
) -> dict[str, str]:
    """Return the page "for-recipients.html" by its name.

    The page is one HTML file that loads nothing.

    The page does not depend on any answer, true or randomized.

    Parameters
    ----------
    file : MechanismFile
        How the answers are randomized.
    people : int
        The number of rows that are published.
    kept : Schema, optional
        Columns that are published without randomization.
    made : datetime.date, optional
        The day of the release. The default is today.
    rehearsal : str
        The kind of table if its people are fictitious, otherwise empty.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> list(recipient_pages(nigeria().mechanism, 2457))
    ['for-recipients.html']
    """
    rows = list(zip(file.reports.attributes, map(unchanged_text, stated_truthful_shares(file)), strict=True))
    rows += [(each, "always") for each in (kept.attributes if kept else ())]
    page = render(
        "recipients.html.j2",
        Front(date=date_text(made or dt.date.today())),
        file,
        n=people,
        kind=rehearsal,
        kept=kept.names if kept else (),
        columns=[(each.name, ", ".join(each.categories), unchanged) for each, unchanged in rows],
    )
    return {"for-recipients.html": page}


def released_archive(
    file: MechanismFile, answers: Dataset, kept: Dataset | None, draw: int, rehearsal: Rehearsal, *, report: Report = quiet
) -> Iterator[tuple[ReleasedTable, bytes]]:
    """Randomize answers by ``release_table``, and yield the release with its archive.

    The archive contains ``recipient_pages``.
    """
    released = release_table(file, answers, known=kept, draw=draw, rehearsal=rehearsal, report=part(report, 0, 2))
    columns = None if kept is None else kept.schema
    pages = recipient_pages(file, answers.n, kept=columns, made=released.made.date(), rehearsal=rehearsal)
    yield released, released.to_zip(pages=pages, report=part(report, 1, 2))
