"""The form for respondents, which randomizes on their device, and its languages."""

from rrcore.asking.chosen_screens import Screens
from rrcore.asking.form import form_fingerprint, respondent_form
from rrcore.asking.invitation import invitation_page, qr_code
from rrcore.asking.languages import LANGUAGES
from rrcore.asking.survey_file import SurveyFile
