"""What a design of the field is: a name, its parameters, its paper, and how it turns true answers into reports."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rrcore.designs.exact import DesignChannel
from rrcore.designs.rational import Row, integers, rational_probability, shown
from rrcore.errors import InputError, check_number
from rrcore.promise.weights import MatrixWeights, Weights

Numbers = list[Fraction]
NO_YES = ("no", "yes")


@dataclass(frozen=True, kw_only=True)
class Design:
    """A design in which each person gives one randomised answer to one question, all in the same way: a mechanism file holds it.

    Parameters
    ----------
    title : str, its name on a page
    parameters : str, what its numbers are, in their order
    example : str, such numbers as a person types them
    count : int or None, how many numbers; None where that may vary
    source : str, the paper it is from
    formula : str, the paper's estimator
    story : str, one sentence for a steward: how it is done
    costs : str, one sentence: when to take it and when not
    read : what reads one number
    make : ``make(size, numbers)`` takes the number of categories and the parameters and returns the weights of a mechanism file
    binary : bool, whether it is for two categories only
    reports : ``reports(numbers)``, the names of what is reported; None where those are the categories
    scores : ``scores(numbers)``, what the paper's estimator of yes makes of each report; None: those of ``DesignChannel.error``
    """

    title: str
    parameters: str
    example: str
    count: int | None
    source: str
    formula: str
    story: str
    costs: str
    read: Callable[[str], Fraction] = rational_probability
    make: Callable[[int, Numbers], Weights]
    binary: bool = True
    reports: Callable[[Numbers], tuple[str, ...]] | None = None
    scores: Callable[[Numbers], Row | None] | None = None

    @property
    def protects(self) -> str:
        """What it gives away with the numbers of its example, in a sentence."""
        return self.asked(self.example)[0].protects

    def rows(self, text: str) -> list[Numbers]:
        """The numbers that a person typed, separated by commas, row by row; rows by semicolons. Raises InputError."""
        found = [[self.read(part) for part in row.split(",")] for row in text.strip().rstrip(";").split(";")]
        numbers = sum(len(row) for row in found)
        if self.count is not None and numbers != self.count:
            raise InputError(
                f"{numbers} numbers are given: expected {self.count} ({self.parameters}), for example {self.example}."
            )
        return found

    def numbers(self, text: str) -> Numbers:
        """The numbers that a person typed, in one list."""
        return [value for row in self.rows(text) for value in row]

    def channel(self, size: int, numbers: Numbers, categories: Sequence[str] = ()) -> DesignChannel:
        """The exact channel of the design for a question with ``size`` categories, "no" and "yes" where there are two.

        Raises
        ------
        InputError
            For numbers under which nothing can be estimated.

        Examples
        --------
        >>> from rrcore.designs import DESIGNS
        >>> DESIGNS["triangular"].channel(2, [Fraction(1, 4)]).rows[0]
        (Fraction(3, 4), Fraction(1, 4))
        """
        rows = design_rows(self.make(size, numbers))
        named = tuple(categories) or (NO_YES if size == 2 else tuple(f"category {x + 1}" for x in range(size)))
        scores = self.scores(numbers) if self.scores else None
        return DesignChannel(named, self.reported(named, len(rows[0]), numbers), rows, scores)

    def asked(self, text: str, *, size: int = 2, share: float = 0.2) -> tuple[DesignChannel, tuple[float, ...]]:
        """The channel of typed numbers for ``size`` answers, and shares of these: ``share`` for the last, the others alike.

        Raises
        ------
        InputError
            For numbers that the design cannot have.
        """
        if self.binary and size != 2:
            raise InputError(f"{self.title} is for two answers: choose k-ary randomized response or a matrix for {size}.")
        rows = self.rows(text)
        if len(rows) > 1 and (len(rows) != size or len({len(row) for row in rows}) > 1):
            raise InputError(f"The matrix has {len(rows)} rows: give one for each of {size} answers, all of one length.")
        check_number("The share", share, 0, 1)
        shares = (*((1 - share) / (size - 1),) * (size - 1), share)
        return self.channel(size, [value for row in rows for value in row]), shares

    def reported(self, categories: tuple[str, ...], width: int, numbers: Numbers) -> tuple[str, ...]:
        """The names of the ``width`` reports: the design's own, or the categories where there are as many."""
        if self.reports:
            return self.reports(numbers)
        return categories if width == len(categories) else tuple(f"report {y + 1}" for y in range(width))


def matrix_design(rows: Sequence[Sequence[Fraction]]) -> MatrixWeights:
    """Any stochastic matrix: row x, column y is the probability that the true answer x is reported as y (PRAM).

    Raises
    ------
    InputError
        If a row does not sum to 1, or the matrix cannot be undone.
    """
    for place, row in enumerate(rows, 1):
        if sum(row) != 1:
            raise InputError(f"Row {place} of the matrix sums to {shown(sum(row, Fraction(0)))}: use fractions that sum to 1.")
    whole = integers([entry for row in rows for entry in row])
    width = len(rows[0])
    return MatrixWeights(tuple(tuple(whole[i : i + width]) for i in range(0, len(whole), width)))


def design_rows(weights: Weights) -> tuple[Row, ...]:
    """The exact matrix of weights of one attribute, row x being how the true answer x is reported."""
    if len(weights.sizes) != 1:
        raise ValueError("a design randomises one attribute")
    return weights.matrix(0)


def checked(numbers: Numbers, names: str) -> Numbers:
    """Numbers that are all probabilities. Raises InputError naming them."""
    if any(not 0 <= value <= 1 for value in numbers):
        raise InputError(f"The {names} must be probabilities: {', '.join(shown(value) for value in numbers)} are given.")
    return numbers
