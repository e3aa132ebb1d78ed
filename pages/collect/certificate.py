"""Step 2: the mechanism file and what it promises, exactly."""

from __future__ import annotations

import json

import streamlit as st

from pages.shared import widgets
from rrcore.collect import MechanismFile, Ratio, nats
from rrcore.wording import exact_odds_text


def show(file: MechanismFile) -> None:
    """Levels, leakage and total from the integers, and the downloads."""
    found = file.certificate
    rows = {
        "Attribute": list(file.schema.names),
        "Answers": [attribute.size for attribute in file.schema.attributes],
        "Level (nats)": [nats(ratio) for ratio in found.levels],
        "Odds up to": [_odds(ratio) for ratio in found.levels],
        "In the full record (nats)": [nats(ratio) for ratio in found.leakage],
        "Odds up to ": [_odds(ratio) for ratio in found.leakage],
    }
    widgets.table(rows)
    if found.total is None:
        widgets.warn(
            "No bound: some released answers rule some true ones out. That may be how the survey was done, but it is no protection for "
            "those people."
        )
    else:
        st.markdown(
            f"**The whole record: {nats(found.total)} nats.** Whatever they know, it shifts the odds between any two people's answers by at "
            f"most {exact_odds_text(found.total)} times."
        )
    st.caption(
        "Computed from the integers of the file in exact arithmetic, by code other than that which designed them; logarithms are rounded "
        "up. Level: by this answer alone. In the full record: for someone who sees everything released and knows the other true answers."
    )
    left, middle, right = st.columns(3)
    widgets.download("Download mechanism file", file.to_json, "mechanism.json", type="primary", where=left)
    widgets.download(
        "Certificate (text)",
        lambda: f"{file.certificate.text(file.schema.names)}\nsha256 {file.sha256}\n",
        "certificate.txt",
        type="tertiary",
        icon=":material/verified:",
        where=middle,
    )
    widgets.download(
        "Certificate (JSON)",
        lambda: json.dumps(file.certificate.to_dict(file.schema.names) | {"sha256": file.sha256}, ensure_ascii=False, indent=1),
        "certificate.json",
        type="tertiary",
        icon=":material/data_object:",
        where=right,
    )
    st.caption(f"Fingerprint of the file (SHA-256): `{file.sha256}`. Keep the file: without it the answers cannot be read.")
    with st.expander("What the answers will look like", icon=":material/visibility:"):
        widgets.caption(
            "One column per attribute, named "
            + ", ".join(f"'{name}'" for name in file.schema.names)
            + ", and one row per person; or one line of JSON per person, as the form writes it."
        )


def _odds(ratio: Ratio) -> str:
    return "no bound" if ratio is None else f"× {exact_odds_text(ratio)}"
