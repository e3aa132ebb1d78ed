"""The address: what a link says about a demo table, read when a session begins and written as choices change.

Only what stands in a demo table of this program is ever written. Tables that are uploaded, invented or declared leave nothing in it, since
addresses end up in histories, logs and mails: a project file carries those.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import projects
from pages.shared.pins import Pins
from pages.shared.state import DEFAULT_DEMO, DEFAULT_LEVEL, Work, current, of_page
from rrcore.channel import check_levels
from rrcore.errors import InputError
from rrcore.limits import MAX_PAGE_MARGINAL, MAX_PEOPLE, MAX_ROWS, MAX_TOTAL, MIN_LEVEL
from rrcore.mechanisms import recipe, recommended, safe_width
from rrcore.table import DEMOS, Schema, as_table, load_demo

PARAMETERS = ("table", "levels", "mechanism", "marginal", "seed", "people", "planned", "total", "questions")
"""What a link can say, in this order. ``levels`` also names the attributes; ``people`` are simulated, ``planned`` asked."""

_MOST_SEED = 10**12

_OF_PAGES = ("told", "asked")
"""Parameters that widgets of single pages follow by themselves, beside those that say the section of a page."""


def query(work: Work, *, full: bool = False) -> str:
    """What the address says about ``work``, with or without what would be so anyway; empty unless a demo table is in play."""
    return urlencode(parameters(work, full=full), safe=":,*")


def parameters(work: Work, *, full: bool = False) -> dict[str, str]:
    """The same by the names of the parameters."""
    if work.source != "demo" or work.dataset is None:
        return {}
    key = next(key for key, demo in DEMOS.items() if demo.title == work.title)
    if not set(work.chosen) <= set(load_demo(key).schema.names):
        return {}  # a name that was typed is no name of the demo table
    n, levels = work.dataset.n, {name: work.levels[name] * work.scale for name in work.chosen}
    usual = work.chosen == load_demo(key).schema.names[: len(work.chosen)] and len(work.chosen) == min(8, len(work.levels))
    usual &= all(level == DEFAULT_LEVEL for level in levels.values())
    asked = work.entry == "questions"
    said = {
        "table": (key, key == DEFAULT_DEMO),
        "levels": (",".join(f"{name}:{level:.6g}" for name, level in levels.items()), usual),
        "mechanism": (work.mechanism, work.mechanism == recommended(len(work.chosen))),
        "marginal": (",".join(work.marginal), work.marginal == work.chosen[:2]),
        "seed": (str(work.seed), work.seed == 0),
        "people": (str(work.people), work.people == n),
        "planned": (str(work.respondents), work.respondents == work.people),
        "total": (f"{work.total:g}", work.entry == "levels"),
        "questions": (",".join("*".join(names) for names in work.questions if set(names) <= set(work.chosen)), not asked),
    }
    never = {"planned": work.respondents == work.people, "total": work.entry == "levels", "questions": not asked}
    never["mechanism"] = bool(recipe(work.mechanism).needs)
    found = {name: text for name, (text, default) in said.items() if not never.get(name) and (full or not default)}
    return {"table": key} | found if found else {}


def open_link(given: Mapping[str, str]) -> list[str]:
    """Put into play what the parameters ``given`` say; returns a sentence for each that cannot be followed."""
    work, wrong = Work(), []
    table = given.get("table", DEFAULT_DEMO)
    if table not in DEMOS:
        wrong.append(
            f"The link asks for the table '{_short(table)}', which is no demo table: {DEMOS[DEFAULT_DEMO].title} is shown. "
            f"The demo tables are {', '.join(DEMOS)}."
        )
        table = DEFAULT_DEMO
    work.adopt_table(*as_table(load_demo(table)), source="demo")
    for name in PARAMETERS[1:]:
        if name in given:
            try:
                _FOLLOW[name](work, given[name])
            except InputError as error:
                wrong.append(f"The link's '{name}' is not followed: {error}")
    project = projects.taken(work)
    assert project is not None
    projects.put(current(), project, work.table)
    unknown = [name for name in given if name not in PARAMETERS]
    wrong += [f"The link says '{_short(name)}', which means nothing here: known are {', '.join(PARAMETERS)}." for name in unknown]
    return wrong


def given() -> dict[str, str]:
    """The parameters with which this session was opened, but for those that single pages follow by themselves."""
    return {name: text for name, text in st.query_params.items() if name not in _OF_PAGES and not name.endswith("_section")}


def _levels(work: Work, text: str) -> None:
    assert work.schema is not None
    levels: dict[str, float] = {}
    for part in text.split(","):
        name, colon, number = part.rpartition(":")
        if not colon:
            raise InputError(f"'{_short(part)}' is not a name and a level, such as {work.schema.names[0]}:2.")
        (known,) = _names(work.schema, name)
        if known in levels:
            raise InputError(f"'{known}' has two levels: give it one.")
        (levels[known],) = check_levels([number], [known]).tolist()
    work.choose_attributes(tuple(levels))
    work.levels |= levels
    work.choose_marginal(())


def _mechanism(work: Work, text: str) -> None:
    if recipe(text).needs:
        raise InputError(f"'{text}' needs more than a link can say, so {recipe(work.mechanism).title} is used.")
    width = safe_width(text)
    if width is None:
        work.mechanism = text
    else:
        work.choose_safe(width)


def _marginal(work: Work, text: str) -> None:
    assert work.schema is not None
    names = _names(work.schema.select(work.chosen), text)
    if len(names) > MAX_PAGE_MARGINAL:
        raise InputError(f"it names {len(names)} attributes, and at most {MAX_PAGE_MARGINAL} are shown together.")
    work.choose_marginal(names)


def _seed(work: Work, text: str) -> None:
    work.seed = _whole(text, 0, _MOST_SEED)


def _people(work: Work, text: str) -> None:
    work.people = work.respondents = _whole(text, 1, MAX_ROWS)


def _planned(work: Work, text: str) -> None:
    work.respondents = _whole(text, 1, MAX_PEOPLE)


def _total(work: Work, text: str) -> None:
    try:
        total = float(text)
    except ValueError:
        total = 0.0
    if not MIN_LEVEL <= total <= MAX_TOTAL:
        raise InputError(f"'{_short(text)}' is not a number of nats from {MIN_LEVEL:g} to {MAX_TOTAL:g}.")
    work.total, work.entry = total, "total"
    least = min(work.levels[name] for name in work.chosen)
    work.weights = {name: float(f"{work.levels[name] / least:.5g}") for name in work.chosen}  # what made the levels of the link


def _questions(work: Work, text: str) -> None:
    assert work.schema is not None
    schema = work.schema.select(work.chosen)
    questions = tuple(_names(schema, part.replace("*", ",")) for part in text.split(","))
    work.questions, work.entry = questions, "questions"
    if work.mechanism != "kronecker":
        work.mechanism = "design"


_FOLLOW = {
    "levels": _levels,
    "mechanism": _mechanism,
    "marginal": _marginal,
    "seed": _seed,
    "people": _people,
    "planned": _planned,
    "total": _total,
    "questions": _questions,
}


def _names(schema: Schema, text: str) -> tuple[str, ...]:
    """The attributes that ``text`` names, whatever its capitals."""
    known = {name.casefold(): name for name in schema.names}
    names = tuple(known.get(part.strip().casefold(), _short(part.strip())) for part in text.split(","))
    schema.axes(names)
    return names


def _whole(text: str, least: int, most: int) -> int:
    if text.isdecimal() and len(text) <= 20 and least <= int(text) <= most:
        return int(text)
    raise InputError(f"'{_short(text)}' is not a whole number from {least} to {most:,}.")


def _short(text: str) -> str:
    """Its beginning, on one line: signs that nobody can see as their codes."""
    shown = "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in text[:40])
    return shown if len(text) <= 40 else f"{shown}..."


def show_link(work: Work, slot: DeltaGenerator) -> None:
    """In ``slot``: what opens what is in play, with nothing left out, to be copied; or why there is no link."""
    with slot.container():
        st.markdown("**Link**")
        if not (said := query(work, full=True)):
            st.caption("Only what is about a demo table has a link, so that nothing of your own gets into an address.")
            return
        st.code(f"{(st.context.url or '').partition('?')[0]}?{said}", language=None, wrap_lines=True)
        lacking = ["safeguards of your own"] if recipe(work.mechanism).needs == "safeguards" else []
        lacking += ["pinned plans"] if of_page(Pins).pinned.pins else []
        more = f" Not in it: {' and '.join(lacking)}." if lacking else ""
        st.caption(f"It opens this page with the same table, levels, mechanism, question, seed and number of people.{more}")
