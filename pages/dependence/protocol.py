"""A secure sum step by step: who sends what, and what some parties see together."""

from itertools import product
from statistics import mode

import numpy as np
import pandas as pd
import streamlit as st

from pages.shared import state, widgets
from rrcore.arrays import cell_numbers
from rrcore.dependence import CollusionView, run_secure_sum, secure_sum_messages
from rrcore.limits import MAX_PAGE_PARTIES
from rrcore.table import Dataset
from rrcore.wording import cell_label, count_text, counted


def section(work: state.Work, dataset: Dataset) -> None:
    """The protocol among the first few people of the table, for one combination of two answers."""
    st.caption(
        "How can people count together how many of them gave a certain pair of answers, without anybody learning who did? Each splits a zero "
        "into random shares, hands one to everybody, and announces its own 0 or 1 plus all shares it got. The shares cancel in the sum."
    )
    if dataset.k < 2 or dataset.n < 3:
        st.info("This needs two attributes and three people.", icon=":material/info:")
        return
    left, right = st.columns([1, 2], gap="large")
    names = dataset.schema.names
    with left:
        parties = widgets.number("Parties", "sum_parties", min(5, dataset.n), (3, min(MAX_PAGE_PARTIES, dataset.n)))
        pair = widgets.several(
            "Pair of attributes", names, f"sum_pair_{work.version}_{hash(work.wishes.chosen)}", at=names[:2], most=2
        )
        if len(pair) < 2:
            st.info("Choose two attributes.", icon=":material/info:")
            return
        asked = dataset.select(pair)
        numbers = cell_numbers(asked.codes[:parties], asked.schema.sizes).tolist()
        labels = [cell_label(cell) for cell in product(*(attribute.categories for attribute in asked.schema.attributes))]
        cell = widgets.select(
            "Count the people with", dict(enumerate(labels)), f"sum_cell_{work.version}_{pair}", at=mode(numbers)
        )
        colluders = widgets.several(
            "Parties that put together what they see",
            {party: f"Party {party + 1}" for party in range(parties)},
            f"sum_colluders_{parties}",
            at=[0, 1],
        )
        modulus = widgets.number("Public modulus", "sum_modulus", 97, (parties + 1, 10**6))
    inputs = np.array([[int(number == cell)] for number in numbers])
    transcript = run_secure_sum(inputs, rng=work.rng("secure sum"), modulus=modulus)
    with right:
        table = pd.DataFrame(
            transcript.shares[:, :, 0],
            index=[f"from {party + 1}" for party in range(parties)],
            columns=[f"to {party + 1}" for party in range(parties)],
        )
        table.insert(0, "own number", inputs[:, 0])
        table["announces"] = transcript.broadcasts[:, 0]
        seen = table.astype(str)
        for party in set(range(parties)) - set(colluders):
            seen.iloc[party, [0, *(other + 1 for other in range(parties) if other not in colluders)]] = "hidden"
        st.markdown("**Every message**")
        st.dataframe(table, width="stretch")
        st.caption(
            f"Shares in a row add up to 0 modulo {modulus}. The announcements add up to {count_text(int(transcript.total[0]))} modulo "
            f"{modulus}: that many people gave this pair of answers. {counted(secure_sum_messages(parties, 1), 'number', 'numbers')} were "
            "sent for this one count."
        )
        st.markdown("**What these parties see together**")
        st.dataframe(seen, width="stretch")
        _conclude(transcript.view(colluders), parties - len(colluders))


def _conclude(view: CollusionView, others: int) -> None:
    """What colluding parties learn about the ``others``."""
    if others == 0:
        st.caption("Everybody colludes: there is nobody left to hide anything.")
    elif view.reveals_a_party:
        widgets.warn(f"Only one party is outside, so what they can conclude is its answer: {int(view.others_sum[0])}.")
    else:
        st.caption(
            f"They can conclude that the other {others} have {int(view.others_sum[0])} in all, and nothing else: whichever of them it "
            "is, the numbers they see could be exactly the same."
        )
