"""The card with the attributes: which are included, and the ε of each, or a budget that they share."""

from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

import numpy as np
import streamlit as st

from pages.budget import attribute_table
from pages.shared import jobs, state, widgets
from rrcore.budget import Entry, build, check_total_weights, epsilon_for_total
from rrcore.channel import check_epsilon, lie_from_epsilon
from rrcore.errors import InputError
from rrcore.limits import MAX_EPSILON, MAX_PROGRAMME_ATTRIBUTES, MAX_TOTAL, MIN_EPSILON
from rrcore.wording import epsilon_text, legible

ENTRIES: dict[Entry, str] = {"epsilon": "ε per attribute", "total": "Total budget", "questions": "Workload"}
_KEY = "attributes"
_SLIDER = (0.05, 5.0)


@dataclass
class Typed:
    """What was typed and cannot be used: attribute -> text and the error."""

    wrong: dict[str, tuple[str, str]] = field(default_factory=dict)


def card(work: state.Work) -> None:
    """Choose attributes and their ε. The errors are below the table."""
    draft = work.draft
    box, row = widgets.card_with_row(
        "Attributes",
        hint="Smaller ε protects better and makes estimates less accurate. Leave out attributes that nobody will analyze.",
    )
    entry = row.selectbox(
        "Start from",
        list(ENTRIES),
        format_func=ENTRIES.__getitem__,
        label_visibility="collapsed",
        width=165,
        **state.shown("entry", draft.entry, lambda chosen: _enter(work, chosen)),
    )
    with box:
        if entry != "epsilon":
            _ask_budget(work)
        _take(work)
        if entry == "total":
            _spend(work)
        elif entry == "questions":
            _ask_workload(work)
        _table(work)
        for _, error in state.of_page(Typed).wrong.values():
            widgets.complain(f"{error} The previous value is kept.")
        if entry == "epsilon":
            _set_all(work)


def _enter(work: state.Work, entry: Entry) -> None:
    work.change(entry=entry, mechanism="workload" if entry == "questions" else work.draft.mechanism)
    if entry != "questions" and work.draft.mechanism == "workload":
        work.choose_safe(work.draft.width)


def _ask_budget(work: state.Work) -> None:
    st.number_input(
        "Budget for the whole record (ε)",
        MIN_EPSILON,
        MAX_TOTAL,
        step=0.5,
        format="%.2f",
        **state.shown("total", float(work.draft.total), lambda total: work.change(total=total)),
    )


def _take(work: state.Work) -> None:
    """Take what was typed or ticked into the plan, and remember what cannot be used."""
    assert work.schema is not None
    names, wrong = work.schema.names, state.of_page(Typed).wrong
    for about, value in attribute_table.changes(_KEY).items():
        kind, row = about.split()
        if int(row) >= len(names):  # of the table before
            continue
        name = names[int(row)]
        if kind == "include":
            chosen = tuple(each for each in names if (each in work.draft.chosen) != (each == name))
            if chosen:
                work.choose_attributes(chosen)
            else:
                st.toast("A plan needs at least one attribute. Include another one first.", icon=":material/error:")
            continue
        text = str(value).strip().replace(",", ".")
        wrong.pop(name, None)
        try:
            if work.draft.entry == "total":
                (weight,) = check_total_weights([text], [name]).tolist()
                work.change(weights={**work.draft.weights, name: weight})
            else:
                (epsilon,) = check_epsilon([text], [name]).tolist()
                work.set_epsilon({name: epsilon})
        except InputError as error:
            wrong[name] = (str(value), str(error))


