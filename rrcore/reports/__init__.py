"""Reports before and after data collection, and code that reproduces a page.

A report is one HTML file. The code is a script or a notebook.

The texts of the reports are Jinja templates in ``templates``. You can edit them without Python.
"""

from rrcore.reports.after import questions_after, report_after
from rrcore.reports.before import best_pair, report_before
from rrcore.reports.closing import Closing, close_survey, closing_report
from rrcore.reports.code import RANDOMIZED, TRUE, TableSource, Trial, analysis_code, notebook, script, trial_code
from rrcore.reports.recipients import recipient_pages, released_archive
from rrcore.reports.shared_parts import BLANK, Front
