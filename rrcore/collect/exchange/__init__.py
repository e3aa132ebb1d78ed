"""To and from the tools that people ask with already: forms for ODK, KoboToolbox and Enketo, and the names their exports use."""

from rrcore.collect.exchange.names import choice_names, question_names
from rrcore.collect.exchange.xlsform import RANDOMNESS, xlsform
