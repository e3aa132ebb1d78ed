"""The respondents' form: one HTML file that asks the questions, randomises the answers in the browser and hands in only the result."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from string import Template

from rrcore.asking.languages import Language, hard_spaces
from rrcore.asking.languages import language as language_of
from rrcore.asking.page import answer_promises, asset, limit, policy, question_wordings
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile

_MAX_RADIOS = 12  # most categories shown as radio buttons; more make a list to choose from

_CODE = (
    '<p class="code"><label for="code">$say_code</label> <input id="code" autocomplete="off" autocapitalize="characters" '
    'spellcheck="false" maxlength="40" aria-describedby="apart uninvited"></p>\n<p id="apart">$say_code_apart</p>\n'
    '<p id="uninvited" class="notice" role="alert" hidden></p>\n'
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
    language: str = "en",
    memory: bool = False,
    order: Sequence[str] = (),
    plain_http: bool = False,
) -> str:
    """The form for ``mechanism`` as one HTML file that needs nothing else: no server, no network, no other file.

    The respondent's true answers are randomised by assets/sampler.js, with the same integers and the same order of random bytes as
    ``rrcore.promise.sampler``, and then cleared. What is handed in is one line of JSON,
    {"mechanism": "<sha256 of the mechanism file>", "answers": {"<attribute>": "<category>", ...}}, as long for any answers as for
    any others (assets/record.js). The file's own content security policy forbids everything but its own script and style and, where given,
    requests to the origin of ``address``.

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
    order : all attributes in the order in which they are asked; empty for that of the mechanism file. How they are randomised and handed in
        does not depend on it.
    plain_http : whether ``address`` may be http at a private address of a network, such as http://192.168.1.20:8600/answers
        The form then says that whoever controls the network could have changed it. Browsers memoise nothing there.

    Raises
    ------
    InputError
        For an empty or too long text, a question about no attribute, an order that is not of all attributes, a language there are no texts
        in, or an address that is not https (or http on this computer, or as ``plain_http`` says).

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
    lang = language_of(language)
    wordings = question_wordings(mechanism, title, questions, introduction)
    origin = form_origin(address, plain_http=plain_http)
    if memory and _is_exposed(origin):
        raise InputError(
            f"Browsers memoise nothing for a page that comes over http from '{origin}': leave memory out, or use https."
        )
    style = asset("form.css")
    optional = {"memory.js": memory, "invitation.js": bool(invitations)}
    scripts = [
        asset(name) for name in ("sampler.js", "record.js", *(name for name, wanted in optional.items() if wanted), "form.js")
    ]
    return Template(asset("form.html")).substitute(
        _sentences(lang, origin, memory, bounded=None not in mechanism.certificate.levels),
        **_elements(lang, origin, memory, invitations),
        language=lang.code,
        policy=policy(style, scripts, origin),
        title=escape(title),
        introduction=f'<p class="introduction" dir="auto">{escape(introduction.strip())}</p>' if introduction.strip() else "",
        numbers="\n".join(_numbers(mechanism, wordings, lang)),
        questions="\n".join(
            _question(i, number, wordings[i], mechanism.schema.attributes[i].categories, lang)
            for number, i in enumerate(_places(mechanism, order), 1)
        ),
        sha256=mechanism.sha256,
        data=_embedded(
            {
                "mechanism": json.loads(mechanism.to_json()),
                "address": address,
                "invitations": invitations,
                "memory": memory,
                "texts": lang.sections["script"],
            }
        ),
        style=style,
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def _sentences(lang: Language, origin: str, memory: bool, *, bounded: bool) -> dict[str, str]:
    """The sentences around the questions: what is fixed, and what depends on where answers go and on what the certificate bounds."""
    way, host = "sent" if origin else "taken", f"<strong>{escape(origin.partition('://')[2])}</strong>"
    kept = "_memory" if memory else ""
    return {
        **{f"say_{key}": lang.html("form", key) for key, text in lang.sections["form"].items() if "{" not in text},
        **{f"step_{number}": lang.html("form", "step", number=str(number)) for number in (1, 2, 3)},
        "leaving": lang.html("form", f"leaves_{way}", host=host),
        "choices": lang.html("form", f"choices_{way}", host=host),
        "doubt": lang.html("form", "doubt_any" if bounded else "doubt_some"),
        "once": lang.html("form", f"once{kept}"),
        "gone": lang.html("form", f"gone{kept}"),
    }


def _elements(lang: Language, origin: str, memory: bool, invitations: str) -> dict[str, str]:
    """What only some forms have, empty in the others: a button to send, what the device remembers, a field for a code."""
    code = {f"say_{key}": lang.html("form", key) for key in ("code", "code_apart")}
    return {
        "exposed": f'<p class="notice">{lang.html("form", "exposed")}</p>' if _is_exposed(origin) else "",
        "send": f'<button type="button" id="send" class="main">{lang.html("form", "send")}</button>\n' if origin else "",
        "remembers": f"<p>{lang.html('form', 'remembers')}</p>" if memory else "",
        "forgetful": f'<p id="forgetful" class="notice" hidden>{lang.html("form", "forgetful")}</p>' if memory else "",
        "forget": _forget(lang) if memory else "",
        "code": Template(_CODE).substitute(code) if invitations else "",
    }


def form_fingerprint(form: str) -> str:
    """SHA-256 of the form as a file, in hexadecimal digits: what a respondent can compare with a published one."""
    return hashlib.sha256(form.encode("utf-8")).hexdigest()


def _forget(lang: Language) -> str:
    """The button that has the device forget, and what it says then."""
    told = f'<span id="forgotten" role="status" hidden>{lang.html("form", "forgotten")}</span>'
    button = f'<button type="button" id="forget">{lang.html("form", "forget")}</button>'
    return f'<p>{lang.html("form", "forget_when")}</p>\n<p class="buttons">{button} {told}</p>'


def form_origin(address: str, *, plain_http: bool = False) -> str:
    """Scheme, host and port of ``address``; empty for no address. Raises InputError as ``respondent_form`` does."""
    if not address:
        return ""
    found = _ADDRESS.fullmatch(address)
    if found and int(found["port"] or 0) <= 65535:
        origin = found["origin"].lower()
        if not _is_exposed(origin) or (plain_http and _in_private_network(found["host"])):
            return origin
    shown = address.rpartition("@")[2][:80]  # no password
    raise InputError(
        f"The answers cannot be sent to '{shown}': give an address that starts with https:// (http:// only for localhost), without a "
        "user name, a password, spaces or #, for example https://survey.example.org/answers."
    )


def _is_exposed(origin: str) -> bool:
    """Whether what comes from there, and goes there, can be read and changed on the way."""
    host = origin.removeprefix("http://").partition(":")[0]
    return origin.startswith("http://") and host not in ("localhost", "127.0.0.1")


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


def _numbers(mechanism: MechanismFile, wordings: list[str], lang: Language) -> Iterator[str]:
    """What the mechanism promises: what holds for every answer once, the rest once for all questions that share it, then the record."""
    own: list[tuple[str, ...]] = list(answer_promises(mechanism, lang))
    if len(own) > 1:
        common = [len(set(sentences)) == 1 for sentences in zip(*own, strict=True)]
        if everywhere := [sentence for sentence, shared in zip(own[0], common, strict=True) if shared and sentence]:
            yield _entry([lang.text("form", "each_answer")], everywhere)
        own = [tuple("" if shared else text for text, shared in zip(texts, common, strict=True)) for texts in own]
    alike: dict[tuple[str, ...], list[str]] = {}
    for wording, texts in zip(wordings, own, strict=True):
        alike.setdefault(texts, []).append(wording)
    for texts, questions in alike.items():
        if any(texts):
            yield _entry(questions, [text for text in texts if text])
    yield _entry([lang.text("form", "whole_record")], [limit("total", mechanism.certificate.total, lang)])


def _entry(terms: Sequence[str], sentences: Sequence[str]) -> str:
    text = hard_spaces(escape(" ".join(sentences), quote=False))
    return "<div>" + "".join(f'<dt dir="auto">{escape(term)}</dt>' for term in terms) + f"<dd>{text}</dd></div>"


def _places(mechanism: MechanismFile, order: Sequence[str]) -> tuple[int, ...]:
    """The positions of all attributes in the order in which they are asked."""
    names = mechanism.schema.names
    if order and sorted(order) != sorted(names):
        raise InputError("The order of the questions does not name each attribute of the mechanism file once: list all of them.")
    return tuple(map(names.index, order or names))


def _question(i: int, number: int, wording: str, categories: tuple[str, ...], lang: Language) -> str:
    missing = f'<p class="missing" id="missing{i}" hidden>{lang.html("form", "choose_one")}</p>'
    asked = f'<span>{number}.</span> <span id="wording{i}" dir="auto">{escape(wording)}</span>'
    if len(categories) > _MAX_RADIOS:
        options = "".join(f'<option value="{code}">{escape(category)}</option>' for code, category in enumerate(categories))
        return (
            f'<div class="question" id="question{i}"><label for="list{i}">{asked}</label>{missing}'
            f'<select id="list{i}" name="q{i}" required autocomplete="off" aria-describedby="missing{i}">'
            f'<option value="">{lang.html("form", "choose")}</option>{options}</select></div>'
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
