"""How the API reference reads docstrings: ``name : type, what it is`` on one line, where the numpy style has the text below the type."""

import re
from typing import Any

import griffe

COMMON = {
    "axes": "numbers of the attributes, from 0",
    "codes": "ndarray of shape (n, k), codes 0..a_i-1 of the categories, one row for each person",
    "confidence": "of an interval, between 0 and 1",
    "content": "the bytes of a file",
    "dark": "whether the figure stands on a dark page",
    "dataset": "table of people, one row each",
    "document": "a document that was read already, as ``json.loads`` returns it",
    "executor": "where parts of the work are done, as ``open_executor`` gives it; None for this process",
    "k": "number of attributes",
    "levels": "the level of each attribute, in nats",
    "mechanism": "how answers are randomised",
    "model": "the regression",
    "n": "number of people",
    "names": "names of attributes, in the order in which the result has them",
    "path": "where the file is",
    "people": "number of people",
    "place": "where the document comes from, which messages name",
    "plan": "levels of attributes and how their lies are coupled",
    "population": "whether errors are about the population that these people were drawn from, and not about these people alone",
    "questions": "joint distributions that are wanted, each by the names of its attributes",
    "report": "is called with the fraction done and a sentence; may raise to stop",
    "respondents": "number of people who are expected to answer; None where it is not known",
    "rng": "numpy Generator, where all chance comes from: the same one gives the same result",
    "rules": "what is to become of each column's values",
    "safeguards": "floors under accuracy and caps on what one answer gives away, where others are known",
    "schema": "the attributes and their categories",
    "sizes": "numbers of categories",
    "stream": "a table of any size, read in batches",
    "table": "a table, or the schema of one",
    "text": "the document, as text",
    "total": "record-level budget, in nats",
    "truth": "true shares, where they are known, to stand beside the estimates",
}
"""What parameters of these names are, wherever a docstring does not say more."""

_SECTION = re.compile(r"^(Parameters|Attributes|Returns|Yields)\n-+\n((?:(?!^\w[^\n]*\n-{3,}$).*\n?)*)", re.MULTILINE)
_ENTRY = re.compile(r"^(?P<names>\*{0,2}\w+(?:, \*{0,2}\w+)*) : (?P<said>.+)$")
_TYPE = re.compile(
    r"(?:(?:ndarray|array|tuple|list|dict|pair)s? of shapes? \([^)]*\)(?:, (?:u?int|float|bool)\d+)?"
    r"|(?:str|int|float|bool|bytes|Path|Fraction|callable|ndarrays?|[A-Z][a-z]+[A-Z]\w*|[A-Z][a-z]{3,}(?= of |, |: |$))"
    r"(?:(?:, | or )(?:None|str|int|float|[A-Z]\w+))*)(?:, optional)?(?=[,;:. ]|$)"
)


class Parameters(griffe.Extension):
    """Writes each entry as the reference's parser expects it, type and text apart, and adds what is common; the source stays as it is."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = apart(obj.docstring.value)

    def on_function_instance(self, *, func: griffe.Function, **_: Any) -> None:
        if func.docstring is not None:
            names = [parameter.name.lstrip("*") for parameter in func.parameters]
            func.docstring.value = complete(func.docstring.value, names)


def apart(text: str) -> str:
    """A docstring with the texts of its entries below their names and types.

    Examples
    --------
    >>> print(apart("Perturb.\\n\\nParameters\\n----------\\nn : int, how many\\nrng : where chance comes from"))
    Perturb.
    <BLANKLINE>
    Parameters
    ----------
    n : int
        how many
    rng
        where chance comes from
    """
    return _SECTION.sub(lambda found: found[0][: found.start(2) - found.start()] + _entries(found[2]), text)


def _entries(body: str) -> str:
    lines = []
    for line in body.split("\n"):
        if (found := _ENTRY.match(line)) is None:
            lines.append(line)
            continue
        names, said = found["names"], found["said"]
        kind = _TYPE.match(said)
        told = said[kind.end() :].lstrip(",;: ") if kind else said
        lines.append(f"{names} : {kind[0]}" if kind else names)
        if told := told or COMMON.get(names, ""):
            lines.append(f"    {told}")
    return "\n".join(lines)


def complete(text: str, names: list[str]) -> str:
    """A docstring, taken apart, with the texts that parameters of these names have wherever they occur.

    Examples
    --------
    >>> print(complete("The shares.\\n\\nRaises\\n------\\nInputError", ["self", "names"]))
    The shares.
    <BLANKLINE>
    Parameters
    ----------
    names
        names of attributes, in the order in which the result has them
    <BLANKLINE>
    Raises
    ------
    InputError
    """
    section = next((found for found in _SECTION.finditer(text) if found[1] == "Parameters"), None)
    lines = section[2].split("\n") if section else []
    there = {name.strip(" *") for line in lines if line[:1].strip() for name in line.partition(" : ")[0].split(",")}
    more = "".join(f"{name}\n    {COMMON[name]}\n" for name in names if name in COMMON and name not in there)
    if not more:
        return text
    if section:
        return text[: section.start(2)] + more + text[section.start(2) :]
    later = re.search(r"^(Returns|Yields|Raises|Notes|Examples)\n-{3,}$", text, re.MULTILINE)
    cut = later.start() if later else len(text)
    return f"{text[:cut].rstrip()}\n\nParameters\n----------\n{more}\n{text[cut:]}".rstrip("\n")
