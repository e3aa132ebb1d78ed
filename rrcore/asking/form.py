"""Make the form for respondents as one HTML file.

The form asks the questions, randomizes the answers in the browser, and submits only the randomized answers.
"""

import hashlib
import ipaddress
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from string import Template
from typing import Any

from rrcore.asking.content import Form
from rrcore.asking.languages import Language
from rrcore.asking.languages import language as language_of
from rrcore.asking.more_languages import further_texts
from rrcore.asking.questionnaire import Questionnaire
from rrcore.asking.screen_html import footer_of, interviewer_of, screens_of
from rrcore.asking.script_data import practice_data, script_texts
from rrcore.asking.shared_parts import asset, is_exposed, policy
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile

_ADDRESS = re.compile(
    r"(?P<origin>(?P<scheme>https?)://(?P<host>[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*)(:(?P<port>[0-9]{1,5}))?)"
    r"([/?][!$-\[\]-~]*)?",  # printable ASCII without quotes, # and the backslash, which browsers take for a slash
    re.IGNORECASE,
)


def respondent_form(
    mechanism: MechanismFile,
    *,
    address: str = "",
    invitations: str = "",
    sentences: Language | None = None,
    plain_http: bool = False,
    **texts: Any,
) -> str:
    """Return the form for respondents as one HTML file, which needs no server, network or other file.

    The browser randomizes true answers with the same integers and the same order of random bytes as ``rrcore.promise.sampler``, and then
    clears them. It submits one line of JSON, {"mechanism": "<sha256 of the mechanism file>", "answers": {"<attribute>": "<category>"}},
    which has the same length for all answers. The file's content security policy allows only its own script and style. If
    ``address`` is given, it also allows requests to that origin.

    Parameters
    ----------
    mechanism : MechanismFile
        How to randomize the answers.
    address : str
        URL (http or https) that receives the randomized answers, as docs/about/files.md describes. Without a URL, respondents
        download or copy their answers.
    invitations : str
        Modulus of the key that signs receipts, in hexadecimal digits (``rrcore.receiver.blind_signatures``). Empty if everybody may answer.
    sentences : Language, optional
        Texts instead of those of ``language``.
    plain_http : bool
        Whether ``address`` may use http in a private network, such as http://192.168.1.20:8600/answers. The form then warns that
        anyone who controls the network could change the form.
    **texts
        The title and optional arguments of ``Questionnaire``: introduction, questions, order, language, screens, unrandomized and
        translations.

    Returns
    -------
    str
        The HTML file.

    Raises
    ------
    InputError
        If a text, the order, the address or the language is invalid, or if options contradict each other.

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = rr.MechanismFile.from_plan(rr.Plan(schema, epsilon=1.0, n=500))
    >>> form = rr.respondent_form(file, title="Pilot", questions={"smokes": "Do you smoke?"})
    >>> file.sha256 in form and "Do you smoke?" in form
    True
    """
    asked = Questionnaire(mechanism, invited=bool(invitations), **texts)
    return form_of(asked, address=address, invitations=invitations, sentences=sentences, plain_http=plain_http)


def form_of(
    asked: Questionnaire,
    *,
    address: str,
    invitations: str,
    sentences: Language | None = None,
    plain_http: bool = False,
    first: str = "",
) -> str:
    """Return the form for a questionnaire, as ``respondent_form`` does.

    The form begins in the language ``first`` if it is available.
    """
    lang = sentences or language_of(asked.language)
    origin = form_origin(address, plain_http=plain_http)
    introduced = any(text.strip() for text in (asked.introduction, *(each.introduction for each in asked.translations.values())))
    invited = bool(invitations)
    _check(form := Form(asked.mechanism, **asked.texts, invited=invited, lang=lang, origin=origin, introduced=introduced))
    if lang.code in asked.translations:
        raise InputError(f"The survey is already in the language '{lang.code}'. Remove this translation.")
    further = [replace(form, lang=language_of(code), typed=each) for code, each in asked.translations.items()]
    return _page_of(sorted([form, *further], key=lambda each: each.lang.code != first), address, invitations)


