"""Documents to take away: reports before and after collection, each one HTML file, and scripts and notebooks that reproduce a page."""

from rrcore.report.after import questions_after, report_after
from rrcore.report.before import report_before
from rrcore.report.bridges import r_script, stata_do_file
from rrcore.report.closing import Closing, close_survey, closing_report
from rrcore.report.code import RANDOMISED, TRUE, notebook, script
from rrcore.report.front import BLANK, Front
from rrcore.report.handover import handover_pages
from rrcore.report.management import management_section
from rrcore.report.registration import registration
from rrcore.report.registry import registry_entry
from rrcore.report.steps import Step, TableSource, Trial, model_steps, reading_steps, trial_steps
from rrcore.report.written import Written
