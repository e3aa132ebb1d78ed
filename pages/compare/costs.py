"""What each scheme spends, and what the papers print about errors beforehand beside what is exact."""

from collections.abc import Hashable
from functools import partial

import numpy as np
import streamlit as st

from pages.shared import jobs, state, widgets
from rrcore.arrays import Floats
from rrcore.budget import EXCEEDED, Plan
from rrcore.mechanisms import Mechanism, recipe
from rrcore.schemes import RELATIVE, SPENDS, Study, Sweep, find_scheme, mean_reasons, reasons_beforehand
from rrcore.table import Dataset
from rrcore.wording import level_text, meaning, percent, points, total_text

_REASONED = 10  # sets of attributes behind each mean of noise and blindness


def _title(key: str) -> str:
    """The name of a mechanism that schemes are compared on."""
    return "RR-Clusters" if key == "clusters" else recipe(key).title


def show(work: state.Work, sweep: Sweep, dataset: Dataset, plan: Plan) -> None:
    """The reasons behind a comparison, each worked out when it is opened."""
    if sweep.varied not in ("nothing", "people"):
        return
    study, levels = sweep.study, np.asarray(plan.levels)
    stamp = (study.schemes, study.spend, study.max_cells, study.min_dependence, work.answers, plan)

    def designed() -> dict[str, Mechanism | str]:
        made = jobs.result(
            "compare_designs",
            stamp,
            study.designs,
            dataset,
            levels,
            what="Designing the mechanisms",
        )
        return made or {}

    def why() -> None:
        reasons(study, dataset, designed(), stamp)

    widgets.details("What each scheme spends", "compare_spent", lambda: spending(study, designed(), levels), icon="toll")
    widgets.details("Why: noise against blindness", "compare_why", why, icon="balance")
    widgets.details("What can be said beforehand", "compare_beforehand", lambda: bounds(study, dataset, levels), icon="functions")


def spending(study: Study, made: dict[str, Mechanism | str], levels: Floats) -> None:
    """Totals, levels and leakage of the mechanisms behind the schemes."""
    rows = []
    for key, mechanism in made.items():
        used = ", ".join(find_scheme(scheme).title for scheme in study.schemes if find_scheme(scheme).mechanism == key)
        if isinstance(mechanism, str):
            widgets.warn(f"{used}: {mechanism}")
            continue
        alone = [abs(eps) for eps in mechanism.levels]  # below 0 where a lie is the likelier answer, which gives away as much
        above = max(given - asked for given, asked in zip(alone, levels, strict=True))
        rows.append(
            {
                "Schemes": used,
                "Mechanism": _title(key),
                "Total": total_text(mechanism.total_level),
                "Levels": " to ".join(dict.fromkeys(level_text(end) for end in (min(alone), max(alone)))),
                "Levels above those of the plan": "none" if above <= EXCEEDED else f"by up to {total_text(above)}",
                "Largest leakage": total_text(max(mechanism.leakage)),
            }
        )
    widgets.table(rows)
    st.caption(f"In nats. Held equal: {SPENDS[study.spend]}. Leakage: {meaning('leakage')}")


def reasons(study: Study, dataset: Dataset, made: dict[str, Mechanism | str], stamp: Hashable) -> None:
    """Noise of inversion against blindness of independence, for each number of attributes; ``stamp`` says what the designs depend on."""
    mechanisms = {key: one for key, one in made.items() if not isinstance(one, str)}
    compared = study.attribute_sets(dataset.schema.sizes)
    few = [axes for w in study.ways for axes in [axes for axes in compared if len(axes) == w][:_REASONED]]
    found = jobs.result(
        "reasons",
        (stamp, tuple(few), study.people),
        partial(mean_reasons, dataset, mechanisms, few, n=study.people),
        what="Weighing noise and blindness",
    )
    if not found or not mechanisms:
        return
    rows = [
        {"Attributes": w, "Blindness of independence": points(next(iter(means.values())).blindness)}
        | {f"Noise of inverting {_title(key)}": points(one.noise) for key, one in means.items()}
        for w, means in found.items()
    ]
    widgets.table(rows)
    st.caption(
        "Exact, from the true table: roots of summed squared errors, means over the sets compared. Inverting is unbiased but noisy: its "
        "error falls with the root of the number of people. Taking attributes as independent is blind to what they have in common: no "
        "number of people helps. Where noise is smaller, invert; where blindness is smaller, multiply the marginals; Blend weighs both."
    )


def bounds(study: Study, dataset: Dataset, levels: Floats) -> None:
    """What the papers print about errors beforehand, beside the exact error of RR-Ind-Joint, for each number of attributes."""
    sizes = dataset.schema.sizes
    found = reasons_beforehand(sizes, levels, study.attribute_sets(sizes), study.people or dataset.n)
    rows = [
        {"Attributes": w} | {name: percent(error) if name == RELATIVE else points(error) for name, error in errors.items()}
        for w, errors in found.items()
    ]
    widgets.table(rows)
    st.caption(
        "Means over the sets that are compared, for equal shares. Theorem 6 of the Castell paper takes rounding to be the source "
        "of error and rests on a lemma that is false, so it is not a bound: with many people it is far below the true error, with few "
        "far above. Theorem 5 holds for uniform marginals. Equations 5 and 6 of Multi-Dimensional RR are about the released shares, "
        "before they are inverted: all of them together are within the absolute error in 95 % of samples. The exact standard error "
        "follows from the variance of inversion and needs no data."
    )