def _table(work: state.Work) -> None:
    assert work.schema is not None
    draft, wrong, weighted = work.draft, state.of_page(Typed).wrong, work.draft.entry == "total"
    lines = []
    for attribute in work.schema.attributes:
        name, size, included = attribute.name, attribute.size, attribute.name in draft.chosen
        epsilon = draft.epsilon[name]
        own = f"{draft.weights.get(name, 1.0):g}" if weighted else epsilon_text(epsilon)
        text, unusable = (wrong[name][0], True) if name in wrong else (own, False)
        facts = [{"text": epsilon_text(epsilon), "help": ""}] if weighted else []
        if draft.entry != "questions":
            kept = 100 * (1 - lie_from_epsilon([epsilon], [size])[0])
            help = f"Probability that the true answer is recorded. Guessing at random: {100 / size:.0f}%."
            facts.append({"text": f"{kept:.0f}%", "help": help})
        shown = tuple(facts) if included else tuple({"text": "", "help": ""} for _ in facts)
        lines.append(attribute_table.Line(legible(name), str(size), included, text, draft.entry != "questions", unusable, shown))
    heads = {"Include": "Attributes of the plan", "Categories": "Number of possible answers"}
    if weighted:
        heads |= {"Weight": "Twice the weight gets twice the ε.", "ε": "ε that the budget affords"}
    elif draft.entry == "epsilon":
        heads["ε"] = "Type a number. Enter moves down."
    if draft.entry != "questions":
        heads["Unchanged"] = "Probability that the true answer is recorded"
    attribute_table.show(_KEY, "Weight" if weighted else "ε", lines, heads)


def _set_all(work: state.Work) -> None:
    """One number for all, and a slider that keeps the ratios."""
    chosen = work.draft.chosen
    each = [work.draft.epsilon[name] for name in chosen]
    mean, alike = float(np.mean(each)), max(each) - min(each) < 1e-9

    def set_all(epsilon: float) -> None:
        work.set_epsilon(dict.fromkeys(chosen, epsilon))

    def scale(epsilon: float) -> None:
        scaled = [min(MAX_EPSILON, max(MIN_EPSILON, epsilon if alike else round(one * epsilon / mean, 3))) for one in each]
        work.set_epsilon(dict(zip(chosen, scaled, strict=True)))

    with st.container(horizontal=True, vertical_alignment="center"):
        shown = state.shown("all_epsilon", round(mean, 3), set_all)
        st.caption("Set all ε" if alike else "Scale all ε", width="content")
        st.number_input(
            "Set all ε", MIN_EPSILON, MAX_EPSILON, step=0.1, format="%.2f", width=90, label_visibility="collapsed", **shown
        )
        low, high = _SLIDER
        shown = state.shown("scale_epsilon", min(high, max(low, round(mean, 2))), scale)
        st.slider(
            "Set all ε" if alike else "Scale all ε (mean)",
            low,
            high,
            step=0.05,
            label_visibility="collapsed",
            **shown,
        )


def _spend(work: state.Work) -> None:
    """Give every attribute the ε that the budget affords under the plan's mechanism."""
    assert work.schema is not None
    draft, sizes = work.draft, work.schema.select(work.draft.chosen).sizes
    weights = tuple(draft.weights.get(name, 1.0) for name in draft.chosen)
    about = (sizes, weights, draft.total, draft.mechanism, work.safeguards)
    share = partial(epsilon_for_total, mechanism=partial(build, draft.mechanism, safeguards=work.safeguards))
    found = jobs.result("afforded", about, share, sizes, draft.total, weights, what="Sharing out the budget")
    if found is not None:
        work.set_epsilon(dict(zip(draft.chosen, map(float, found.epsilon), strict=True)))
    elif jobs.at_work("afforded"):
        st.stop()


def _ask_workload(work: state.Work) -> None:
    """Choose the joint distributions that the budget is for."""
    draft = work.draft
    if len(draft.chosen) > MAX_PROGRAMME_ATTRIBUTES:
        widgets.complain(
            f"A workload can have at most {MAX_PROGRAMME_ATTRIBUTES} attributes, but the plan has {len(draft.chosen)}. "
            "Include fewer."
        )
        st.stop()
    pairs = tuple(combinations(draft.chosen, 2)) or ((draft.chosen[0],),)
    sets = [names for width in (1, 2, 3) for names in combinations(draft.chosen, width)]
    known = [names for names in draft.questions if names in sets]
    asked = widgets.several(
        "Joint distributions (all pairs if empty)",
        {names: " × ".join(names) for names in sets},
        work.key("workload"),
        at=[] if tuple(known) == pairs else known,
        placeholder="All pairs",
    )
    work.change(questions=tuple(asked) or pairs, mechanism="workload")
