"""Release: publish a randomized table, and keep a history."""

from pages.release import history, table
from pages.shared import widgets

widgets.page("Release", {"Release a table": table.show, "History": history.show})
