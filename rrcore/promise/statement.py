"""What a mechanism file promises, in a sentence: how often an answer is true, and how far one answer and the whole record shift odds."""

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from importlib.resources import files

from rrcore.promise.certificate import Ratio
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.wording import Quantity, percent


def stated_truthful_shares(file: MechanismFile) -> tuple[tuple[Fraction, Fraction] | None, ...]:
    """For each attribute the least and the most, over true answers, of the probability that the reported answer is the true one.

    None where its reports are not its categories.
    """
    found = {place: weights.truth(i) for places, weights in file.groups for i, place in enumerate(places)}
    both = zip(file.schema.attributes, file.reports.attributes, strict=True)
    return tuple(found[place] if asked == reported else None for place, (asked, reported) in enumerate(both))


def promise_sentence(file: MechanismFile) -> str:
    """What a mechanism file promises, in one sentence.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> from rrcore.promise import promise_sentence
    >>> promise_sentence(nigeria().mechanism)
    'Each released answer is true 83.3 % of the time, and seeing it shifts odds about it at most 5.00 times.'
    """
    truth, found = truth_sentence(file).removesuffix("."), file.certificate
    levels = [level for level in found.levels if level is not None]
    if len(levels) < len(found.levels):
        return f"{truth}, and some rule out certain true ones, so there is no limit to what they give away."
    alone = f"seeing it shifts odds about it at most {Quantity('one answer', '').times(max(levels))} times"
    if len(found.levels) == 1:
        return f"{truth}, and {alone}."
    if found.total is None:
        return f"{truth}, and {alone}; but some whole records rule out certain true ones."
    whole = f"a whole record shifts the odds between any two people's answers at most {Quantity('whole record', '').times(found.total)} times"
    return f"{truth}, and {alone}; {whole}."


def truth_sentence(file: MechanismFile) -> str:
    """How often released answers are true, in one sentence.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> truth_sentence(nigeria().mechanism)
    'Each released answer is true 83.3 % of the time.'
    """
    shares = [share for share in stated_truthful_shares(file) if share is not None]
    if not shares:
        return "What is reported is not an answer itself."
    low, high = percent(float(min(low for low, _ in shares))), percent(float(max(high for _, high in shares)))
    which = "Each released answer" if len(shares) == len(file.sizes) else "An answer that is released as such"
    return f"{which} is true {low if low == high else f'{low} to {high}'} of the time."


def check_script() -> str:
    """The script by which anybody computes a certificate anew from its mechanism file, by Python 3.9 or newer and nothing else.

    Examples
    --------
    >>> "rrcore" in check_script()
    False
    """
    return (files("rrcore.promise") / "check.py").read_text("utf-8")


def certificate_files(file: MechanismFile) -> dict[str, str]:
    """What goes with randomised answers: name of a file -> its text, of the certificate for people and for programs, and of the script that
    computes it anew.
    """
    names, certificate = file.schema.names, file.certificate
    claim = certificate.to_dict(names) | {"sha256": file.sha256}
    text = f"{certificate.text(names)}\nsha256 {file.sha256}\n"
    return {
        "certificate.txt": text,
        "certificate.json": json.dumps(claim, ensure_ascii=False, indent=1),
        "check.py": check_script(),
    }


def stated_nats(ratios: Sequence[Ratio]) -> list[float]:
    """ln of each, for a figure; infinity for no bound."""
    return [math.inf if ratio is None else math.log(ratio.numerator) - math.log(ratio.denominator) for ratio in ratios]
