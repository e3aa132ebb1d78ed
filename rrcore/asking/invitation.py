"""Make the QR code of a form, and a page to print.

The page is in the language of the survey.
"""

import io
from collections.abc import Sequence
from html import escape
from string import Template

from rrcore.asking.languages import language
from rrcore.asking.shared_parts import asset, policy
from rrcore.errors import InputError, need
from rrcore.limits import MAX_QR_CHARACTERS
from rrcore.table.schema import Attribute

_PAGE = Template(
    '<!DOCTYPE html>\n<html lang="$language">\n<head>\n<meta charset="utf-8">\n'
    '<meta http-equiv="Content-Security-Policy" content="$policy">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>$title</title>\n<style>$style</style>\n</head>\n'
    '<body>\n<main>\n<h1 dir="auto">$title</h1>\n$introduction\n<p>$say_scan</p>\n$code\n<p class="address">$address</p>\n'
    "$protected</main>\n</body>\n</html>\n"
)


def qr_code(text: str) -> str:
    """Return a QR code (ISO/IEC 18004) for ``text`` as an SVG picture.

    The squares are black on white, with a quiet zone of four squares.

    Raises
    ------
    InputError
        If the text is empty or has more than ``MAX_QR_CHARACTERS``.

    Examples
    --------
    >>> qr_code("https://survey.example.org/")[:40]
    '<svg xmlns="http://www.w3.org/2000/svg" '
    """
    if not 0 < len(text) <= MAX_QR_CHARACTERS:
        raise InputError(
            f"A QR code holds 1 to {MAX_QR_CHARACTERS} characters, but the address has {len(text)}. Use another address."
        )
    made, out = need("segno", "A QR code").make_qr(text, error="m"), io.BytesIO()
    made.save(out, kind="svg", scale=6, border=4, light="#fff", xmldecl=False, svgns=True, nl=False)
    return out.getvalue().decode("ascii")


def invitation_page(
    address: str,
    *,
    title: str,
    introduction: str = "",
    language_code: str = "en",
    unrandomized: Sequence[Attribute] = (),
) -> str:
    """Return an HTML page to print, with the title and address of a survey.

    The page also has the introduction, a QR code, and a sentence about randomization. The sentence is omitted if some questions
    are not randomized. The form itself marks these questions.

    Parameters
    ----------
    address : address of the form for respondents
    title, introduction : texts of the survey
    language_code : key of ``rrcore.asking.LANGUAGES``
    unrandomized : as in ``respondent_form``

    Examples
    --------
    >>> "https://survey.example.org" in invitation_page("https://survey.example.org", title="Pilot")
    True
    """
    style, lang = asset("invitation.css"), language(language_code)
    about = f'<p class="introduction" dir="auto">{escape(introduction.strip())}</p>' if introduction.strip() else ""
    protected = "" if unrandomized else f"<p>{lang.html('invitation', 'protected')}</p>\n"
    return _PAGE.substitute(
        language=lang.code,
        policy=policy(style),
        title=escape(lang.title(title)),
        style=style,
        introduction=about,
        code=qr_code(address),
        address=escape(address),
        say_scan=lang.html("invitation", "scan"),
        protected=protected,
    )
