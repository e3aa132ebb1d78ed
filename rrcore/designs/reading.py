"""How a design that a person typed is read, weights of one mechanism file or the files of two groups, and how precise and safe it is."""

import math
from dataclasses import dataclass
from fractions import Fraction

from rrcore.designs.catalogue import DESIGNS
from rrcore.designs.design import Design, LatentDesign
from rrcore.designs.estimate import design_error, formula_error
from rrcore.designs.exact import DesignChannel
from rrcore.errors import InputError
from rrcore.estimate import margin
from rrcore.estimate.uncertainty import check_people
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import Weights
from rrcore.table.schema import Attribute, Schema
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


def _numbers(design: Design, key: str, size: int, text: str) -> list[Fraction]:
    """The numbers of a typed design; of a matrix, row after row, once there is a row for each category. Raises InputError."""
    rows = design.rows(text)
    if key == "matrix" and (len(rows) != size or len({len(row) for row in rows}) > 1):
        shape = " and ".join(sorted({str(len(row)) for row in rows}))
        raise InputError(f"The matrix has {len(rows)} rows of {shape} entries: give {size} rows of {size}.")
    return [number for row in rows for number in row]


def read_group_files(design: LatentDesign, text: str, question: Attribute, *, made_by: str = "") -> tuple[MechanismFile, ...]:
    """One mechanism file for each group, with the design and the group in its note.

    Parameters
    ----------
    text : the design's numbers as a person types them
    question : Attribute with two categories, "no" first

    Raises
    ------
    InputError
        For numbers under which nothing can be estimated, or a design that one randomised question does not hold.

    Examples
    --------
    >>> from rrcore.designs import LATENT_DESIGNS
    >>> files = read_group_files(LATENT_DESIGNS["cheating"], "1/4, 3/4", Attribute("took drugs", ("no", "yes")))
    >>> files[1].note
    'Cheating detection, group 2'
    """
    if design.files is None:
        raise InputError(
            f"{design.title} has no mechanism file: each person answers a second question or twice, so ask on paper and read the counts."
        )
    if question.size != 2:
        raise InputError(f"'{question.name}' has {question.size} categories: {design.title} is for two.")
    numbers = design.numbers(text)
    groups = design.channel(numbers).groups
    return tuple(
        MechanismFile(Schema((question,)), (((0,), weights),), made_by, f"{design.title}, {group}")
        for group, weights in zip(groups, design.files(numbers), strict=True)
    )


@dataclass(frozen=True)
class Facts:
    """A design with its numbers, asked of a number of people of whom a share has the trait.

    Parameters
    ----------
    channel : DesignChannel
    people : int, split evenly where there are two groups
    share : float, how many have the trait; of a question with several answers, how many give the last one, the others alike
    errors : tuple of floats, standard error of each of the channel's quantities by the formula of the design's paper
    least : tuple of floats, the same by maximum likelihood
    openly : float, the standard error of the share where everybody answers openly and truthfully
    assumes : str, what else is taken for granted, empty where nothing
    """

    channel: DesignChannel
    people: int
    share: float
    errors: tuple[float, ...]
    least: tuple[float, ...]
    openly: float
    assumes: str

    @property
    def precision(self) -> str:
        """The first quantity's precision in a sentence, beside that of asking openly."""
        taken = f" and {self.assumes}" if self.assumes else ""
        times = f", so it takes {amount_text((self.errors[0] / self.openly) ** 2, 2)} times as many people" if self.openly else ""
        return (
            f"If {percent(self.share)} have the trait{taken}, {counted(self.people, 'person tells', 'people tell')} the share to "
            f"within {_within(self.errors[0])}; asked openly {_within(self.openly)}{times}."
        )


def design_facts(design: Design | LatentDesign, text: str, *, size: int = 2, people: int = 1_000, share: float = 0.2) -> Facts:
    """The facts of a design with typed numbers, for a question with ``size`` answers.

    Raises
    ------
    InputError
        For numbers that the design cannot have, and for no number of people or share.

    Examples
    --------
    >>> from rrcore.designs import DESIGNS
    >>> facts = design_facts(DESIGNS["warner"], "3/4")
    >>> facts.channel.level, round(facts.errors[0], 3)
    (Fraction(3, 1), 0.03)
    """
    check_people(people)
    if not 0 <= share <= 1:
        raise InputError(f"The expected share is {share:g}: give a number from 0 to 1.")
    channel, shares = design.asked(text, size=size, share=share)
    groups = [people / len(channel.groups)] * len(channel.groups)
    errors, least = (error(channel, shares, groups) for error in (formula_error, design_error))
    return Facts(channel, people, share, errors, least, math.sqrt(share * (1 - share) / people), design.assumes)


def _within(error: float) -> str:
    return Quantity("share", "a design", "the population").within(float(margin(error)))
