"""Choices of single pages that a project keeps: widgets that show nothing of the work itself, by their keys and kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import streamlit as st

from rrcore.budget import Choice

_KINDS: dict[type, tuple[str, ...]] = {
    bool: (
        "compare_projected",
        "dependence_pearson",
        "ledger_same_draw",
        "population",
        "perturb_at_once",
        "read_at_once",
        "synthesize_prune",
        "synthesize_repeat",
    ),
    int: (
        "cluster_cells",
        "compare_attributes",
        "compare_categories",
        "compare_cells",
        "compare_people",
        "compare_repeats",
        "compare_seed",
        "compare_sets",
        "compare_width",
        "keyvalue_keys",
        "keyvalue_rounds",
        "keyvalue_users",
        "sum_modulus",
        "sum_parties",
        "synthesize_bits",
        "synthesize_hashes",
    ),
    float: (
        "cluster_least",
        "compare_coverage",
        "compare_least",
        "compare_level",
        "compare_v",
        "keyvalue_default",
        "keyvalue_eps",
        "keyvalue_frequency",
        "keyvalue_mean",
        "keyvalue_split",
        "read_wanted",
        "synthesize_eps",
        "synthesize_phi",
        "synthesize_rate",
    ),
    str: (
        "audit_break",
        "audit_source",
        "cluster_source",
        "collect_source",
        "compare_metric",
        "compare_spend",
        "compare_varied",
        "dependence_measure",
        "form_address",
        "form_introduction",
        "form_title",
        "keyvalue_layout",
        "keyvalue_protocol",
        "keyvalue_shape",
        "keyvalue_source",
        "ledger_new_group",
        "ledger_note",
        "ledger_source",
        "made_by",
        "made_note",
        "perturb_first",
        "read_first",
        "synthesize_kind",
        "synthesize_rule",
        "synthesize_source",
    ),
    tuple: ("compare_schemes",),
}

KINDS = {key: kind for kind, keys in _KINDS.items() for key in keys}
"""Key of the widget -> what its value is; tuples are of texts."""


def taken() -> dict[str, Choice]:
    """The choices that were made in this session."""
    found: dict[str, Choice] = {}
    for key, kind in KINDS.items():
        value: Any = st.session_state.get(key)
        if kind is tuple and isinstance(value, list) and all(isinstance(one, str) for one in value):
            found[key] = tuple(value)
        elif type(value) is kind:
            found[key] = cast(Choice, value)
    return found


def put(choices: Mapping[str, Choice]) -> None:
    """Make the ``choices``, as far as they are known and of their kind; a page forgets what it does not offer."""
    for key, value in choices.items():
        if type(value) is KINDS.get(key):
            st.session_state[key] = list(value) if isinstance(value, tuple) else value
