"""Read a design that a person typed, as weights of a mechanism file."""

from collections.abc import Mapping, Sequence

from rrcore.designs.catalogue import DESIGNS
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import Weights
from rrcore.table.schema import Attribute, Schema


def read_design(name: str, key: str, size: int, text: str) -> Weights:
    """Return the weights of a design typed by a person.

    Parameters
    ----------
    name : name of the attribute in messages
    key : a key of ``DESIGNS``
    size : number of categories
    text : the parameters, separated by commas; rows of a matrix are separated by semicolons

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
        raise InputError(f"There is no design '{key}' (for '{name}'). Choose one of {', '.join(DESIGNS)}.")
    try:
        return DESIGNS[key].make(size, DESIGNS[key].numbers(text, size))
    except InputError as error:
        raise InputError(f"Design of '{name}': {error}") from None


def read_question(attribute: Attribute, key: str, text: str) -> tuple[Weights, Attribute]:
    """Return the weights of a typed design, and the reported attribute.

    The reported attribute is the attribute itself, or has the same name and the design's own reports.

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
    numbers = design.numbers(text, attribute.size)
    reports = design.reported(attribute.categories, weights.report_sizes[0], numbers)
    return weights, attribute if reports == attribute.categories else Attribute(attribute.name, reports)


def designed_mechanism(
    designs: Mapping[str, str], categories: Mapping[str, Sequence[str]], *, made_by: str = "", note: str = ""
) -> MechanismFile:
    """Return the mechanism file of standard designs.

    Parameters
    ----------
    designs : mapping of attributes to designs, such as {"smokes": "warner:0.7"}
    categories : mapping of the same attributes to their categories
    made_by, note : str
        As in ``MechanismFile``.

    Raises
    ------
    InputError
        If an attribute has no categories, or the numbers of a design are invalid.

    Examples
    --------
    >>> designed_mechanism({"smokes": "forced:2/3,1/6,1/6"}, {"smokes": ["no", "yes"]}).certificate.epsilon
    (Fraction(5, 1),)
    """
    attributes, reports, groups = [], [], []
    for position, (name, text) in enumerate(designs.items()):
        if name not in categories:
            raise InputError(f"The categories of '{name[:40]}' are missing. Enter them, for example no and yes.")
        key, _, numbers = text.partition(":")
        attributes.append(Attribute(name, tuple(categories[name])))
        weights, reported = read_question(attributes[-1], key, numbers)
        groups.append(((position,), weights))
        reports.append(reported)
    return MechanismFile(Schema(tuple(attributes)), tuple(groups), made_by, note, Schema(tuple(reports)))
