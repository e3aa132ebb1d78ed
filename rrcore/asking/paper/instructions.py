"""What comes up, in words: "3 to 6", "heads, tails", "3♠"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rrcore.asking.languages import Language
from rrcore.asking.paper.devices import Device

_RUN = 3  # numbers in a row that are written as a range
_SUITS = 4


def outcomes_texts(device: Device, outcomes: Sequence[int], spoken: Language) -> list[str]:
    """The ``outcomes`` (positions, increasing) of ``device`` in words; numbers in a row and the four cards of a rank together.

    Examples
    --------
    >>> from rrcore.asking.languages import language
    >>> from rrcore.asking.paper import read_device
    >>> from rrcore.asking.paper.instructions import outcomes_texts
    >>> outcomes_texts(read_device("dice"), (0, 3, 4, 5, 6), language("en"))
    ['2', '5 to 8']
    >>> outcomes_texts(read_device("coins-2"), (1, 2), language("es"))
    ['cara, cruz', 'cruz, cara']
    >>> outcomes_texts(read_device("deck"), range(6), language("fr"))
    ['A', '2♠', '2♥']
    """
    labels = [device.outcomes[outcome] for outcome in outcomes]
    if device.key == "deck":
        return list(_cards(labels, spoken))
    if device.key.startswith("coin"):
        return [", ".join(spoken.text("sheet", side) for side in label) for label in labels]
    return list(_ranges([int(number) for (number,) in labels], spoken))


def _ranges(numbers: Sequence[int], spoken: Language) -> Iterator[str]:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    for run in runs:
        if len(run) >= _RUN:
            yield spoken.text("sheet", "range", first=run[0], last=run[-1])
        else:
            yield from map(str, run)


def _cards(labels: Sequence[tuple[str, ...]], spoken: Language) -> Iterator[str]:
    """Ranks of which all suits are meant by their name alone."""
    names = spoken.text("sheet", "ranks").split()
    suits: dict[str, list[str]] = {}
    for rank, suit in labels:
        suits.setdefault(rank, []).append(suit)
    for rank, own in suits.items():
        name = names[int(rank) - 1]
        yield from [name] if len(own) == _SUITS else [f"{name}{suit}" for suit in own]
