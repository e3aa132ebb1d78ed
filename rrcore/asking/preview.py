"""Show the form to the survey team in a page without scripts."""

import re
from typing import Literal

Part = Literal["before", "practice", "questions", "report"]
"""A screen of the form."""

_SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
_NOTICE = re.compile(r'<p id="unready".*?</p>|<noscript>.*?</noscript>', re.DOTALL)
_POLICY = re.compile(r"script-src [^;]*; ")
_ORIGIN = re.compile(r"connect-src [^;]*; ")
_START = re.compile(r'(<button type="button" id="start" class="main") hidden')
_SECTION = re.compile(r'<section id="(\w+)"( hidden)?>')


def preview(form: str, part: Part = "questions") -> str:
    """Return the form at one of its steps, without its scripts.

    The preview cannot send anything.

    Parameters
    ----------
    form : HTML from ``respondent_form`` or ``SurveyFile.form``
    part : Part

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.budget import build
    >>> from rrcore.promise import integer_groups
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = rr.MechanismFile(schema, integer_groups(build("independent", (2,), [1.0])))
    >>> seen = preview(rr.respondent_form(file, title="Pilot", questions={"smokes": "Do you smoke?"}))
    >>> "Do you smoke?" in seen, "<script" in seen
    (True, False)
    """
    seen = _START.sub(r"\1", _NOTICE.sub("", _SCRIPT.sub("", form)))
    seen = _SECTION.sub(lambda found: f'<section id="{found[1]}"{"" if found[1] == part else " hidden"}>', seen)
    head, mark, rest = seen.partition("</head>")
    return _ORIGIN.sub("connect-src 'none'; ", _POLICY.sub("script-src 'none'; ", head, count=1), count=1) + mark + rest


def has_screen(form: str, part: Part) -> bool:
    """Return True if a form has this screen, which the survey team can omit."""
    return f'<section id="{part}"' in form
