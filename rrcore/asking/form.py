"""The respondents' form: one HTML file that asks the questions, randomises the answers in the browser and hands in only the result."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from string import Template
from typing import Any

from rrcore.asking.direct import check_directly, direct_data
from rrcore.asking.languages import Language
from rrcore.asking.languages import language as language_of
from rrcore.asking.page import asset, is_exposed, policy, question_wordings
from rrcore.asking.picture import report_notes
from rrcore.asking.screens import Screens
from rrcore.asking.steps import Form, footer_of, interviewer_of, practice_data, quiz_data, screens_of
from rrcore.asking.translation import AS_TYPED, Translation
from rrcore.asking.unrandomised import all_asked
from rrcore.errors import InputError
from rrcore.limits import SECONDS_A_QUESTION
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.stages import every_wave, remembered
from rrcore.table.schema import Attribute, Schema

_ADDRESS = re.compile(
    r"(?P<origin>(?P<scheme>https?)://(?P<host>[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*)(:(?P<port>[0-9]{1,5}))?)"
    r"([/?][!$-\[\]-~]*)?",  # printable ASCII without quotes, # and the backslash, which browsers take for a slash
    re.IGNORECASE,
)


def respondent_form(
    mechanism: MechanismFile,
    *,
    title: str,
    introduction: str = "",
    questions: Mapping[str, str] = {},
    address: str = "",
    invitations: str = "",
    language: str = "en",
    memory: bool = False,
    redrawn: str = "",
    order: Sequence[str] = (),
    sentences: Language | None = None,
    screens: Screens = Screens(),  # noqa: B008  # it is frozen
    unrandomised: Sequence[Attribute] = (),
    translations: Mapping[str, Translation] = {},
    directly: int = 0,
    plain_http: bool = False,
) -> str:
    """The form for ``mechanism`` as one HTML file that needs nothing else: no server, no network, no other file.

    The respondent's true answers are randomised by assets/sampler.js, with the same integers and the same order of random bytes as
    ``rrcore.promise.sampler``, and then cleared. What is handed in is one line of JSON,
    {"mechanism": "<sha256 of the mechanism file>", "answers": {"<attribute>": "<category>", ...}}, as long for any answers as for
    any others (assets/record.js). Practice and check before the questions (assets/practice.js) leave nothing. The file's own content
    security policy forbids everything but its own script and style and, where given, requests to the origin of ``address``.

    Parameters
    ----------
    mechanism : MechanismFile
    title : str, 1 to ``MAX_TEXT`` characters
    introduction : plain text above the explanation; line breaks are kept
    questions : attribute -> how it is asked, at most ``MAX_TEXT`` characters; the attribute's name where it is left out or blank
    address : http(s) URL that the respondent can send the randomised answers to; empty for download and copy only
        It receives a POST of that line as application/json, without credentials or referrer, and has to allow it for the form's origin
        (Access-Control-Allow-Origin, also in answer to OPTIONS, with Access-Control-Allow-Headers: Content-Type). The line then has the
        field "receipt" too: 64 hexadecimal digits, drawn at random, by which a line that is sent twice can be counted once.
        ``rrcore serve`` receives at such an address.
    invitations : modulus of the key that signs receipts, in hexadecimal digits; empty where everybody may answer
        The form then asks for an invitation code before it randomises, as rrcore/receiver/blind.py says, and the line has the
        field "signature" too.
    language : a key of ``rrcore.asking.LANGUAGES``, of all texts but those given here and the categories
    sentences : texts of a team's own in place of those of ``language``, as ``read_sentences`` reads them
    memory : whether answers are memoised, for people who are asked again (assets/memory.js)
        The device keeps one random seed, and the same true answers are then always reported in the same way.
    redrawn : how often what is remembered is replaced in every wave, such as "1/4"; empty for never
        ``mechanism`` is then that of one report (``in_two_stages``), and the device remembers by the one behind it (``remembered``).
    order : all attributes in the order in which they are asked; empty for that of the mechanism file. How they are randomised and handed in
        does not depend on it.
    screens : which screens respondents go through, and what their picture is about
    unrandomised : questions that are asked besides and sent as they are, in the field "unrandomised" of the line; they are marked
    translations : language -> what was typed, in that language; the form begins in that of the browser, if it is among them
    directly : int from 0 to ``MAX_DIRECTLY``: of 100 people so many are asked directly, by chance and before anything is shown
        Their answers are handed in as they are, by the file of ``direct_file``, and nothing protects them, which the form says first.
    plain_http : whether ``address`` may be http at a private address of a network, such as http://192.168.1.20:8600/answers
        The form then says that whoever controls the network could have changed it. Browsers memoise nothing there.

    Raises
    ------
    InputError
        For an empty or too long text, a question about no attribute, an order that is not of all attributes, a language there are no texts
        in, an address that is not https (or http on this computer, or as ``plain_http`` says), or a
        picture about what is not in the survey.

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (2,), [1.0])))
    >>> form = rr.respondent_form(file, title="Pilot", questions={"smokes": "Do you smoke?"})
    >>> file.sha256 in form and "Do you smoke?" in form
    True
    """
    if invitations and not address:
        raise InputError("Invitations need an address: give the one that signs them and takes the answers.")
    if redrawn and not memory:
        raise InputError(
            "Only what is remembered can be redrawn: choose memoised answers as well, or leave out how often it is redrawn."
        )
    if memory and screens.interviewer:
        raise InputError("A device that is handed on cannot memoise one person's answers: choose the one or the other.")
    check_directly(mechanism, directly, memory=memory)
    asked, origin = all_asked(mechanism.schema, unrandomised), form_origin(address, plain_http=plain_http)
    if memory and is_exposed(origin):
        raise InputError(
            f"Browsers memoise nothing for a page that comes over http from '{origin}': leave memory out, or use https."
        )
    places = tuple(place for place in _places(asked, order) if asked.names[place] not in screens.filled)

    def form_in(lang: Language, typed: Translation) -> Form:
        """The form in one language."""
        typed.check(lang.code, asked.attributes)
        told, above, wordings = typed.over(title, introduction, questions)
        said = lang, question_wordings(asked, told, wordings, above), tuple(map(typed.shown, asked.attributes))
        return Form(
            mechanism,
            *said,
            places,
            told,
            above,
            origin,
            invited=bool(invitations),
            memory=memory,
            redrawn=bool(redrawn),
            screens=screens,
            unrandomised=tuple(unrandomised),
            directly=directly,
        )

    form = form_in(sentences or language_of(language), AS_TYPED)
    if form.lang.code in translations:
        raise InputError(f"The survey is in the language '{form.lang.code}' already: leave that translation out.")
    forms = [form, *(form_in(language_of(code), typed) for code, typed in translations.items())]
    style = asset("form.css")
    optional = {
        "memory.js": memory,
        "invitation.js": bool(invitations),
        "practice.js": bool({"practice", "quiz"} & set(form.steps)),
        "handing_on.js": screens.interviewer,
        "languages.js": bool(translations),
    }
    wanted = (name for name, needed in optional.items() if needed)
    scripts = [asset(name) for name in ("sampler.js", "record.js", *wanted, "handing.js", "form.js")]
    return Template(asset("form.html")).substitute(
        language=form.lang.code,
        direction=' dir="rtl"' if form.lang.direction == "rtl" else "",
        policy=policy(style, scripts, origin),
        title=escape(title),
        status="".join(f'<meta name="translation" content="{escape(each.lang.status)}">\n' for each in forms if each.lang.status),
        languages=_picker(forms),
        interviewer=interviewer_of(form),
        screens=screens_of(form),
        footer=footer_of(form),
        translations="".join(map(_template, forms[1:])),
        data=_embedded(
            {
                "mechanism": json.loads(mechanism.to_json()),
                "address": address,
                "invitations": invitations,
                "memory": memory,
                **({"stages": _stages(mechanism, redrawn)} if redrawn else {}),
                "one_at_a_time": screens.one_at_a_time,
                "interviewer": screens.interviewer,
                "unrandomised": [{"name": each.name, "categories": each.categories} for each in unrandomised],
                "filled": form.filled,
                "seconds": SECONDS_A_QUESTION,
                "said": {each.lang.code: _said(each) for each in forms},
                **direct_data(form),
            }
        ),
        style=style,
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def _said(form: Form) -> dict[str, object]:
    """What the script says in one language."""
    mechanism, lang = form.mechanism, form.lang
    randomised = range(len(mechanism.schema.names))
    notes = [report_notes(mechanism, i, lang, form.shown[i]) if form.screens.picture else [] for i in randomised]
    reported = zip(mechanism.schema.attributes, mechanism.reports.attributes, form.shown, strict=False)
    shown = [own if report == asked else report.categories for asked, report, own in reported]
    return {
        "practice": practice_data(form),
        "quiz": quiz_data(form),
        "notes": [*notes, *([lang.text("form", "sent_as_is")] for _ in form.unrandomised)],
        "shown": [*shown, *form.shown[len(shown) :]],
        "filled": [form.wordings[place] for place in form.filled.values()],
        **({"asIs": form.shown} if form.directly else {}),
        "texts": lang.sections["script"],
    }


def _picker(forms: Sequence[Form]) -> str:
    """The languages to choose among; nothing where there is one."""
    if len(forms) == 1:
        return ""
    names = [(form.lang, "true" if form is forms[0] else "false") for form in forms]
    buttons = (
        f'<button type="button" lang="{own.code}" aria-pressed="{own_first}">{escape(own.name)}</button>'
        for own, own_first in names
    )
    return f'<p id="languages" hidden>{" ".join(buttons)}</p>\n'


def _template(form: Form) -> str:
    """All that is shown, in a further language: inert until it is chosen."""
    title, lang = escape(form.title), form.lang
    page = f'<h1 dir="auto">{title}</h1>\n<main>\n{screens_of(form)}\n</main>\n<footer>\n{footer_of(form)}\n</footer>'
    return f'<template data-language="{lang.code}" data-direction="{lang.direction}">\n{page}\n</template>\n'


def _stages(mechanism: MechanismFile, redrawn: str) -> dict[str, Any]:
    """What is drawn once and remembered, and what is drawn in every wave."""
    probability = redrawn_probability(redrawn)
    both = (remembered(mechanism, probability), every_wave(mechanism, probability))
    return dict(zip(("remembered", "every_wave"), (json.loads(each.to_json()) for each in both), strict=True))


def redrawn_probability(text: str) -> Fraction:
    """The probability that a text such as "1/4" says. Raises InputError for any other text."""
    if not re.fullmatch(r"[0-9]{1,6}/[0-9]{1,6}", text) or not 0 < int(text.partition("/")[0]) < int(text.partition("/")[2]):
        raise InputError(
            f"'{text[:40]}' does not say how often an answer is redrawn: write a fraction between 0 and 1, such as 1/4."
        )
    return Fraction(text)


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
    """JSON that no HTML parser can take for markup."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _places(asked: Schema, order: Sequence[str]) -> tuple[int, ...]:
    """The positions of all attributes in the order in which they are asked."""
    names = asked.names
    if order and sorted(order) != sorted(names):
        raise InputError("The order of the questions does not name each attribute once: list all of them.")
    return tuple(map(names.index, order or names))
