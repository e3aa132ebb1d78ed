"""Totals so high that comparing at an equal one says little about protection: from ln M on, M the number of possible records."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rrcore.errors import InputError
from rrcore.wording import count_text, percent, total_text


def untouched_share(sizes: Sequence[int], total: float) -> float:
    """The share of records that leave RR-Joint as they came, in [0, 1].

    e^T / (e^T + M - 1): kept, or replaced by a random record that happens to be the same. At T = ln M it is more than one half. No
    mechanism that draws lie sets leaves more at that total: its channel is doubly stochastic.

    Parameters
    ----------
    sizes : k ints, numbers of categories; M is their product
    total : record-level budget T in nats, >= 0

    Raises
    ------
    InputError
        For a total below 0.

    Examples
    --------
    >>> from rrcore.budget import untouched_share
    >>> round(untouched_share((9, 16, 7, 15, 6, 5, 2, 2), 16.0), 2)
    0.83
    """
    if not total >= 0:
        raise InputError(f"The total is {total:g}: give 0 or more nats.")
    others = _log_records(sizes) + math.log1p(-math.exp(-_log_records(sizes)))  # ln(M - 1)
    return 1 / (1 + math.exp(min(others - total, 700.0)))


def untouched_warning(sizes: Sequence[int], total: float) -> str:
    """What to know about a comparison at this total, in one sentence; empty below ln M nats.

    Parameters
    ----------
    sizes : k ints, numbers of categories of the whole record
    total : the largest record-level budget that is compared, nats

    Examples
    --------
    >>> from rrcore.budget import untouched_warning
    >>> untouched_warning((2, 2), 1.0)
    ''
    >>> untouched_warning((2, 2), 2.0)[-49:]
    'RR-Joint would leave 71.1 % of records untouched.'
    """
    log_records = _log_records(sizes)
    if total < log_records - 1e-9:
        return ""
    records = count_text(math.prod(sizes)) if log_records < 30 else f"10^{log_records / math.log(10):.0f}"
    return (
        f"A total of {total_text(total)} nats is not below {log_records:.2f}, the logarithm of the {records} possible records, so that it "
        f"protects little: RR-Joint would leave {percent(untouched_share(sizes, total))} of records untouched."
    )


def _log_records(sizes: Sequence[int]) -> float:
    """ln M."""
    return math.fsum(math.log(a) for a in sizes)
