"""Demo tables: three published cross tables, person by person, and an invented census of the size of real ones."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from types import MappingProxyType

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_ROWS
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Attribute, Schema

INVENTED = "Invented answers"
"""What such answers are called, so that whatever is made of them can say so."""

TOGETHER = 0.4
"""Share of answers that follow what people have in common; the others are drawn on their own."""


@dataclass(frozen=True)
class Demo:
    """A demo table: its title, one line about it, where the numbers come from, and the function that makes it."""

    title: str
    description: str
    source: str
    build: Callable[[], Dataset]


def load_demo(key: str) -> Dataset:
    """The demo table that ``key`` names in ``DEMOS``; the same records at every call.

    Raises
    ------
    InputError
        If there is no such demo; the known ones are listed.

    Examples
    --------
    >>> import rrcore as rr
    >>> rr.load_demo("titanic").schema.names
    ('Class', 'Sex', 'Age', 'Survived')
    """
    if key not in DEMOS:
        raise InputError(f"There is no demo '{key}': choose among {', '.join(DEMOS)}.")
    return DEMOS[key].build()


def _from_counts(title: str, attributes: tuple[Attribute, ...], counts: tuple[int, ...]) -> Dataset:
    """One record per person from the counts of a cross table, the first attribute running fastest."""
    sizes = tuple(attribute.size for attribute in attributes)
    cells = np.stack(np.unravel_index(np.arange(len(counts)), sizes, order="F"), axis=1)
    return Dataset(Schema(attributes), np.repeat(cells, counts, axis=0), title)


@cache
def _titanic() -> Dataset:
    attributes = (
        Attribute("Class", ("1st", "2nd", "3rd", "Crew"), "ordinal"),
        Attribute("Sex", ("Male", "Female")),
        Attribute("Age", ("Child", "Adult"), "ordinal"),
        Attribute("Survived", ("No", "Yes")),
    )
    died = (0, 0, 35, 0, 0, 0, 17, 0, 118, 154, 387, 670, 4, 13, 89, 3)
    lived = (5, 11, 13, 0, 1, 13, 14, 0, 57, 14, 75, 192, 140, 80, 76, 20)
    return _from_counts("Titanic", attributes, died + lived)


@cache
def _berkeley() -> Dataset:
    attributes = (
        Attribute("Admit", ("Admitted", "Rejected")),
        Attribute("Gender", ("Male", "Female")),
        Attribute("Dept", ("A", "B", "C", "D", "E", "F")),
    )
    departments = (
        (512, 313, 89, 19),
        (353, 207, 17, 8),
        (120, 205, 202, 391),
        (138, 279, 131, 244),
        (53, 138, 94, 299),
        (22, 351, 24, 317),
    )
    return _from_counts("Berkeley admissions", attributes, tuple(count for department in departments for count in department))


@cache
def _haireye() -> Dataset:
    attributes = (
        Attribute("Hair", ("Black", "Brown", "Red", "Blond")),
        Attribute("Eye", ("Brown", "Blue", "Hazel", "Green")),
        Attribute("Sex", ("Male", "Female")),
    )
    men = (32, 53, 10, 3, 11, 50, 10, 30, 10, 25, 7, 5, 3, 15, 7, 8)
    women = (36, 66, 16, 4, 9, 34, 7, 64, 5, 29, 7, 5, 2, 14, 7, 8)
    return _from_counts("Hair and eye colour", attributes, men + women)


CENSUS_SHARES: MappingProxyType[str, MappingProxyType[str, int]] = MappingProxyType({
    name: MappingProxyType(shares)
    for name, shares in {
        "work class": {
            "never worked": 40, "unpaid family work": 60, "looking for work": 520, "private company": 6480,
            "local government": 640, "state government": 410, "national government": 350, "self-employed": 1080,
            "company owner": 420,
        },
        "education": {
            "no schooling": 25, "grades 1-2": 45, "grades 3-4": 90, "grades 5-6": 170, "grade 7": 190, "grade 8": 240,
            "grade 9": 300, "grade 10": 380, "grade 11": 400, "secondary certificate": 3060, "some college": 2150,
            "vocational degree": 700, "associate degree": 420, "bachelor": 1280, "master": 430, "doctorate": 120,
        },
        "marital status": {
            "never married": 3080, "separated": 340, "divorced": 1290, "widowed": 350, "married, living apart": 190,
            "registered partnership": 450, "married": 4300,
        },
        "occupation": {
            "not stated": 480, "household service": 60, "farming and fishing": 330, "cleaning and handling": 520,
            "machine operation": 700, "transport": 560, "other service": 960, "construction": 640, "craft and repair": 980,
            "clerical": 1180, "sales": 1100, "protective service": 220, "technical support": 340, "management": 1020,
            "professional": 910,
        },
        "relationship": {
            "child of the household": 1480, "other relative": 350, "single parent": 1020, "living alone": 2560,
            "second of a couple": 760, "first of a couple": 3830,
        },
        "origin": {"islands": 95, "overseas": 260, "neighbouring country": 745, "south": 2100, "north": 6800},
        "sex": {"female": 4700, "male": 5300},
        "income": {"low or middle": 7700, "high": 2300},
    }.items()
})  # fmt: skip
"""Population shares of the census demo in parts of 10,000: attribute -> category -> share. Invented."""

CENSUS_CORRELATION: Floats = np.array([
    # work  educ  marit occup relat origi sex   income
    [1.00, 0.20, 0.15, 0.35, 0.15, 0.05, 0.12, 0.25],
    [0.20, 1.00, 0.08, 0.55, 0.10, 0.15, 0.02, 0.45],
    [0.15, 0.08, 1.00, 0.12, 0.70, 0.05, 0.15, 0.45],
    [0.35, 0.55, 0.12, 1.00, 0.15, 0.10, -0.15, 0.40],
    [0.15, 0.10, 0.70, 0.15, 1.00, 0.05, 0.45, 0.45],
    [0.05, 0.15, 0.05, 0.10, 0.05, 1.00, 0.00, 0.10],
    [0.12, 0.02, 0.15, -0.15, 0.45, 0.00, 1.00, 0.30],
    [0.25, 0.45, 0.45, 0.40, 0.45, 0.10, 0.30, 1.00],
])  # fmt: skip
"""Correlations of the eight normal scores behind the census demo: ndarray of shape (8, 8), positive definite. Invented."""
CENSUS_CORRELATION.flags.writeable = False

_CENSUS_PEOPLE = 32_561
_CENSUS_SEED = 20_240_229


@cache
def _census() -> Dataset:
    """A Gaussian copula: each person has eight normal scores with the correlations above, and score i falls into category c of
    attribute i between the normal quantiles of the cumulated shares before and after c."""
    rng = np.random.default_rng(_CENSUS_SEED)
    scores = rng.standard_normal((_CENSUS_PEOPLE, len(CENSUS_SHARES))) @ np.linalg.cholesky(CENSUS_CORRELATION).T
    attributes, codes = [], np.empty(scores.shape, dtype=np.int32)
    for i, (name, shares) in enumerate(CENSUS_SHARES.items()):
        cuts = [NormalDist().inv_cdf(total / 10_000) for total in np.cumsum(list(shares.values()))[:-1].tolist()]
        codes[:, i] = np.searchsorted(cuts, scores[:, i])
        attributes.append(Attribute(name, tuple(shares), "ordinal" if name in ("education", "income") else "nominal"))
    return Dataset(Schema(tuple(attributes)), codes, "Invented census")


DEMOS: dict[str, Demo] = {
    "titanic": Demo(
        "Titanic",
        "Who survived, by class, sex and age: 2,201 people, 4 attributes.",
        "Dawson (1995), Journal of Statistics Education 3(3), from the report of the British Board of Trade (1912)",
        _titanic,
    ),
    "berkeley": Demo(
        "Berkeley admissions",
        "Who was admitted, by gender and department: 4,526 applicants, 3 attributes.",
        "Bickel, Hammel and O'Connell (1975), Science 187, 398-404",
        _berkeley,
    ),
    "haireye": Demo(
        "Hair and eye colour",
        "Hair colour, eye colour and sex of 592 statistics students, 3 attributes.",
        "Snee (1974), The American Statistician 28, 9-12",
        _haireye,
    ),
    "census": Demo(
        "Invented census",
        "Work, education, household and income of 32,561 invented people, 8 attributes with 2 to 16 categories.",
        "Invented for this workbench: a Gaussian copula with a fixed seed; no real person or census behind it",
        _census,
    ),
}
"""The demo tables by key, in the order in which a page lists them."""


def invented_answers(schema: Schema, people: int, *, rng: np.random.Generator) -> Dataset:
    """Invented people who answer every question of ``schema``, so that a plan can be tried: nothing is to be learned from them.

    The answers of an attribute are as common as 1 / 2, 1 / 3, 1 / 4 and so on, in an order that is drawn. Every person has one hidden
    number; ``TOGETHER`` of the answers are read off it, in the order of the categories, so that all attributes go together.

    Parameters
    ----------
    schema : what is asked
    people : int, 1 to MAX_ROWS
    rng : numpy.random.Generator

    Examples
    --------
    >>> import numpy as np, rrcore as rr
    >>> table = invented_answers(rr.load_demo("titanic").schema, 500, rng=np.random.default_rng(0))
    >>> table.n, table.schema.names, table.title
    (500, ('Class', 'Sex', 'Age', 'Survived'), 'Invented answers')
    """
    if not 1 <= people <= MAX_ROWS:
        raise InputError(f"{people:,} people are asked for: give a number from 1 to {MAX_ROWS:,}.")
    hidden = rng.random(people)
    codes = np.empty((people, len(schema.attributes)), dtype=np.int32, order="F")
    for i, attribute in enumerate(schema.attributes):
        shares = rng.permutation(1 / np.arange(2, attribute.size + 2))
        steps = np.cumsum(shares / shares.sum())[:-1]
        own = np.where(rng.random(people) < TOGETHER, hidden, rng.random(people))
        codes[:, i] = np.searchsorted(steps, own, side="right")
    return Dataset(schema, codes, INVENTED)
