"""What is declared of a table: combinations of answers that cannot occur."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from typing import Any

import streamlit as st

from pages.shared import jobs, state, widgets
from rrcore.errors import InputError
from rrcore.limits import MAX_IMPOSSIBLE
from rrcore.table import Impossible, propose_impossible
from rrcore.table.proposals import TOLD
from rrcore.wording import counted

_UNTOLD: dict[str, Any] = {"label_visibility": "collapsed"}  # a multiselect says what it is by its placeholder
_ONE = tuple[tuple[str, ...], tuple[str, ...]]  # attributes and a combination


def impossible(work: state.Work) -> None:
    """Closed at first; how many combinations were declared is said below it, since a box with another label would be another box."""
    if work.schema is None or len(work.schema.names) < 2:
        return
    widgets.details("Combinations that cannot occur", "impossible", partial(_draw_impossible, work), icon="block")
    if known := len(_declared(work)):
        st.caption(f"{counted(known, 'combination is', 'combinations are')} declared impossible.")


def _draw_impossible(work: state.Work) -> None:
    st.caption(
        "A stepson of three who is married: nobody is. Estimates of what you declare here are 0 and the others come closer; how answers are "
        "randomised, and what that promises, stays the same. It goes along with plan and mechanism file."
    )
    _take_back(work)
    _declare(work)
    if work.dataset is not None:
        _propose(work)


def _declared(work: state.Work) -> list[_ONE]:
    assert work.schema is not None
    return [(rule.attributes, each) for rule in work.schema.impossible for each in rule.combinations]


def _told(one: _ONE) -> str:
    return Impossible(one[0], (one[1],)).combination_text(one[1])


def _take_back(work: state.Work) -> None:
    declared = _declared(work)
    if not declared:
        return
    kept = widgets.several(
        "Declared",
        {one: _told(one) for one in declared},
        f"impossible_kept_{work.version}",
        at=declared,
        help="Take one out to allow it.",
    )
    if len(kept) < len(declared):
        _adopt(work.declare_impossible, _rules(kept))


def _declare(work: state.Work) -> None:
    assert work.schema is not None
    attributes = {attribute.name: attribute for attribute in work.schema.attributes}
    first, second = st.columns(2)
    one = widgets.select("Nobody with", list(attributes), "impossible_first", where=first)
    others = [name for name in attributes if name != one]
    other = widgets.select("has", others, f"impossible_second_{one}", where=second)
    mine, theirs = (
        widgets.several(
            "any of", attributes[name].categories, f"impossible_of_{name}_{i}", where=where, placeholder="Any of", **_UNTOLD
        )
        for i, (name, where) in enumerate(((one, first), (other, second)))
    )
    number = len(mine) * len(theirs)
    label = f"Declare {counted(number, 'combination', 'combinations')} impossible" if number else "Declare impossible"
    if st.button(label, key="impossible_declare", icon=":material/block:", disabled=not 0 < number <= MAX_IMPOSSIBLE):
        wanted = [*_declared(work), *(((one, other), each) for each in product(mine, theirs))]
        _adopt(work.declare_impossible, _rules(dict.fromkeys(wanted)))


def _propose(work: state.Work) -> None:
    dataset = work.dataset
    assert dataset is not None
    found = jobs.result("impossible", work.answers, propose_impossible, dataset, what="Looking for what nobody has")
    if not found:
        return
    st.markdown("**Nobody in this table has these, though people would by chance. Tick what cannot be:**")
    st.caption(TOLD)
    for i, each in enumerate(found):
        if st.checkbox(widgets.plain(each.sentence), key=f"impossible_{work.version}_{i}"):
            _adopt(work.declare_impossible, _rules([*_declared(work), (each.attributes, each.combination)]))


def _rules(wanted: Iterable[_ONE]) -> list[Impossible]:
    return [Impossible(attributes, (each,)) for attributes, each in wanted]


def _adopt(declare: Callable[[Any], None], wanted: Any) -> None:
    """Have exactly this be declared, or say why not."""
    try:
        declare(wanted)
    except InputError as error:
        widgets.complain(f"{error} Nothing was changed.")
        return
    st.rerun()
