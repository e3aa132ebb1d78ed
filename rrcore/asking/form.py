"""The respondents' form: one HTML file that asks the questions, randomises the answers in the browser and hands in only the result."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from string import Template
from typing import Any

from rrcore.asking.languages import language as language_of
from rrcore.asking.page import asset, policy, question_wordings
from rrcore.asking.picture import report_notes
from rrcore.asking.screens import Screens
from rrcore.asking.steps import Form, footer_of, interviewer_of, practice_data, quiz_data, screens_of
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.stages import every_wave, remembered

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
    screens: Screens = Screens(),  # noqa: B008  # it is frozen
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
    memory : whether answers are memoised, for people who are asked again (assets/memory.js)
        The device keeps one random seed, and the same true answers are then always reported in the same way.
    redrawn : how often what is remembered is replaced in every wave, such as "1/4"; empty for never
        ``mechanism`` is then that of one report (``in_two_stages``), and the device remembers by the one behind it (``remembered``).
    order : all attributes in the order in which they are asked; empty for that of the mechanism file. How they are randomised and handed in
        does not depend on it.
    screens : which screens respondents go through, and what their picture is about

    Raises
    ------
    InputError
        For an empty or too long text, a question about no attribute, an order that is not of all attributes, a language there are no texts
        in, an address that is not https (or http on this computer), or a picture about what is not in the survey.

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
    lang, origin = language_of(language), form_origin(address)
    wordings, places = question_wordings(mechanism, title, questions, introduction), _places(mechanism, order)
    form = Form(mechanism, lang, wordings, places, introduction, origin, bool(invitations), memory, bool(redrawn), screens)
    style = asset("form.css")
    optional = {
        "memory.js": memory,
        "invitation.js": bool(invitations),
        "practice.js": bool({"practice", "quiz"} & set(form.steps)),
        "handing_on.js": screens.interviewer,
    }
    wanted = (name for name, needed in optional.items() if needed)
    scripts = [asset(name) for name in ("sampler.js", "record.js", *wanted, "handing.js", "form.js")]
    return Template(asset("form.html")).substitute(
        language=lang.code,
        policy=policy(style, scripts, origin),
        title=escape(title),
        interviewer=interviewer_of(form),
        screens=screens_of(form),
        footer=footer_of(form),
        data=_embedded(
            {
                "mechanism": json.loads(mechanism.to_json()),
                "address": address,
                "invitations": invitations,
                "memory": memory,
                **({"stages": _stages(mechanism, redrawn)} if redrawn else {}),
                "one_at_a_time": screens.one_at_a_time,
                "interviewer": screens.interviewer,
                "practice": practice_data(form),
                "quiz": quiz_data(form),
                "notes": [report_notes(mechanism, i, lang) if screens.picture else [] for i in range(len(wordings))],
                "texts": lang.sections["script"],
            }
        ),
        style=style,
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


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


def form_origin(address: str) -> str:
    """Scheme, host and port of ``address``; empty for no address."""
    if not address:
        return ""
    found = _ADDRESS.fullmatch(address)
    if found and int(found["port"] or 0) <= 65535:
        private = found["host"].lower() in {"localhost", "127.0.0.1"}
        if private or found["scheme"].lower() == "https":
            return found["origin"].lower()
    shown = address.rpartition("@")[2][:80]  # no password
    raise InputError(
        f"The answers cannot be sent to '{shown}': give an address that starts with https:// (http:// only for localhost), without a "
        "user name, a password, spaces or #, for example https://survey.example.org/answers."
    )


def _embedded(data: object) -> str:
    """JSON that no HTML parser can take for markup."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _places(mechanism: MechanismFile, order: Sequence[str]) -> tuple[int, ...]:
    """The positions of all attributes in the order in which they are asked."""
    names = mechanism.schema.names
    if order and sorted(order) != sorted(names):
        raise InputError("The order of the questions does not name each attribute of the mechanism file once: list all of them.")
    return tuple(map(names.index, order or names))
