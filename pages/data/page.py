"""Data: a table or questions, and what each column becomes."""

from pages.data import questions, table
from pages.shared import widgets

widgets.page("Data", {"Table": table.show, "Describe questions": questions.show})
