"""How numbers, lists and the field's terms are put into words, the same on every page, in every report and message."""

from rrcore.wording.glossary import GLOSSARY, PLACES, RETIRED, meaning
from rrcore.wording.quantities import Kind, Quantity, Target, against
from rrcore.wording.texts import (
    MOST_ROWS,
    amount_range_text,
    amount_text,
    cell_label,
    count_text,
    counted,
    csv_text,
    date_text,
    exact_odds_text,
    file_stem,
    html_table,
    interval_text,
    legible,
    level_text,
    odds_text,
    percent,
    points,
    range_text,
    read_numbers,
    saving_text,
    share_text,
    signed_points,
    spreadsheet_safe,
    tick_text,
    times_text,
    total_text,
    unbroken,
    written_total_text,
)
