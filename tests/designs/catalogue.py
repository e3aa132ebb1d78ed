"""Every design, at numbers to try it with."""

from rrcore.designs import read_design

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
}


def weights_of(key):
    """The weights of a design; k-ary ones ask a question with three answers."""
    return read_design("q", key, 3 if key == "k-ary" else 2, NUMBERS[key])
