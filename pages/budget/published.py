"""What the published algorithm really gives: achieved beside requested levels, and its dependence on the order of the columns."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from pages.shared import jobs, state, widgets
from rrcore.budget import Option, Plan
from rrcore.errors import InputError
from rrcore.limits import MAX_COLUMNS, MAX_TOTAL
from rrcore.mechanisms import MAX_PUBLISHED, MECHANISMS, Published, published_two_attribute_optimum, solve_published_programme
from rrcore.research.papers import EXAMPLE_PEERS, chi_square_example
from rrcore.wording import Quantity, counted, level_text, meaning, total_text


def section(work: state.Work, plan: Plan, options: tuple[Option, ...]) -> None:
    """Algorithm 3 of the paper for this plan, in the order of the columns and in shuffled orders."""
    st.markdown("**What the published algorithm gives for these levels**")
    k = len(plan.levels)
    orders: list[tuple[int, ...]] = work.remember("orders", (plan.schema, plan.levels), lambda: [tuple(range(k))])
    sizes, levels = plan.schema.sizes, plan.levels
    made = [(order, Published.from_levels([sizes[i] for i in order], [levels[i] for i in order])) for order in orders]
    order, mechanism = made[-1]
    names = [plan.schema.names[i] for i in order]
    requested = [plan.levels[i] for i in order]
    left, right = st.columns(2, gap="large")
    with left:
        table = pd.DataFrame(
            {
                "Order": range(1, k + 1),
                "Attribute": names,
                "Requested": [level_text(eps) for eps in requested],
                "Achieved": [total_text(eps) for eps in mechanism.levels],
                "Verdict": [_verdict(float(over)) for over in mechanism.excess],
            }
        )
        bad = set(mechanism.violations)
        mark = f"background-color: #D55E0044; color: {widgets.palette().text}; font-weight: 600"
        st.dataframe(table.style.apply(lambda row: [mark if row.name in bad else ""] * len(row), axis=1), hide_index=True)
        if k > 2:
            st.button(
                "Shuffle attributes",
                on_click=_shuffle,
                args=(work, orders, k),
                icon=":material/shuffle:",
                help="The algorithm adds one attribute after the other; another order gives another mechanism.",
            )
    with right:
        if bad:
            widgets.warn(
                f"{counted(len(bad), 'level is', 'levels are')} exceeded, the worst by {max(mechanism.excess):.2f} nats: whoever "
                "was promised the requested level does not get it. Choose another one: none of them exceeds a level."
            )
        else:
            st.success("In this order no level is exceeded.", icon=":material/check:")
        optimum = next((o.mechanism for o in options if o.key == "optimal"), None)
        beside = (
            f"; under the optimum, which keeps all levels, {Quantity('whole record', 'Optimum').both(optimum.total_level)}"
            if optimum
            else ""
        )
        widgets.say(
            f"Whole record: odds up to {Quantity('whole record', 'Published heuristic').both(mechanism.total_level)}{beside}."
        )
        if len(made) > 1:
            _compare_orders(plan, made)
        _exact_programme(plan, options)
    st.caption(
        "Algorithm 3 of Yamamoto and Shibuya, 'Privacy-Optimized Randomized Response': it solves the first two attributes, then adds the "
        "others; where an attribute does not fit, its level is replaced by another one."
    )
    _chi_square_example(work)


def _verdict(excess: float) -> str:
    if excess > 1e-9:
        return f"exceeded by {level_text(excess)}"
    return "kept" if excess > -1e-6 else f"{level_text(-excess)} below"


def _shuffle(work: state.Work, orders: list[tuple[int, ...]], k: int) -> None:
    """One more order, drawn anew; the first click reverses the columns."""
    drawn = work.rng("order of attributes", len(orders)).permutation(k).tolist()
    orders.append(tuple(range(k))[::-1] if len(orders) == 1 else tuple(drawn))


def _compare_orders(plan: Plan, made: list[tuple[tuple[int, ...], Published]]) -> None:
    widgets.table(
        [
            {
                "Order of the attributes": ", ".join(plan.schema.names[i] for i in order),
                "Total": total_text(mechanism.total_level),
                "Levels exceeded": len(mechanism.violations),
                "Largest excess": f"{max(0.0, max(mechanism.excess)):.2f}",
            }
            for order, mechanism in made[:1] + made[1:][-7:]
        ]
    )


def _exact_programme(plan: Plan, options: tuple[Option, ...]) -> None:
    """The paper's own programme and formulas, which agree with the optimum where they can be had."""
    sizes, levels, k = plan.schema.sizes, plan.levels, len(plan.levels)
    if k == 2:
        found = published_two_attribute_optimum(sizes, levels)
        st.caption(f"Two attributes: case ({found.case}) of the paper's formulas, total {total_text(found.total_level)} nats.")
    if 2 <= k <= min(6, MAX_PUBLISHED):
        try:
            solved = solve_published_programme(sizes, levels)
        except InputError as error:
            widgets.caption(error.args[0])
            return
        st.caption(
            f"Algorithms 1 and 2 (the paper's programme over {2**k - 1} ratios): total {total_text(solved.total_level)} nats."
        )


def _chi_square_example(work: state.Work) -> None:
    """Section V-B of the paper: chi-square statistics of SNPs, at equal record totals."""
    with st.expander("The paper's chi-square example", icon=":material/biotech:"):
        st.caption(
            "Tables of allele by disease status for k genetic markers (4 categories each), 1,000 people. How far are the chi-square "
            "statistics after release from the true ones, at the same record total?"
        )
        left, right = st.columns(2)
        k = int(left.number_input("Markers", min_value=2, max_value=MAX_COLUMNS, value=10, key="chi_k"))
        spent = float(right.number_input("Total (nats)", 1.0, MAX_TOTAL, 15.0, key="chi_total", help=meaning("total")))
        if not st.toggle("Run the example", key="chi_run"):
            return
        example = partial(chi_square_example, k, spent, rng=work.rng("chi-square"))
        made = jobs.result("chi square", (k, spent), example, what="The example")
        if made is None:
            return
        widgets.table(
            [
                {
                    "Mechanism": MECHANISMS[key].title,
                    "Level of each marker": f"{level_text(min(each.mechanism.levels))} to {level_text(max(each.mechanism.levels))}",
                    "Total": total_text(each.mechanism.total_level),
                    "Off by, released table": f"{each.means[0]:.1f}",
                    "Off by, debiased table": f"{each.means[1]:.1f}",
                }
                for key, each in made.items()
            ]
        )
        for key in EXAMPLE_PEERS:
            if key not in made:
                widgets.caption(f"{MECHANISMS[key].title} has no levels for so many markers at this total: give a larger one.")
        st.caption(
            "Mean absolute difference of the statistic over markers and runs. 'Released table' is what the paper reports; the debiased "
            "one is estimated through the known channel."
        )
        st.page_link("pages/papers/page.py", label="What the paper prints, measured again", icon=":material/menu_book:")
