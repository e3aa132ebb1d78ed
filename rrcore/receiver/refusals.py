"""The page that explains to a respondent why there is no form.

The page is in the language of the survey.
"""

from html import escape
from string import Template

from starlette.responses import HTMLResponse

from rrcore.asking.languages import language
from rrcore.asking.shared_parts import asset, policy

REFUSALS = {
    404: ("page", "nothing"),
    405: ("page", "nothing"),
    410: ("script", "closed"),
    423: ("script", "paused"),
    429: ("script", "too_many"),
    503: ("page", "failed"),
}
"""Status -> section and key of what is said, in every language."""

_PAGE = Template(
    '<!DOCTYPE html>\n<html lang="$language">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>$title</title>\n<style>$style</style>\n</head>\n'
    '<body>\n<header><h1 dir="auto">$title</h1></header>\n<main>\n<p>$sentence</p>\n</main>\n</body>\n</html>\n'
)


def refusal_page(title: str, code: str, status: int) -> HTMLResponse:
    """Return the page that explains one of ``REFUSALS``.

    Parameters
    ----------
    title : title of the survey
    code : code of its language
    status : int
    """
    style, lang = asset("form.css"), language(code)
    page = _PAGE.substitute(
        language=lang.code, title=escape(lang.title(title)), style=style, sentence=lang.html(*REFUSALS[status])
    )
    return HTMLResponse(page, status, headers={"Content-Security-Policy": f"{policy(style)}; frame-ancestors 'none'"})
