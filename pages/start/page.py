"""Start: the idea, live, and the ways in."""

from pages.shared import state
from pages.start import doors, idea

work = state.current()
idea.show(work)
doors.ways_in(work)
doors.saved_project()
doors.direct()
doors.demo_tables(work)
