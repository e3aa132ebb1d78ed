"""What people hold in their hands: devices with equally likely chances, and spinners, whose sectors may have any size."""

from dataclasses import dataclass
from itertools import product

from rrcore.errors import InputError
from rrcore.limits import MAX_CARDS

_CARDS = "cards-"


@dataclass(frozen=True)
class Device:
    """A device and what may come up.

    Parameters
    ----------
    key : str, what it is called in commands: "die", "dice", "coin", "coins-2", "coins-3", "deck", "cards-<number>", "spinner"
    title : str, the same in messages
    outcomes : tuple of tuples of str, what comes up, in order: numbers as digits, sides of a coin as "heads" and "tails", playing cards as
        rank and suit; empty for a spinner, whose sectors are made for the question
    chances : tuple of ints, how many of all equally likely chances each outcome has

    Examples
    --------
    >>> from rrcore.asking.paper import read_device
    >>> read_device("dice").chances, read_device("dice").whole
    ((1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1), 36)
    """

    key: str
    title: str
    outcomes: tuple[tuple[str, ...], ...]
    chances: tuple[int, ...]

    @property
    def whole(self) -> int:
        """The number of equally likely chances; 0 for a spinner, which can be divided in any way."""
        return sum(self.chances)


def _numbered(key: str, title: str, numbers: range, chances: tuple[int, ...] = ()) -> Device:
    return Device(key, title, tuple((str(number),) for number in numbers), chances or (1,) * len(numbers))


def _coins(key: str, title: str, tosses: int) -> Device:
    sides = tuple(product(("heads", "tails"), repeat=tosses))
    return Device(key, title, sides, (1,) * len(sides))


def _cards(number: int) -> Device:
    return _numbered(f"{_CARDS}{number}", f"{number} numbered cards", range(1, number + 1))


DEVICES: dict[str, Device] = {
    "die": _numbered("die", "a die", range(1, 7)),
    "dice": _numbered("dice", "two dice", range(2, 13), (1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1)),
    "coin": _coins("coin", "a coin", 1),
    "coins-2": _coins("coins-2", "two tosses of a coin", 2),
    "coins-3": _coins("coins-3", "three tosses of a coin", 3),
    "deck": Device("deck", "a deck of 52 cards", tuple((str(rank), suit) for rank in range(1, 14) for suit in "♠♥♦♣"), (1,) * 52),
    "cards-10": _cards(10),
    "cards-20": _cards(20),
    "spinner": Device("spinner", "a spinner", (), ()),
}
"""Key -> device: one die, two dice added up, one to three tosses of a coin, playing cards, numbered cards, a spinner."""


def read_device(key: str) -> Device:
    """The device called ``key``; "cards-<number>" for any number of cards.

    Raises
    ------
    InputError
        For a device that is not known.
    """
    if key in DEVICES:
        return DEVICES[key]
    number = key.removeprefix(_CARDS)
    if key.startswith(_CARDS) and number.isascii() and number.isdigit() and 2 <= int(number[:9]) <= MAX_CARDS:
        return _cards(int(number))
    known = ", ".join(DEVICES)
    raise InputError(f"There is no device '{key[:40]}': choose among {known}, or cards-2 to cards-{MAX_CARDS}.")
