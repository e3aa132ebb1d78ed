"""The respondents' form: one HTML file that asks the questions, randomises the answers in the browser and hands in only the result."""

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
from rrcore.asking.further import further_texts
from rrcore.asking.languages import Language
from rrcore.asking.languages import language as language_of
from rrcore.asking.page import asset, is_exposed, policy
from rrcore.asking.questionnaire import Questionnaire
from rrcore.asking.said import practice_data, said
from rrcore.asking.steps import footer_of, interviewer_of, screens_of
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
    """The form for ``mechanism`` as one HTML file that needs nothing else: no server, no network, no other file.

    True answers are randomised by assets/sampler.js, with the same integers and the same order of random bytes as ``rrcore.promise.sampler``,
    and then cleared. What is handed in is one line of JSON, {"mechanism": "<sha256 of the mechanism file>", "answers": {"<attribute>":
    "<category>", ...}}, as long for any answers as for any others (assets/record.js). The file's own content security policy forbids
    everything but its own script and style and, where given, requests to the origin of ``address``.

    Parameters
    ----------
    mechanism : MechanismFile
    address : http(s) URL that the randomised answers can be sent to, as docs/formats.md says; empty for download and copy only
    invitations : modulus of the key that signs receipts (rrcore/receiver/blind.py), in hexadecimal digits; empty where everybody may answer
    sentences : texts of a team's own in place of those of ``language``, as ``read_sentences`` reads them
    plain_http : whether ``address`` may be http at a private address of a network, such as http://192.168.1.20:8600/answers
        The form then says that whoever controls the network could have changed it.
    texts : title, and any of introduction, questions, order, language, screens, unrandomised and translations,
        as in ``Questionnaire``

    Raises
    ------
    InputError
        For texts, an order, an address or a language that cannot be used, and for choices that exclude each other.

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (2,), [1.0])))
    >>> form = rr.respondent_form(file, title="Pilot", questions={"smokes": "Do you smoke?"})
    >>> file.sha256 in form and "Do you smoke?" in form
    True
    """
    asked = Questionnaire(mechanism, invited=bool(invitations), **texts)
    return form_of(asked, address=address, invitations=invitations, sentences=sentences, plain_http=plain_http)


def form_of(
    asked: Questionnaire, *, address: str, invitations: str, sentences: Language | None = None, plain_http: bool = False
) -> str:
    """The form for what is ``asked``, as ``respondent_form`` makes it."""
    lang = sentences or language_of(asked.language)
    origin = form_origin(address, plain_http=plain_http)
    introduced = any(text.strip() for text in (asked.introduction, *(each.introduction for each in asked.translations.values())))
    invited = bool(invitations)
    _check(form := Form(asked.mechanism, **asked.texts, invited=invited, lang=lang, origin=origin, introduced=introduced))
    if lang.code in asked.translations:
        raise InputError(f"The survey is in the language '{lang.code}' already: leave that translation out.")
    further = [replace(form, lang=language_of(code), typed=each) for code, each in asked.translations.items()]
    return _page_of([form, *further], address, invitations)


def _check(form: Form) -> None:
    """Refuse choices that exclude each other. Raises InputError."""
    if form.invited and not form.origin:
        raise InputError("Invitations need an address: give the one that signs them and takes the answers.")


def _page_of(forms: Sequence[Form], address: str, invitations: str) -> str:
    """The whole file: the first language as a page, and the texts of the others."""
    form, *further = forms
    style, scripts = asset("form.css"), _scripts(form, len(forms))
    screens, footer = screens_of(form), footer_of(form)
    texts = {each.lang.code: said(each) for each in forms}
    for each in further:
        texts[each.lang.code]["page"] = further_texts(screens + footer, screens_of(each) + footer_of(each))
    data = _data(form) | {"address": address, "invitations": invitations, "said": texts}
    return Template(asset("form.html")).substitute(
        language=form.lang.code,
        direction=' dir="rtl"' if form.lang.direction == "rtl" else "",
        policy=policy(style, scripts, form.origin),
        title=escape(form.told[0]),
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
    """The scripts that the form needs, in their order."""
    needed = {
        "invitation.js": form.invited,
        "practice.js": "practice" in form.steps,
        "handing_on.js": form.screens.interviewer,
        "languages.js": languages > 1,
    }
    wanted = (name for name, is_needed in needed.items() if is_needed)
    return [asset(name) for name in ("sampler.js", "record.js", *wanted, "handing.js", "form.js")]


def _data(form: Form) -> dict[str, object]:
    """What the script works with, whatever the language."""
    return {
        "mechanism": json.loads(form.mechanism.to_json()),
        "one_at_a_time": form.screens.one_at_a_time,
        "interviewer": form.screens.interviewer,
        "unrandomised": [{"name": each.name, "categories": each.categories} for each in form.unrandomised],
        "practice": practice_data(form),
    }


def _picker(forms: Sequence[Form]) -> str:
    """The languages to choose among; nothing where there is one."""
    if len(forms) == 1:
        return ""
    buttons = (
        f'<button type="button" lang="{each.lang.code}" aria-pressed="{"true" if each is forms[0] else "false"}">'
        f"{escape(each.lang.name)}</button>"
        for each in forms
    )
    return f'<p id="languages" hidden>{" ".join(buttons)}</p>\n'


def form_fingerprint(form: str) -> str:
    """SHA-256 of the form as a file, in hexadecimal digits: what a respondent can compare with a published one."""
    return hashlib.sha256(form.encode("utf-8")).hexdigest()


def form_origin(address: str, *, plain_http: bool = False) -> str:
    """Scheme, host and port of ``address``; empty for no address. Raises InputError as ``respondent_form`` does."""
    if not address:
        return ""
    found = _ADDRESS.fullmatch(address)
    if found and int(found["port"] or 0) <= 65535:
        origin = found["origin"].lower()
        if not is_exposed(origin) or (plain_http and _in_private_network(found["host"])):
            return origin
    shown = address.rpartition("@")[2][:80]  # no password
    raise InputError(
        f"The answers cannot be sent to '{shown}': give an address that starts with https:// (http:// only for localhost), without a "
        "user name, a password, spaces or #, for example https://survey.example.org/answers."
    )


def _in_private_network(host: str) -> bool:
    """Whether that is an address that no network but one's own leads to (RFC 1918, RFC 3927)."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return False


def _embedded(data: object) -> str:
    """JSON that no HTML parser can take for markup, in which nothing is hidden: what cannot be seen is written by its number."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return text.translate({ord(letter): _numbered(letter) for letter in set(text) if letter in "<>&" or not letter.isprintable()})


def _numbered(letter: str) -> str:
    units = letter.encode("utf-16-be").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
