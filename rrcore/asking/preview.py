"""The form as it is seen, in a page that can do nothing: what a survey team looks at while it words the questions."""

import re
from typing import Literal

from rrcore.asking.further import in_language

Part = Literal["before", "practice", "questions", "report"]
"""What of a form is looked at: one of its screens."""

_SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
_NOTICE = re.compile(r'<p id="unready".*?</p>|<noscript>.*?</noscript>', re.DOTALL)
_POLICY = re.compile(r"script-src [^;]*; ")
_ORIGIN = re.compile(r"connect-src [^;]*; ")
_START = re.compile(r'(<button type="button" id="start" class="main") hidden')
_SECTION = re.compile(r'<section id="(\w+)"( hidden)?>')


def preview(form: str, part: Part = "questions", language: str = "") -> str:
    """The respondents' form without its scripts, as it stands at one of its steps; nothing can be sent.

    Parameters
    ----------
    form : as ``respondent_form`` or ``SurveyFile.form`` made it
    part : Part
    language : one of the further ones of the form; empty for its own

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (2,), [1.0])))
    >>> seen = preview(rr.respondent_form(file, title="Pilot", questions={"smokes": "Do you smoke?"}))
    >>> "Do you smoke?" in seen, "<script" in seen
    (True, False)
    """
    form = in_language(form, language) if language else form
    seen = _START.sub(r"\1", _NOTICE.sub("", _SCRIPT.sub("", form)))
    seen = _SECTION.sub(lambda found: f'<section id="{found[1]}"{"" if found[1] == part else " hidden"}>', seen)
    head, mark, rest = seen.partition("</head>")
    return _ORIGIN.sub("connect-src 'none'; ", _POLICY.sub("script-src 'none'; ", head, count=1), count=1) + mark + rest


def has_screen(form: str, part: Part) -> bool:
    """Whether a form has this screen: a survey team may leave some out."""
    return f'<section id="{part}"' in form