def _check(form: Form) -> None:
    """Raise InputError if the form asks for invitations but has no address."""
    if form.invited and not form.origin:
        raise InputError("Invitations need an address. Enter the address of the server that signs them and receives the answers.")


def _page_of(forms: Sequence[Form], address: str, invitations: str) -> str:
    """Return the whole file: the page in the first language, and the texts of the other languages."""
    form, *further = forms
    style, scripts = asset("form.css"), _scripts(form, len(forms))
    screens, footer = screens_of(form), footer_of(form)
    texts = {each.lang.code: script_texts(each) for each in forms}
    for each in further:
        texts[each.lang.code]["page"] = further_texts(screens + footer, screens_of(each) + footer_of(each))
    data = _data(form) | {"address": address, "invitations": invitations, "languages": texts}
    return Template(asset("form.html")).substitute(
        language=form.lang.code,
        direction=' dir="rtl"' if form.lang.direction == "rtl" else "",
        policy=policy(style, scripts, form.origin),
        title=escape(form.translated[0]),
        status="".join(f'<meta name="translation" content="{escape(each.lang.status)}">\n' for each in forms if each.lang.status),
        languages=_picker(forms),
        interviewer=interviewer_of(form),
        screens=screens,
        footer=footer,
        data=_embedded(data),
        style=style,
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def _scripts(form: Form, languages: int) -> list[str]:
    """Return the scripts that the form needs, in order."""
    needed = {
        "invitation.js": form.invited,
        "practice.js": "practice" in form.steps,
        "next_person.js": form.screens.interviewer,
        "languages.js": languages > 1,
    }
    wanted = (name for name, is_needed in needed.items() if is_needed)
    return [asset(name) for name in ("sampler.js", "record.js", *wanted, "submission.js", "form.js")]


def _data(form: Form) -> dict[str, object]:
    """Return the data of the script, which do not depend on the language."""
    return {
        "mechanism": json.loads(form.mechanism.to_json()),
        "one_at_a_time": form.screens.one_at_a_time,
        "interviewer": form.screens.interviewer,
        "unrandomized": [{"name": each.name, "categories": each.categories} for each in form.unrandomized],
        "practice": practice_data(form),
    }


def _picker(forms: Sequence[Form]) -> str:
    """Return the selection of languages, which is empty for a single language."""
    if len(forms) == 1:
        return ""
    buttons = (
        f'<button type="button" lang="{each.lang.code}" aria-pressed="{"true" if each is forms[0] else "false"}">'
        f"{escape(each.lang.name)}</button>"
        for each in forms
    )
    return f'<p id="languages" hidden>{" ".join(buttons)}</p>\n'


def form_fingerprint(form: str) -> str:
    """Return the SHA-256 of the form as hexadecimal digits.

    Respondents can compare it with a published fingerprint.
    """
    return hashlib.sha256(form.encode("utf-8")).hexdigest()


def form_origin(address: str, *, plain_http: bool = False) -> str:
    """Return the scheme, host and port of ``address``, or an empty string.

    Raises InputError as ``respondent_form`` does.
    """
    if not address:
        return ""
    found = _ADDRESS.fullmatch(address)
    if found and int(found["port"] or 0) <= 65535:
        origin = found["origin"].lower()
        if not is_exposed(origin) or (plain_http and _in_private_network(found["host"])):
            return origin
    # an address can contain a password before the @
    shown = address.rpartition("@")[2][:80]
    raise InputError(
        f"The answers cannot be sent to '{shown}'. Use an address that starts with https:// (http:// only for localhost), without a "
        "user name, a password, spaces or #, for example https://survey.example.org/answers."
    )


def _in_private_network(host: str) -> bool:
    """Return True if only a private network leads to the address (RFC 1918, RFC 3927)."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return False


def _embedded(data: object) -> str:
    """Return JSON that can be embedded in HTML. Markup and invisible characters are escaped."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return text.translate({ord(letter): _escaped(letter) for letter in set(text) if letter in "<>&" or not letter.isprintable()})


def _escaped(letter: str) -> str:
    units = letter.encode("utf-16-be").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
