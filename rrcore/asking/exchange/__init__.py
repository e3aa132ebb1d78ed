"""To and from the tools that people ask with already: forms for ODK, KoboToolbox and Enketo, and the names their exports use."""

from rrcore.asking.exchange.xlsform import RANDOMNESS, xlsform
from rrcore.promise.coder import choice_names, question_names
