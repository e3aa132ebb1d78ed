"""What each scheme spends, and what the papers print about errors beforehand beside what is exact."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pandas as pd
import streamlit as st

from pages.shared import widgets
from rrcore.budget import EXCEEDED
from rrcore.dataset import Dataset
from rrcore.estimate import expected_error, published_independent_bound, published_joint_bound
from rrcore.levels import Floats
from rrcore.limits import MAX_STUDY_CELLS
from rrcore.mechanisms import Kronecker, Mechanism
from rrcore.schemes import SCHEMES, SPENDS, Study
from rrcore.wording import level, total

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


def bounds(study: Study, dataset: Dataset, levels: Floats) -> None:
    """Theorems 5 and 6 of the Castell paper beside the exact error of RR-Ind-Joint, for each number of attributes."""
    mechanism = Kronecker.from_levels(dataset.schema.sizes, levels)
    rows = []
    for w in study.ways:
        sets = [
            axes for axes in combinations(range(mechanism.k), w) if math.prod(mechanism.sizes[i] for i in axes) <= MAX_STUDY_CELLS
        ]
        if not sets:
            continue
        n = study.people or dataset.n
        sizes = [[mechanism.sizes[i] for i in axes] for axes in sets]
        joint = [published_joint_bound(a, levels[list(axes)].tolist(), n) for a, axes in zip(sizes, sets, strict=True)]
        exact = [expected_error(mechanism.marginal_channel(axes), n) for axes in sets]
        rows.append(
            {
                "Attributes": w,
                "RR-Independent: published bound (Theorem 5)": f"{np.mean([published_independent_bound(a) for a in sizes]):.3g}",
                "RR-Ind-Joint: published bound (Theorem 6)": f"{np.mean(joint):.3g}",
                "RR-Ind-Joint: exact standard error of a share": f"{np.mean(exact):.3g}",
            }
        )
    with st.expander("What can be said beforehand: published bounds and exact errors", icon=":material/functions:"):
        st.dataframe(pd.DataFrame(rows), hide_index=True)
        st.caption(
            "Means over all sets of so many attributes, for equal shares. Theorem 6 of the Castell paper takes rounding for the source "
            "of error and rests on a lemma that is false, so it is no bound: with many people it is far below the true error, with few "
            "far above. Theorem 5 holds for uniform marginals. The exact standard error follows from the variance of inversion and "
            "needs no data."
        )
