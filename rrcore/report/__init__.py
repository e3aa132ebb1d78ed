"""Documents to take away: reports before and after collection, each one HTML file, and scripts and notebooks that reproduce a page."""

from rrcore.report.after import questions_after, report_after
from rrcore.report.before import report_before
from rrcore.report.closing import close_survey, closing_report
from rrcore.report.code import RANDOMISED, TRUE, notebook, script
from rrcore.report.front import BLANK, Front
from rrcore.report.handover import released_archive
from rrcore.report.steps import Step, TableSource, Trial, reading_steps, trial_steps
