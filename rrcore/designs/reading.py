"""How a design that a person typed is read, as weights of a mechanism file, and how precise and safe it is."""

import math
from dataclasses import dataclass

from rrcore.designs.catalogue import DESIGNS
from rrcore.designs.design import Design, Numbers
from rrcore.designs.exact import DesignChannel
from rrcore.errors import InputError
from rrcore.estimate import margin
from rrcore.promise.weights import Weights
from rrcore.table.schema import Attribute
from rrcore.wording import Quantity, amount_text, counted, percent


def read_design(name: str, key: str, size: int, text: str) -> Weights:
    """The weights of a design typed by a person.

    Parameters
    ----------
    name : the attribute's name, for messages
    key : a key of ``DESIGNS``
    size : number of categories
    text : the parameters, separated by commas; the rows of a matrix by semicolons

    Raises
    ------
    InputError
        Naming the attribute.

    Examples
    --------
    >>> read_design("smokes", "forced", 2, "2/3, 1/6, 1/6").rows
    ((5, 1), (1, 5))
    """
    if key not in DESIGNS:
        raise InputError(f"There is no design '{key}' (asked for '{name}'): choose among {', '.join(DESIGNS)}.")
    design = DESIGNS[key]
    if design.binary and size != 2:
        raise InputError(
            f"'{name}' has {size} categories: {design.title} is for two, so choose k-ary randomized response or a matrix."
        )
    try:
        return design.make(size, _numbers(design, key, size, text))
    except InputError as error:
        raise InputError(f"Design of '{name}': {error}") from None


def read_question(attribute: Attribute, key: str, text: str) -> tuple[Weights, Attribute]:
    """The weights of a typed design and what is reported: the attribute itself, or one of its name with the design's own reports.

    Raises
    ------
    InputError
        Naming the attribute.

    Examples
    --------
    >>> weights, reported = read_question(Attribute("smokes", ("no", "yes")), "kuk", "3/4, 1/4, 2")
    >>> reported.categories
    ('0 red', '1 red', '2 red')
    """
    weights = read_design(attribute.name, key, attribute.size, text)
    design = DESIGNS[key]
    numbers = _numbers(design, key, attribute.size, text)
    reports = design.reported(attribute.categories, weights.report_sizes[0], numbers)
    return weights, attribute if reports == attribute.categories else Attribute(attribute.name, reports)


def _numbers(design: Design, key: str, size: int, text: str) -> Numbers:
    """The numbers of a typed design; of a matrix, row after row, once there is a row for each category. Raises InputError."""
    rows = design.rows(text)
    if key == "matrix" and (len(rows) != size or len({len(row) for row in rows}) > 1):
        shape = " and ".join(sorted({str(len(row)) for row in rows}))
        raise InputError(f"The matrix has {len(rows)} rows of {shape} entries: give {size} rows of {size}.")
    return [number for row in rows for number in row]


@dataclass(frozen=True)
class Facts:
    """A design with its numbers, asked of a number of people of whom a share has the trait.

    Parameters
    ----------
    channel : DesignChannel
    people : int
    share : float, how many have the trait; of a question with several answers, how many give the last one, the others alike
    error : float, standard error of that share by the formula of the design's paper
    openly : float, the standard error of the share where everybody answers openly and truthfully
    """

    channel: DesignChannel
    people: int
    share: float
    error: float
    openly: float

    @property
    def precision(self) -> str:
        """The share's precision in a sentence, with that of asking openly."""
        times = f", so it takes {amount_text((self.error / self.openly) ** 2, 2)} times as many people" if self.openly else ""
        return (
            f"If {percent(self.share)} have the trait, {counted(self.people, 'person tells', 'people tell')} the share to "
            f"within {_within(self.error)}; asked openly {_within(self.openly)}{times}."
        )


def design_facts(design: Design, text: str, *, size: int = 2, people: int = 1_000, share: float = 0.2) -> Facts:
    """The facts of a design with typed numbers, for a question with ``size`` answers.

    Raises
    ------
    InputError
        For numbers that the design cannot have, and for no number of people or share.

    Examples
    --------
    >>> from rrcore.designs import DESIGNS
    >>> facts = design_facts(DESIGNS["warner"], "3/4")
    >>> facts.channel.level, round(facts.error, 3)
    (Fraction(3, 1), 0.03)
    """
    if not 0 <= share <= 1:
        raise InputError(f"The expected share is {share:g}: give a number from 0 to 1.")
    channel, shares = design.asked(text, size=size, share=share)
    return Facts(channel, people, share, channel.error(shares, people), math.sqrt(share * (1 - share) / people))


def _within(error: float) -> str:
    return Quantity("share", "a design", "the population").within(float(margin(error)))
