"""The respondents' form: one HTML file that asks the questions, randomises the answers in the browser and hands in only the result."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from html import escape
from pathlib import Path
from string import Template

from rrcore.collect.certificate import Ratio
from rrcore.collect.document import MechanismFile
from rrcore.collect.promise import truth_told
from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT
from rrcore.wording import exact_odds_text, percent

_ASSETS = Path(__file__).parent / "assets"

_MAX_RADIOS = 12  # most categories shown as radio buttons; more make a list to choose from

_CODE = (
    '<p class="code"><label for="code">Your invitation code</label> <input id="code" autocomplete="off" autocapitalize="characters" '
    'spellcheck="false" maxlength="40" aria-describedby="uninvited"></p>\n<p id="uninvited" class="notice" role="alert" hidden></p>\n'
)

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
) -> str:
    """The form for ``mechanism`` as one HTML file that needs nothing else: no server, no network, no other file.

    The respondent's true answers are randomised by assets/sampler.js, with the same integers and the same order of random bytes as
    ``rrcore.collect.sampler``, and then cleared. What is handed in is one line of JSON,
    {"mechanism": "<sha256 of the mechanism file>", "answers": {"<attribute>": "<category>", ...}}. The file's own content security policy
    forbids everything but its own script and style and, where given, requests to the origin of ``address``.

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
        The form then asks for an invitation code before it randomises, as rrcore/collect/receiver/blind.py says, and the line has the
        field "signature" too.

    Raises
    ------
    InputError
        For an empty or too long text, a question about no attribute, or an address that is not https (or http on this computer).

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (2,), [1.0])))
    >>> form = rr.respondent_form(file, title="Pilot", questions={"smokes": "Do you smoke?"})
    >>> file.sha256 in form and "Do you smoke?" in form
    True
    """
    wordings = _wordings(mechanism, questions)
    _check_texts(
        {"title": title, "introduction": introduction} | {f"question about '{name}'": text for name, text in questions.items()}
    )
    if invitations and not address:
        raise InputError("Invitations need an address: give the one that signs them and takes the answers.")
    if not title.strip() or len(title) > MAX_TEXT:
        raise InputError(f"The title of the form has {len(title.strip())} characters: give one of 1 to {MAX_TEXT}.")
    origin = _origin(address)
    style, sampler, script = (_asset(name) for name in ("form.css", "sampler.js", "form.js"))
    invitation = _asset("invitation.js") if invitations else ""
    host = f"<strong>{escape(origin.partition('://')[2])}</strong>"
    return Template(_asset("form.html")).substitute(
        policy=_policy(style, (sampler, invitation, script) if invitations else (sampler, script), origin),
        title=escape(title),
        introduction=f'<p class="introduction" dir="auto">{escape(introduction.strip())}</p>' if introduction.strip() else "",
        leaving=(
            f"The randomised ones leave only when you press a button: as a file, as a copy, or sent to {host}."
            if origin
            else "The randomised ones leave only with you, as a file or a copy: this page cannot send anything."
        ),
        doubt=_doubt(mechanism.certificate.levels),
        numbers="\n".join(_numbers(mechanism, wordings)),
        questions="\n".join(
            _question(i, wording, attribute.categories)
            for i, (wording, attribute) in enumerate(zip(wordings, mechanism.schema.attributes, strict=True))
        ),
        choices=f"Send them to {host}, or take them with you."
        if origin
        else "Take them with you and hand them in as you were told.",
        send='<button type="button" id="send" class="main">Send</button>\n' if origin else "",
        sha256=mechanism.sha256,
        code=_CODE if invitations else "",
        data=_embedded({"mechanism": json.loads(mechanism.to_json()), "address": address, "invitations": invitations}),
        style=style,
        sampler=sampler,
        invitation=f"<script>{invitation}</script>\n" if invitations else "",
        script=script,
    )


def _wordings(mechanism: MechanismFile, questions: Mapping[str, str]) -> list[str]:
    mechanism.schema.axes(questions)
    for name, text in questions.items():
        if len(text) > MAX_TEXT:
            raise InputError(f"The question about '{name}' has {len(text)} characters: use at most {MAX_TEXT}.")
    return [questions.get(name, "").strip() or name for name in mechanism.schema.names]


def _check_texts(texts: Mapping[str, str]) -> None:
    for where, text in texts.items():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise InputError(f"The {where} holds half a character (a lone surrogate): retype it.") from None


def _origin(address: str) -> str:
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


def _policy(style: str, scripts: tuple[str, ...], origin: str) -> str:
    """The content security policy."""
    none = "'none'"
    allowed = f"script-src {' '.join(map(_hash, scripts))}; style-src {_hash(style)}; connect-src {origin or none}"
    return f"default-src {none}; {allowed}; form-action {none}; base-uri {none}"


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode('utf-8')).digest()).decode('ascii')}'"


def _embedded(data: object) -> str:
    """JSON that no HTML parser can take for markup."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _numbers(mechanism: MechanismFile, wordings: list[str]) -> Iterator[str]:
    """What the mechanism promises: what holds for every answer once, the rest once for all questions that share it, then the record."""
    truth, promise = truth_told(mechanism), mechanism.certificate
    own: list[tuple[str, ...]] = [
        (
            _told(*truth[place]),
            _shift(promise.levels[place]),
            "" if promise.leakage[place] == promise.levels[place] else _leak(promise.leakage[place]),
        )
        for place in range(len(wordings))
    ]
    if len(own) > 1:
        common = [len(set(sentences)) == 1 for sentences in zip(*own, strict=True)]
        if everywhere := [sentence for sentence, shared in zip(own[0], common, strict=True) if shared and sentence]:
            yield _entry(["Each answer"], everywhere)
        own = [tuple("" if shared else text for text, shared in zip(texts, common, strict=True)) for texts in own]
    alike: dict[tuple[str, ...], list[str]] = {}
    for wording, texts in zip(wordings, own, strict=True):
        alike.setdefault(texts, []).append(wording)
    for texts, asked in alike.items():
        if any(texts):
            yield _entry(asked, [text for text in texts if text])
    yield _entry(["The whole record"], [_total(promise.total)])


