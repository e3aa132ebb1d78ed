"""Collected answers of any size, counted anew for each value of a column that was not randomised."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor

from rrcore.answers.counted import CountedAnswers, further_columns
from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES
from rrcore.promise.coder import answers_coder
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.counts import Counts
from rrcore.table.mark import marks_in
from rrcore.table.schema import Attribute, Schema
from rrcore.table.stream import Coder, Stream
from rrcore.table.stream.coder import Lookup
from rrcore.table.stream.counting import count
from rrcore.table.stream.spread import work_through
from rrcore.table.stream.surveying import Found, survey_piece
from rrcore.table.values import ValueCounts
from rrcore.work import Report, part, quiet


def count_groups(
    streams: Iterable[Stream],
    mechanism: MechanismFile,
    column: str,
    marginals: Sequence[Sequence[str]],
    *,
    executor: Executor | None = None,
    report: Report = quiet,
) -> dict[str, CountedAnswers]:
    """Read collected answers of any size as counts of each group, in two passes: the values of ``column``, then the answers by them.

    Counts add up, so a column that was not randomised is one more attribute of each marginal.

    Parameters
    ----------
    streams, mechanism, executor, report : as in ``count_answers``, which tells what is wrong with the files: call it first
    column : name of a column that was not randomised; people without a value are left out
    marginals : names of attributes each, of which estimates are wanted

    Returns
    -------
    dict : value -> CountedAnswers of these marginals; its number of records is that of the marginal that most people answered

    Raises
    ------
    InputError
        If there is no such column, it has one value only or more than ``MAX_CATEGORIES``, or a marginal has too many cells with it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rrcore as rr
    >>> from rrcore.promise import MechanismFile
    >>> from rrcore.answers.countedgroups import count_groups
    >>> from rrcore.designs import read_design
    >>> from rrcore.table.stream import open_stream
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = MechanismFile(schema, (((0,), read_design("smokes", "warner", 2, "3/4")),))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = pathlib.Path(folder, "answers.csv")
    ...     _ = place.write_text("smokes,ward\\nno,1\\nyes,2\\nno,2\\n")
    ...     groups = count_groups([open_stream(place)], file, "ward", [["smokes"]])
    >>> {value: answers.counts(["smokes"]).tolist() for value, answers in groups.items()}
    {'1': [1, 0], '2': [1, 1]}
    """
    given = [(stream, answers_coder(stream, mechanism.reports)) for stream in streams]
    values = _values(given, column, executor, part(report, 0, 2))
    schema = Schema((*mechanism.reports.attributes, Attribute(column, values)))
    lookup = Lookup({value: code for code, value in enumerate(values)})
    wanted = [(*names, column) for names in marginals]
    total: Counts | None = None
    for stream, how in given:
        own = Coder(schema, (*how.lookups, lookup), (*how.names, column))
        counts = count(stream, own, wanted, executor=executor, report=part(report, 1, 2))
        total = counts if total is None else total + counts
    assert total is not None, "there is at least one stream, since it has values"
    title, found = given[0][0].title, {}
    mark = marks_in(stream.mark(mechanism.reports.names) for stream, _ in given)
    for code, value in enumerate(values):
        tables = {names[:-1]: total.tables[names][..., code] for names in wanted}
        n = max(int(table.sum()) for table in tables.values())
        if n:
            counts = Counts(mechanism.reports, n, tables, mark=mark)
            found[value] = CountedAnswers(counts, mechanism, f"{title}, {column}: {value}")
    return found


def _values(given: Sequence[tuple[Stream, Coder]], column: str, executor: Executor | None, report: Report) -> tuple[str, ...]:
    """The values of the column, in the order of numbers or texts."""
    texts: dict[str, int] = {}
    for stream, how in given:
        known = further_columns(stream, how)
        if column not in known:
            have = ", ".join(known[:20]) or "none"
            raise InputError(f"There is no column '{column}' that was not randomised: choose among {have}.", quoted=have)
        found = Found.over((column,))
        for piece in work_through(functools.partial(survey_piece, (column,)), stream, executor, report):
            found.add(piece)
        if found.texts[0] is None or len(texts := texts | found.texts[0]) > MAX_CATEGORIES:
            raise InputError(
                f"The column '{column}' has more than {MAX_CATEGORIES:,} values: choose one that makes fewer groups."
            )
    if len(texts) < 2:
        raise InputError(f"The column '{column}' makes no groups, since it has one value only: choose another.")
    return ValueCounts.of(column, texts).values
