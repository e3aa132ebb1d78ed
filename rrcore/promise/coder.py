"""What turns the columns of a table into codes of a mechanism file's attributes, or of what it reports."""

from __future__ import annotations

from rrcore.errors import InputError
from rrcore.promise.choice_names import choice_names
from rrcore.table.schema import Attribute, Schema
from rrcore.table.stream import Coder, Stream
from rrcore.table.stream.coder import Lookup, codes_in_batches
from rrcore.wording import spreadsheet_safe

HOW_TO_MEND = (
    "Complete such records or remove them, and where categories are groups of answers, such as 'below 1,000' or 'other', write those into "
    "the table in place of the answers; nothing was written."
)


def answers_coder(stream: Stream, reports: Schema) -> Coder:
    """What turns the columns of a stream into codes of reports."""
    names = tuple(_column(attribute, stream) for attribute in reports.attributes)
    return Coder(reports, tuple(_lookup(attribute) for attribute in reports.attributes), names)


def _column(attribute: Attribute, stream: Stream) -> str:
    for name in (attribute.name, attribute.name.strip(), spreadsheet_safe(attribute.name)):
        if name in stream.names:
            return name
        if name in stream.left_out:
            raise InputError(stream.left_out[name])
    have = ", ".join(f"'{name[:40]}'" for name in stream.names[:8])
    raise InputError(
        f"'{stream.title}' has no column '{attribute.name}', which the mechanism file asks for; it has {have}. Choose the answers and the "
        "mechanism file of the same survey.",
        quoted=have,
    )


def _lookup(attribute: Attribute) -> Lookup:
    choices = {choice: code for code, choice in enumerate(choice_names(attribute))}
    return Lookup(choices | codes_in_batches(attribute))
