"""A regression in the report after collection: what it found in a sentence, every coefficient, and what was said about the fit."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from rrcore.estimate.models import Fit, about_coefficients, about_effects, coefficient_texts, headline
from rrcore.report.page import html, section, table


def regression(found: Fit, randomised: Sequence[str]) -> Element:
    """The part of a report about one regression.

    Parameters
    ----------
    found : the regression, by ``fit``
    randomised : attributes whose answers were randomised; other columns of the regression are named as true
    """
    texts, known = coefficient_texts(found), columns_as_they_are(found, randomised)
    heads = list(texts[0])
    numbers = len(heads) - heads.index("Term") - 1
    return section(
        f"What goes with {found.model.outcome}",
        html("p", headline(found)),
        html("p", about_effects(found), kind="note"),
        table(f"Regression of {found.model.outcome}", heads, [list(row.values()) for row in texts], numbers=numbers),
        html("p", about_coefficients(found), kind="note"),
        *(html("p", note) for note in found.notes),
        html("p", f"Not randomised, so the regression takes their true values: {', '.join(known)}.") if known else None,
        new_page=True,
    )


def method(found: Fit) -> str:
    """How the coefficients were found, for the method of a report."""
    if found.model.family == "linear":
        return f"Effects on {found.model.outcome} solve the equations of least squares, from which the randomization was undone."
    return f"Effects on {found.model.outcome} are those under which what was reported is likeliest, the randomization included."


def columns_as_they_are(found: Fit, randomised: Sequence[str]) -> list[str]:
    """The columns of the regression that were not randomised."""
    used = [found.model.outcome, *(name for term in found.model.predictors for name in term.columns), found.model.random]
    return [name for name in dict.fromkeys(used) if name and name not in randomised]
