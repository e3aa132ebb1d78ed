"""How numbers, lists and the field's terms are put into words, the same on every page, in every report and message."""

from rrcore.wording.glossary import GLOSSARY, meaning
from rrcore.wording.numbers import (
    amount_range_text,
    amount_text,
    count_text,
    counted,
    date_text,
    exact_odds_text,
    factor_range_text,
    interval_text,
    level_text,
    minus,
    odds_text,
    p_text,
    percent,
    points,
    range_text,
    read_numbers,
    saving_text,
    share_text,
    strength_range_text,
    tick_text,
    times_text,
    total_text,
    written_total_text,
)
from rrcore.wording.quantities import EVEN_WITHIN, Kind, Quantity, quantity_target
from rrcore.wording.texts import (
    MOST_ROWS,
    and_text,
    bracketed,
    cell_label,
    csv_text,
    file_stem,
    html_table,
    legible,
    spreadsheet_safe,
    unbroken,
)
