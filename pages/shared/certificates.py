"""What a mechanism file promises, as pages show it: one figure, and every number of the certificate."""

import streamlit as st

from pages.shared import widgets
from rrcore import plots
from rrcore.promise import MechanismFile, certified_nats, stated_nats
from rrcore.wording import Quantity, meaning


def figure(file: MechanismFile, name: str) -> None:
    """How far odds can shift: by each answer, by each where the others are known, and by the whole record."""
    found = file.certificate
    (total,) = stated_nats([found.total])
    drawn = plots.certificate_figure(
        file.schema.names, stated_nats(found.levels), stated_nats(found.leakage), total, widgets.palette()
    )
    widgets.figure(drawn, name, alt="How far each answer, and the whole record, can shift odds")


def numbers(file: MechanismFile) -> None:
    """Levels, leakage and total from the integers, to the last decimal, and the fingerprint."""
    found, names = file.certificate, file.schema.names
    widgets.table(
        {
            "Attribute": list(names),
            "Categories": [attribute.size for attribute in file.schema.attributes],
            "Level (nats)": [certified_nats(ratio) for ratio in found.levels],
            "One answer": [Quantity("one answer", name).odds(each) for name, each in zip(names, found.levels, strict=True)],
            "Leakage (nats)": [certified_nats(ratio) for ratio in found.leakage],
            "Others known": [Quantity("others known", name).odds(each) for name, each in zip(names, found.leakage, strict=True)],
        }
    )
    if found.total is not None:
        st.markdown(
            f"**The whole record: {certified_nats(found.total)} nats.** Whatever they know, it shifts the odds between any two people's "
            f"answers by at most {Quantity('whole record', '').times(found.total)} times."
        )
    st.caption(
        "Computed from the integers of the file in exact arithmetic, by code other than that which designed them; logarithms are rounded "
        f"up. Level: {meaning('level')} Leakage: {meaning('leakage')}"
    )
    st.caption(f"Fingerprint of the file (SHA-256): `{file.sha256}`")


def warn_unbounded(file: MechanismFile) -> None:
    """Say where the file is no protection."""
    if file.certificate.total is None:
        widgets.warn(
            "No bound: some released answers rule some true ones out. That may be how the survey was done, but it is no protection for "
            "those people."
        )
