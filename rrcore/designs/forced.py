"""Designs in which some people answer something else: forced response, and an unrelated question whose share of yes is known."""

from __future__ import annotations

from fractions import Fraction

from rrcore.designs.design import Design, matrix
from rrcore.errors import InputError
from rrcore.promise.weights import MatrixWeights


def forced_response(truth: Fraction, yes: Fraction, no: Fraction) -> MatrixWeights:
    """Answer truthfully with probability ``truth``; say yes or no whatever is true with probabilities ``yes`` and ``no``.

    The first category is "no", the second one "yes".
    """
    if truth + yes + no != 1:
        raise InputError(f"The probabilities {truth}, {yes} and {no} sum to {truth + yes + no}: make them sum to 1.")
    return matrix([[truth + no, yes], [no, truth + yes]])


def unrelated_question(sensitive: Fraction, prevalence: Fraction) -> MatrixWeights:
    """With probability ``sensitive`` the sensitive question is answered, else an unrelated one to which a share ``prevalence`` answers yes.

    The first category is "no", the second one "yes" (Greenberg et al. 1969, known prevalence).
    """
    other = 1 - sensitive
    return forced_response(sensitive, other * prevalence, other * (1 - prevalence))


FORCED = {
    "forced": Design(
        title="Forced response",
        parameters="truthful answer, forced yes, forced no",
        example="2/3, 1/6, 1/6",
        count=3,
        make=lambda _, p: forced_response(*p),
        source="Boruch (1971), Assuring confidentiality of responses in social research, American Sociologist 6, 308-311",
        formula="share = (yes - forced yes) / truthful",
        story="The person throws a die unseen: 1 means say no, 6 means say yes, anything else means answer truthfully.",
        costs="Easy to explain and precise; some people refuse to say a forced yes, which makes the share come out too low.",
    ),
    "unrelated": Design(
        title="Unrelated question",
        parameters="sensitive question, share of yes answers to the unrelated one",
        example="2/3, 1/4",
        count=2,
        make=lambda _, p: unrelated_question(*p),
        source="Horvitz, Shah and Simmons (1967); Greenberg, Abul-Ela, Simmons and Horvitz (1969), The unrelated question "
        "randomized response "
        "model, JASA 64, 520-539",
        formula="share = (yes - (1 - p) u) / p",
        story="A card, seen by the person only, asks the sensitive question or a harmless one, such as 'Were you born in "
        "July?', and the "
        "person answers yes or no.",
        costs="The level holds against people who do not know the harmless answer; whoever knows it can rule out more.",
    ),
}
