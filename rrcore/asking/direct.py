"""The form's split sample: part of the people are asked directly. What chance deals them out with, and what either part reads.

A sentence or a screen for one part only stands in an element with data-arm, which the form's script takes away from the others.
"""

import json
from fractions import Fraction

from rrcore.asking.content import Form
from rrcore.errors import InputError
from rrcore.limits import MAX_DIRECTLY
from rrcore.promise.groups import direct_file, split_survey
from rrcore.promise.mechanism_file import MechanismFile

DIRECT_STEPS = ("before", "questions", "report")
"""The screens of people who are asked directly: there is nothing to practise."""


def check_directly(mechanism: MechanismFile, directly: int) -> None:
    """Raise InputError where so many of 100 people cannot be asked directly."""
    if not directly:
        return
    if not 0 < directly <= MAX_DIRECTLY:
        raise InputError(f"Of 100 people {directly} are to be asked directly: give 1 to {MAX_DIRECTLY}, or 0 for nobody.")
    split_survey(mechanism)  # which refuses what randomises nothing


def direct_data(form: Form) -> dict[str, object]:
    """What the form's script deals people out by, and the mechanism file of those who are asked directly; empty without a direct part.

    The deal is a mechanism of one attribute, so that the sampler of answers draws it too: category 0 becomes 1 for so many of 100 people.
    """
    if not form.directly:
        return {}
    weights = [str(100 - form.directly), str(form.directly)]
    deal = {
        "attributes": [{"name": "part", "categories": ["randomised", "directly"]}],
        "randomization": [{"attributes": ["part"], "matrix": [weights, weights[::-1]]}],
    }
    return {"direct": {"deal": deal, "mechanism": json.loads(direct_file(form.mechanism.schema).to_json())}}


def either(form: Form, randomised: str, directly: str, tag: str = "span") -> str:
    """HTML for each part, of which one is seen; that for the randomised alone where all are."""
    if not form.directly:
        return randomised
    first = f'<{tag} data-arm="randomised">{randomised}</{tag}>' if randomised else ""
    return f'{first}<{tag} data-arm="directly" hidden>{directly}</{tag}>'


def only_randomised(form: Form, screen: str) -> str:
    """A screen that people who are asked directly do not see."""
    return screen.replace("<section ", '<section data-arm="randomised" ', 1) if form.directly else screen


def directly_told(form: Form) -> str:
    """What people who are asked directly read before anything else: that nothing protects their answers."""
    lang, say = form.lang, form.sentences
    told = lang.html("form", "directly_told", share=lang.of_100(Fraction(form.directly, 100)))
    return f'<p class="notice">{told}</p>\n<p>{say["say_directly_why"]}</p>\n<p>{say["say_by_itself"]}</p>'


def split_told(form: Form) -> str:
    """What the others find among the exact numbers; empty without a direct part."""
    if not form.directly:
        return ""
    told = form.lang.html("form", "split_told", share=form.lang.of_100(Fraction(form.directly, 100)))
    return f"<p>{told}</p>"
