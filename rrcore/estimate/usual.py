"""How strong dependence usually is: top interactions of public tables, and the law that they suggest (theory.md section 25)."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from rrcore.arrays import Floats

STRENGTHS: Floats = np.concatenate([[0.0], np.geomspace(1e-7, 1.0, 60)])
"""The strengths theta that a law of dependence is over: 0 stands for none."""

_NONE = 0.4  # how likely it is that there is none
_WIDTH = 0.8  # of the kernel on ln theta

FOUND: Mapping[str, Mapping[int, str]] = {
    "titanic": {
        2: "0.0659 0.0255 0.0247 0.0123 0.208 0.00952",
        3: "0.000335 0.0089 0.00454 0.00942",
        4: "4.87e-21",
    },
    "haireye": {
        2: "0.0365 0.00486 0.000834",
        3: "0.00152",
    },
    "berkeley": {
        2: "0.0204 0.0348 0.0482",
        3: "0.000484",
    },
    "adult": {
        2: """
0.0015 0.00517 0.0154 0.0032 0.000779 0.00332 0.00505 0.00204 0.00705 0.00203 0.000615 0.00112 0.0144 0.0055 0.218
0.00578 0.0915 0.112 0.00559 0.00162 0.0187 0.0145 0.00618 0.14 0.0754 0.0096 0.0062 0.0466
        """,
        3: """
0.000185 0.000112 0.000145 4.56e-05 0.000113 0.000255 0.000128 3.99e-05 5.1e-05 0.000125 0.000158 0.000121 4.48e-05
0.000175 0.0003 4.39e-05 5.12e-05 0.000192 2.09e-05 6.55e-05 0.000271 0.000107 9.62e-05 0.000104 0.000131 0.000101
8.5e-05 9.5e-05 7.93e-05 7.37e-05 7.25e-05 5.61e-05 2.99e-05 4.54e-05 3.47e-05 4.36e-05 6.84e-05 0.000127 0.000284
9.13e-05 0.000235 0.000119 2.97e-05 0.00017 2.36e-05 0.000768 9.64e-05 7.94e-05 6.48e-05 0.000199 5.03e-05 0.000125
0.000199 3.97e-05 3.08e-05 7.04e-06
        """,
        4: """
1.66e-05 6.93e-06 3.58e-05 2.61e-05 2.46e-05 1.27e-05 1.33e-05 1.07e-05 1.8e-05 2.78e-05 9.59e-06 1.88e-05 2.41e-05
1.93e-05 2.18e-05 5.41e-06 2.2e-05 1.53e-05 1.16e-05 1.37e-05 3.35e-05 2.45e-06 5.54e-05 8.47e-06 1.65e-05 1.81e-05
5.26e-06 8.73e-06 1.42e-05 2.19e-05 1.43e-05 1.3e-05 9.01e-06 1.92e-06 2.26e-05 7.91e-06 2.38e-05 2.39e-05 1.24e-05
8.96e-06 1.26e-05 2.2e-06 2.72e-05 1.21e-05 1.09e-05 2.93e-05 1.11e-05 1.13e-05 3.21e-05 1.82e-05 1.52e-05 1.63e-05
1.41e-05 2.98e-06 2.52e-05 1.56e-05 7.09e-06 1.8e-06 3.86e-05 5.75e-06 1.27e-05 5.84e-05 5.14e-06 9.07e-07 1.27e-05
3.13e-05 6.22e-06 2.92e-06 1.7e-05 2.11e-06
        """,
    },
}
"""Table -> number of attributes -> theta of every such set: Titanic, hair and eye, Berkeley, and the categorical columns of UCI Adult.

Printed by ``python -m tools.usual_dependence``.
"""


QUANTILES = {"weak": 0.1, "usual": 0.5, "strong": 0.9}
"""How strong dependence is called -> the part of the sets of attributes of public tables of which it is no stronger."""


@lru_cache
def usual_strength(width: int, dependence: str = "usual") -> float:
    """The strength theta of dependence of ``width`` attributes that is weak, usual or strong in public tables: a key of ``QUANTILES``.

    Examples
    --------
    >>> usual_strength(2, "weak"), usual_strength(2), usual_strength(2, "strong")
    (0.00112, 0.00952, 0.0915)
    """
    found = [theta for table in _known(width) for theta in table]
    return float(np.quantile(found, QUANTILES[dependence], method="inverted_cdf"))


@lru_cache
def usual_law(width: int, without: str = "") -> Floats:
    """The law of theta of ``width`` attributes that public tables suggest, at every one of ``STRENGTHS``; one table may be left out.

    Each table counts as much as any other. Wider sets than were measured are taken to be like the widest ones.

    Examples
    --------
    >>> float(usual_law(2)[0]), float(usual_law(2).sum().round(9))  # no dependence at all, and together
    (0.4, 1.0)
    """
    tables = [np.clip(found, STRENGTHS[1], 1.0) for found in _known(width, without)]
    logs, law = np.log(STRENGTHS[1:]), np.zeros(len(STRENGTHS) - 1)
    for found in tables:
        kernel = np.exp(-((logs[:, None] - np.log(found)) ** 2) / (2 * _WIDTH**2)).sum(axis=1)
        law += kernel / kernel.sum() / len(tables)
    return np.concatenate([[_NONE], (1 - _NONE) * law])


def _known(width: int, without: str = "") -> list[list[float]]:
    """The strengths of every table that has sets of ``width`` attributes."""
    widest = max(number for table in FOUND.values() for number in table)
    texts = (table.get(min(width, widest), "") for name, table in FOUND.items() if name != without)
    return [[float(theta) for theta in text.split()] for text in texts if text]
