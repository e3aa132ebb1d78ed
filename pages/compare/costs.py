"""What each scheme spends, and what the papers print about errors beforehand beside what is exact."""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np
import pandas as pd
import streamlit as st

from pages.shared import jobs, widgets
from rrcore.budget import EXCEEDED
from rrcore.channel import Floats
from rrcore.estimate import (
    absolute_frequency_error,
    expected_error,
    published_independent_bound,
    published_joint_bound,
    relative_frequency_error,
)
from rrcore.mechanisms import Kronecker, Mechanism
from rrcore.progress import Report
from rrcore.schemes import SCHEMES, SPENDS, Study, reason
from rrcore.table import Dataset
from rrcore.wording import level, total

_REASONED = 10
"""Sets of attributes behind each mean of noise and blindness."""

_TITLES = {"kronecker": "Kronecker", "pair-safe": "Pair-safe", "joint": "RR-Joint", "clusters": "RR-Clusters"}


def spending(study: Study, made: dict[str, Mechanism | str], levels: Floats) -> None:
    """Totals, levels and leakage of the mechanisms behind the schemes."""
    st.markdown("**What each scheme spends**")
    rows = []
    for key, mechanism in made.items():
        used = ", ".join(SCHEMES[scheme].title for scheme in study.schemes if SCHEMES[scheme].mechanism == key)
        if isinstance(mechanism, str):
            widgets.warn(f"{used}: {mechanism}")
            continue
        above = mechanism.levels - levels
        rows.append(
            {
                "Schemes": used,
                "Mechanism": _TITLES[key],
                "Record total": total(mechanism.total_level),
                "Levels": f"{level(mechanism.levels.min())} to {level(mechanism.levels.max())}",
                "Levels above those of the plan": "none" if above.max() <= EXCEEDED else f"by up to {above.max():.2f}",
                "Largest leakage": total(float(mechanism.leakage.max())),
            }
        )
    st.dataframe(pd.DataFrame(rows), hide_index=True)
    st.caption(
        f"In nats. Held equal: {SPENDS[study.spend]}. Leakage: what someone who sees the whole record and knows the other answers can learn "
        "about one more."
    )


def reasons(study: Study, dataset: Dataset, made: dict[str, Mechanism | str], stamp: Hashable) -> None:
    """Noise of inversion against blindness of independence, for each number of attributes; ``stamp`` says what they depend on."""
    rows = jobs.result("reasons", stamp, lambda report: _weigh(study, dataset, made, report), what="Weighing noise and blindness")
    if rows is None:
        return
    st.markdown("**Why: noise against blindness**")
    st.dataframe(pd.DataFrame(rows), hide_index=True)
    st.caption(
        "Exact, from the true table: roots of summed squared errors, means over the sets compared. Inverting is unbiased but noisy: its "
        "error falls with the root of the number of people. Taking attributes as independent is blind to what they have in common: no "
        "number of people helps. Where noise is smaller, invert; where blindness is smaller, multiply the marginals; Blend weighs both."
    )


def _weigh(study: Study, dataset: Dataset, made: dict[str, Mechanism | str], report: Report) -> list[dict[str, object]]:
    """One row a number of attributes."""
    sets = study.attribute_sets(dataset.schema.sizes)
    mechanisms = {key: one for key, one in made.items() if not isinstance(one, str)}
    rows: list[dict[str, object]] = []
    for done, w in enumerate(study.ways):
        mine = [axes for axes in sets if len(axes) == w][:_REASONED]
        if not mine or not mechanisms:
            continue
        row: dict[str, object] = {"Attributes": w}
        for key, mechanism in mechanisms.items():
            found = []
            for axes in mine:
                report(done / len(study.ways), "weighing noise and blindness")
                found.append(reason(dataset, mechanism, axes, n=study.people))
            row["Blindness of independence"] = f"{np.mean([one.blindness for one in found]):.3g}"
            noise = float(np.mean([one.noise for one in found]))
            row[f"Noise of inverting {_TITLES[key]}"] = f"{noise:.3g}" if math.isfinite(noise) else "not identifiable"
        rows.append(row)
    return rows


def bounds(study: Study, dataset: Dataset, levels: Floats) -> None:
    """What the papers print about errors beforehand, beside the exact error of RR-Ind-Joint, for each number of attributes."""
    mechanism = Kronecker.from_levels(dataset.schema.sizes, levels)
    n = study.people or dataset.n
    compared = study.attribute_sets(dataset.schema.sizes)
    columns: dict[str, dict[str, str]] = {}
    for w in study.ways:
        sets = [axes for axes in compared if len(axes) == w]
        if not sets:
            continue
        figures = [_figures(mechanism, axes, levels, n) for axes in sets]
        columns[f"{w} attributes"] = {name: f"{np.mean([one[name] for one in figures]):.3g}" for name in figures[0]}
    with st.expander("What can be said beforehand: published bounds and exact errors", icon=":material/functions:"):
        st.dataframe(pd.DataFrame(columns), width="stretch")
        st.caption(
            "Means over the sets that are compared, for equal shares. Theorem 6 of the Castell paper takes rounding for the source "
            "of error and rests on a lemma that is false, so it is no bound: with many people it is far below the true error, with few "
            "far above. Theorem 5 holds for uniform marginals. Equations 5 and 6 of Multi-Dimensional RR are about the released shares, "
            "before they are inverted: all of them together are within the absolute error in 95 % of samples. The exact standard error "
            "follows from the variance of inversion and needs no data."
        )


def _figures(mechanism: Mechanism, axes: tuple[int, ...], levels: Floats, n: int) -> dict[str, float]:
    """Name -> figure, for equal shares of the cells over ``axes``."""
    sizes = [mechanism.sizes[i] for i in axes]
    equal = np.full(math.prod(sizes), 1 / math.prod(sizes))
    return {
        "RR-Independent: published bound (Castell, Theorem 5)": published_independent_bound(sizes),
        "RR-Ind-Joint: published bound (Castell, Theorem 6)": published_joint_bound(sizes, levels[list(axes)].tolist(), n),
        "RR-Ind-Joint: exact standard error of a share": expected_error(mechanism.marginal_channel(axes), n),
        "Released shares: absolute error (Multi-Dimensional RR, eq. 5)": absolute_frequency_error(equal, n),
        "Released shares: relative error (Multi-Dimensional RR, eq. 6)": relative_frequency_error(equal, n),
    }
