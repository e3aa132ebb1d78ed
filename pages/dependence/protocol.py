"""A secure sum step by step: who sends what, and what some parties see together."""

from __future__ import annotations

from itertools import product
from statistics import mode

import numpy as np
import pandas as pd
import streamlit as st

from pages.shared import state
from rrcore.dependence import message_count, run_protocol
from rrcore.table import Dataset, cell_numbers
from rrcore.wording import cell_label, count_text, counted

_MOST = 8


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
        parties = st.number_input(
            "Parties",
            min_value=3,
            max_value=min(_MOST, dataset.n),
            value=min(5, dataset.n),
            key="sum_parties",
            persist_state="session",
        )
        pair = st.multiselect(
            "Pair of attributes",
            names,
            default=names[:2],
            max_selections=2,
            key=f"sum_pair_{work.version}_{hash(work.chosen)}",
            persist_state="session",
        )
        if len(pair) < 2:
            st.info("Choose two attributes.", icon=":material/info:")
            return
        asked = dataset.select(pair)
        numbers = cell_numbers(asked.codes[:parties], asked.schema.sizes).tolist()
        labels = [cell_label(cell) for cell in product(*(attribute.categories for attribute in asked.schema.attributes))]
        cell = st.selectbox(
            "Count the people with",
            range(len(labels)),
            index=mode(numbers),
            format_func=labels.__getitem__,
            key=f"sum_cell_{work.version}_{pair}",
            persist_state="session",
        )
        colluders = st.multiselect(
            "Parties that put together what they see",
            range(parties),
            default=[0, 1],
            format_func=lambda party: f"Party {party + 1}",
            key=f"sum_colluders_{parties}",
            persist_state="session",
        )
        modulus = st.number_input(
            "Public modulus", min_value=parties + 1, max_value=10**6, value=97, key="sum_modulus", persist_state="session"
        )
    inputs = np.array([[int(number == cell)] for number in numbers])
    transcript = run_protocol(inputs, rng=work.rng("secure sum"), modulus=modulus)
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
            f"{modulus}: so many people gave this pair of answers. {counted(message_count(parties, 1), 'number', 'numbers')} were sent "
            "for this one count."
        )
        st.markdown("**What these parties see together**")
        st.dataframe(seen, width="stretch")
        view = transcript.view(colluders)
        others = parties - len(colluders)
        if others == 0:
            st.caption("Everybody colludes: there is nobody left to hide anything.")
        elif view.reveals_a_party:
            st.warning(
                f"Only one party is outside, so what they can conclude is its answer: {int(view.others_sum[0])}.",
                icon=":material/warning:",
            )
        else:
            st.caption(
                f"They can conclude that the other {others} have {int(view.others_sum[0])} in all, and nothing else: whoever of them it "
                "is, the numbers they see could be exactly the same."
            )
