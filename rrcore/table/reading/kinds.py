"""Which types of Arrow and Parquet are answers, and as what texts: a column of any other type is left out, with a sentence that says why."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_TRUTH = "arrow.bool8"
_KNOWN = {"arrow.uuid": "UUIDs", "arrow.json": "JSON documents"}


def why_left_out(name: str, field: Any) -> str:
    """Why a column of the type of ``field`` cannot be read, in a sentence; empty where it can, unless it holds bytes that are not text.

    Texts of an extension type are read as they are written, JSON apart; what its numbers mean only the program knows that made it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from rrcore.table.reading.kinds import why_left_out
    >>> why_left_out("id", pa.field("id", pa.uuid()))
    "Column 'id' holds UUIDs, texts or numbers were expected. Convert it, or leave it out."
    """
    kind = plain(field.type)
    made = (field.metadata or {}).get(b"ARROW:extension:name", b"").decode(errors="replace")
    if isinstance(kind, pa.BaseExtensionType):
        made, kind = kind.extension_name, plain(kind.storage_type)
    if made in _KNOWN:
        return _other(name, _KNOWN[made])
    if pa.types.is_union(kind):
        return _other(name, "values of several types")
    if pa.types.is_nested(kind):
        return f"Column '{name}' holds lists or records, one value per cell was expected. Leave it out."
    if made and made != _TRUTH and not is_text(kind):
        return _other(name, f"values of the type '{made[:60]}'")
    try:
        arrow_texts(flat(pa.array([0], pa.int64()).cast(kind) if pa.types.is_timestamp(kind) else pa.nulls(1, kind)))
    except (pa.ArrowException, TypeError, ValueError):
        if pa.types.is_timestamp(kind):
            return (
                f"Column '{name}' has the time zone '{str(kind.tz)[:60]}', which is not known here. Convert it, or leave it out."
            )
        return _other(name, f"values of the type '{str(kind)[:60]}'")
    return ""


def bytes_left_out(name: str) -> str:
    """Why a column is left out whose bytes are not text."""
    return f"Column '{name}' holds bytes that are not text. Convert it, or leave it out."


def flat(values: Any) -> Any:
    """``values`` in a type that Arrow can encode as a dictionary: without runs of equal ones, extension types or short decimals."""
    kind = values.type
    if pa.types.is_run_end_encoded(kind):
        return flat(pc.run_end_decode(values))
    if isinstance(kind, pa.BaseExtensionType):
        return pc.not_equal(values.storage, 0) if kind.extension_name == _TRUTH else flat(values.storage)
    if pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        return values.cast(pa.decimal128(kind.precision, kind.scale))
    return values


def arrow_texts(values: Any) -> Any:
    """Arrow values of a ``flat`` type as texts, written as the cells of a workbook are; durations in seconds.

    Raises
    ------
    pyarrow.ArrowException
        For bytes that are not UTF-8 text, and for any type that is left out.
    """
    kind = values.type
    if pa.types.is_boolean(kind):
        return pc.if_else(values, "TRUE", "FALSE")
    if pa.types.is_floating(kind):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, kind), values)
        texts = values.cast(pa.string())
        if kind == pa.float64():  # where it was in single precision before, as few digits as there
            single = values.cast(pa.float32(), safe=False)
            was = pc.and_(pc.equal(single.cast(kind), values), pc.not_equal(pc.floor(values), values))
            texts = pc.if_else(was, single.cast(pa.string()), texts)
        return pc.if_else(pc.equal(texts, "-0"), "0", texts)
    if pa.types.is_duration(kind):
        seconds = values.cast(pa.int64()).cast(pa.decimal128(38, 0)).view(pa.decimal128(38, _UNITS[kind.unit]))
        return pc.replace_substring_regex(seconds.cast(pa.string()), r"\.0+$|(\.\d*[1-9])0+$", r"\1")
    if pa.types.is_fixed_size_binary(kind) or pa.types.is_binary_view(kind):
        values = values.cast(pa.binary())
    texts = values.cast(pa.string())
    texts.validate(full=True)
    if pa.types.is_decimal(kind) or pa.types.is_temporal(kind):
        texts = pc.replace_substring_regex(pc.replace_substring_regex(texts, r"\.0+$", ""), " 00:00:00$", "")
    return texts


def plain(kind: Any) -> Any:
    """The type of the values themselves, whether a dictionary or runs of equal ones keep them."""
    while pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        kind = kind.value_type
    return kind


def is_text(kind: Any) -> bool:
    """Whether values of that type are texts, whichever way they are kept."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _other(name: str, what: str) -> str:
    return f"Column '{name}' holds {what}, texts or numbers were expected. Convert it, or leave it out."
