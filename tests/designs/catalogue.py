"""Every design whose people are of finitely many classes, at numbers and shares to try it with."""

from rrcore.designs import DESIGNS, LATENT_DESIGNS
from rrcore.errors import InputError

NUMBERS = {
    "warner": "3/4",
    "forced": "2/3, 1/6, 1/6",
    "unrelated": "2/3, 1/4",
    "crosswise": "1/4",
    "triangular": "1/4",
    "mangat": "3/4",
    "mangat-singh": "11/20, 7/10",
    "devore": "7/10",
    "disguised": "4/5",
    "kuk": "3/5, 1/5, 5",
    "christofides": "1/10, 1/5, 3/10, 2/5",
    "k-ary": "3/5",
    "matrix": "9/10, 1/20, 1/20; 1/5, 3/5, 1/5",
    "warner-groups": "3/4, 1/3",
    "unrelated-groups": "7/10, 3/10",
    "unrelated-twice": "3/5, 4/5",
    "mangat-singh-singh-twice": "3/5, 4/5",
    "lie-detector": "4/5, 2/5",
    "cheating": "1/4, 3/4",
    "cheating-symmetric": "1/8, 1/8, 1/2, 1/8",
}


def channel(key, text=None):
    """The exact channel of a design; k-ary ones ask a question with three answers."""
    text = text or NUMBERS[key]
    if key in LATENT_DESIGNS:
        return LATENT_DESIGNS[key].channel(LATENT_DESIGNS[key].numbers(text))
    return DESIGNS[key].channel(3 if key == "k-ary" else 2, DESIGNS[key].numbers(text))


def some_numbers(key, rng):
    """Numbers of a design as a person types them, drawn at random."""

    def parts(count):
        whole = rng.integers(1, 30, count)
        return ", ".join(f"{part}/{whole.sum()}" for part in whole)

    if key == "forced":
        return parts(3)
    if key == "christofides":
        return parts(rng.integers(2, 7))
    if key == "matrix":
        width = rng.integers(2, 6)
        return f"{parts(width)}; {parts(width)}"
    hundredths = [f"{one}/100" for one in rng.integers(1, 50 if key == "cheating-symmetric" else 100, 4)]
    if key == "kuk":
        return ", ".join([*hundredths[:2], str(rng.integers(1, 12))])
    return ", ".join(hundredths[: (DESIGNS | LATENT_DESIGNS)[key].count])


def some_channel(key, rng):
    """A design with numbers at random under which everything can be estimated."""
    while True:
        try:
            return channel(key, some_numbers(key, rng))
        except InputError:
            continue
