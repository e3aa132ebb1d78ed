"""Documents as plain values: text into dictionaries, lists, texts and numbers, and these into small typed ones, strictly."""

from rrcore.table.plain.fields import from_plain, to_plain
from rrcore.table.plain.place import Place, described
from rrcore.table.plain.text import json_text, parse
