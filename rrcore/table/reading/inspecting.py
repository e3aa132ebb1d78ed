"""A file is read by the options that are given, and by proposals for all others."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rrcore.errors import InputError
from rrcore.progress import Report, quiet
from rrcore.table.mark import check_not_randomised
from rrcore.table.reading.columns import UnevenRowsError
from rrcore.table.reading.encoding import UncertainEncodingError
from rrcore.table.reading.exports import Export
from rrcore.table.reading.file import FirstRows, open_file
from rrcore.table.reading.guess import Proposed, guess_options, guess_refinements
from rrcore.table.reading.options import ReadOptions
from rrcore.table.reading.refining import refined
from rrcore.table.reading.text_table import TextTable


@dataclass(frozen=True, eq=False)
class InspectedFile:
    """A file that was looked at, and read as proposed.

    Parameters
    ----------
    title, kind : str, the name of the file without its ending, and what messages call it
    content : FirstRows, what it shows before it is read
    options : ReadOptions, those given and those proposed
    proposed : tuple of Proposed, why, and whether it has to be asked
    export : Export or None, what is known where a survey tool wrote the file
    table : TextTable or None, what was read; None if that is impossible as proposed
    problem : InputError or None, why it is impossible
    """

    title: str
    kind: str
    content: FirstRows
    options: ReadOptions
    proposed: tuple[Proposed, ...]
    export: Export | None = None
    table: TextTable | None = None
    problem: InputError | None = None

    @property
    def unsure(self) -> tuple[Proposed, ...]:
        """What has to be asked."""
        return tuple(each for each in self.proposed if not each.sure)


def inspect_file(data: bytes, filename: str, given: Mapping[str, Any] | None = None, *, report: Report = quiet) -> InspectedFile:
    """Read a file by the options ``given``, and by proposals for those that are not.

    Parameters
    ----------
    data, filename : as in ``open_file``
    given : fields of ``ReadOptions``, or ``fix_names``, with their values

    Raises
    ------
    InputError
        If the file cannot be looked at.
    """
    given = dict(given or {})
    if given.get("counts") == "none":
        given["counts"] = ""
    proposed: list[Proposed] = []
    try:
        file = open_file(data, filename, given.get("encoding", ""))
    except UncertainEncodingError as error:
        likeliest = next(iter(error.candidates))
        proposed.append(Proposed("encoding", likeliest, str(error), error=error))
        file = open_file(data, filename, likeliest)
    guess = guess_options(file, given)
    proposed += guess.proposed
    options = guess.options
    plain = replace(options, totals=0, counts="", weights="", missing_codes=(), decimal="")
    made = InspectedFile(file.title, file.kind, file.content, options, tuple(proposed), guess.export)
    try:
        try:
            table = file.read(plain, report)
        except UnevenRowsError as error:
            offer = f"{error} Or leave {'it' if error.rows == 1 else 'them'} out, with 'uneven' drop."
            stop = UnevenRowsError(offer, quoted=error.quoted, rows=error.rows)
            proposed.append(Proposed("uneven", "drop", str(error), error=stop))
            options, plain = replace(options, uneven="drop"), replace(plain, uneven="drop")
            table = file.read(plain, report)
        check_not_randomised(table.names, table.title)
        proposed += guess_refinements(table, given)
        wanted = {each.option: each.value for each in proposed if each.option in ("totals", "counts", "decimal")}
        options = replace(options, **wanted)
        if plain != options:
            table = refined(table, replace(options, names=()))
    except InputError as error:
        return replace(made, proposed=tuple(proposed), problem=error)
    notes = tuple(each.why for each in proposed if each.sure and each.option in ("skip", "decimal", "fix_names"))
    return replace(made, options=options, proposed=tuple(proposed), table=replace(table, notes=(*notes, *table.notes)))