def _entry(terms: Sequence[str], sentences: Sequence[str]) -> str:
    text = " ".join(sentences).replace(" %", "&nbsp;%")
    return "<div>" + "".join(f'<dt dir="auto">{escape(term)}</dt>' for term in terms) + f"<dd>{text}</dd></div>"


def _told(least: Fraction, most: Fraction) -> str:
    low, high = percent(float(least)), percent(float(most))
    if low == high:
        return f"The reported answer is the true one {low} of the time."
    return f"The reported answer is the true one {low} to {high} of the time, depending on the true one."


def _shift(level: Ratio) -> str:
    if level is None:
        return "Some reported answers rule out certain true ones, so there is no limit to what it can give away."
    return f"Seeing this answer alone can shift anyone's odds about it by at most {exact_odds_text(level)} times."


def _leak(leakage: Ratio) -> str:
    who = "Someone who sees the whole record and already knows your other answers"
    if leakage is None:
        return f"{who} may become certain about this one."
    return f"{who} can shift their odds about this one by up to {exact_odds_text(leakage)} times."


def _total(total: Ratio) -> str:
    if total is None:
        return "Some reports rule out certain true answers, so there is no limit to what the whole record can give away."
    limit = f"at most {exact_odds_text(total)} times"
    return f"Whatever someone knows already, the whole record shifts the odds between any two people's answers by {limit}."


def _doubt(levels: tuple[Ratio, ...]) -> str:
    if None in levels:
        return "Chance may have replaced some of these answers."
    return "Any of these answers may be false: chance decided, and that protects you."


def _question(i: int, wording: str, categories: tuple[str, ...]) -> str:
    missing = f'<p class="missing" id="missing{i}" hidden>Choose an answer.</p>'
    asked = f'<span>{i + 1}.</span> <span id="wording{i}" dir="auto">{escape(wording)}</span>'
    if len(categories) > _MAX_RADIOS:
        options = "".join(f'<option value="{code}">{escape(category)}</option>' for code, category in enumerate(categories))
        return (
            f'<div class="question" id="question{i}"><label for="list{i}">{asked}</label>{missing}'
            f'<select id="list{i}" name="q{i}" required autocomplete="off" aria-describedby="missing{i}">'
            f'<option value="">Choose an answer</option>{options}</select></div>'
        )
    radios = "".join(
        f'<label class="choice"><input type="radio" name="q{i}" value="{code}" required autocomplete="off">'
        f'<span dir="auto">{escape(category)}</span></label>'
        for code, category in enumerate(categories)
    )
    return (
        f'<fieldset id="question{i}" role="radiogroup" aria-required="true" aria-describedby="missing{i}"><legend>{asked}</legend>'
        f"{missing}{radios}</fieldset>"
    )
