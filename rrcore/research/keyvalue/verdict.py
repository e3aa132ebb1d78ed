"""What one collection of ratings tells, in one sentence, with its price."""

from __future__ import annotations

import numpy as np

from rrcore.research.keyvalue.data import KeyValueData
from rrcore.research.keyvalue.protocol import KeyEstimates, Protocol
from rrcore.research.keyvalue.study import typical_key
from rrcore.wording import counted, odds_text, points, total_text


def verdict(protocol: Protocol, title: str, data: KeyValueData, found: KeyEstimates) -> str:
    """How closely ``found`` tells frequencies and means of ``data``, and what the report of a user gives away.

    Parameters
    ----------
    title : of the protocol
    found : estimates by ``protocol``, of ``data.d`` keys

    Returns
    -------
    Markdown, without names from the data
    """
    typical = typical_key(protocol, data, found)
    low, high = found.interval("frequency")
    inside = int(np.count_nonzero((low <= data.frequency) & (data.frequency <= high)))
    how_highly = f"± {typical.mean_margin:.2f}" if np.isfinite(typical.mean_margin) else "too few reports to say"
    return (
        f"From one report by each of {counted(data.n, 'user', 'users')}, **{title}** tells how many have a key within "
        f"**± {points(typical.frequency_margin)}** and how highly they rate it, from -1 to 1, within **{how_highly}**; "
        f"{inside:,} of {counted(data.d, 'interval holds', 'intervals hold')} the true share. "
        f"One report, the whole of what is sent: × {odds_text(protocol.exact_level)} (total {total_text(protocol.exact_level)})."
    )
