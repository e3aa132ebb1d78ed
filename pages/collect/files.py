"""The two files that a survey needs, the certificate, and what will come back."""

from __future__ import annotations

import json

import streamlit as st

from pages.shared import certificates, widgets
from rrcore.asking import form_fingerprint
from rrcore.promise import MechanismFile


def downloads(file: MechanismFile, form: str | None) -> None:
    """The form and the mechanism file, side by side; no form where something is wrong with its texts."""
    with st.container(horizontal=True):
        if form is not None:
            widgets.download("Download form", lambda: form, "form.html", type="primary", icon=":material/edit_document:")
        widgets.download("Download mechanism file", file.to_json, "mechanism.json")
    st.caption(
        "The form is one HTML file: it asks the questions, randomises the answers in the respondent's own browser and works without a "
        "network. Answer it once yourself before you hand it out. Keep the mechanism file: without it the answers cannot be read."
    )
    if form is not None:
        st.caption(
            "Publish the fingerprint of this form (SHA-256), so that people can check the form they were given. It changes with every word "
            "of the form."
        )
        st.code(form_fingerprint(form), language=None, wrap_lines=True)


def certificate(file: MechanismFile) -> None:
    """Every number of the certificate, and its downloads."""
    certificates.numbers(file)
    with st.container(horizontal=True):
        widgets.download(
            "Certificate (text)",
            lambda: f"{file.certificate.text(file.schema.names)}\nsha256 {file.sha256}\n",
            "certificate.txt",
            type="tertiary",
            icon=":material/verified:",
        )
        widgets.download(
            "Certificate (JSON)",
            lambda: json.dumps(
                file.certificate.to_dict(file.schema.names) | {"sha256": file.sha256}, ensure_ascii=False, indent=1
            ),
            "certificate.json",
            type="tertiary",
            icon=":material/data_object:",
        )


def answers(file: MechanismFile) -> None:
    """What comes back, and how to put it together."""
    st.markdown("**What the answers will look like**")
    widgets.caption(
        "One column per attribute, named "
        + ", ".join(f"'{name}'" for name in file.schema.names)
        + ", and one row per person; or one line of JSON per person, as the form writes it. Answers come back as small files, as lines of "
        "text or, where you typed an address, at your server. Put them together as they are: many files, or all lines in one file."
    )
