"""Choices of single pages that a project keeps: widgets that show nothing of the work itself, by their keys and kinds."""

import datetime as dt
import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

import streamlit as st

from rrcore.budget import Choice

_KINDS = {
    bool: (
        "compare_projected dependence_pearson form_invited form_picture form_practice "
        "form_one_at_a_time form_interviewer population population_declared "
        "read_population perturb_at_once read_at_once synthesize_prune synthesize_repeat"
    ),
    int: (
        "audit_runs cluster_cells compare_attributes compare_categories compare_cells compare_people "
        "compare_repeats compare_seed compare_sets compare_width form_common keyvalue_keys keyvalue_rounds "
        "keyvalue_users sum_modulus sum_parties synthesize_bits synthesize_hashes"
    ),
    float: (
        "cluster_least compare_coverage compare_least compare_level compare_v field_wanted "
        ""
        "keyvalue_default keyvalue_eps keyvalue_frequency keyvalue_mean keyvalue_split read_wanted "
        "synthesize_phi synthesize_rate wanted_points wanted_share"
    ),
    str: (
        "audit_source cluster_source collect_source compare_metric compare_spend compare_values_categories "
        "compare_values_cramers_v compare_values_eps compare_values_people compare_varied dependence_measure document_author "
        "document_organisation document_reasons document_title field_way form_address form_introduction form_language "
        "form_about form_answer form_title form_translations form_unrandomised "
        "keyvalue_layout keyvalue_protocol keyvalue_shape keyvalue_source ledger_new_group ledger_note ledger_source made_by "
        "made_note perturb_first read_first release_source risk_knows sought_declared sought_table synthesize_kind "
        "synthesize_rule synthesize_source synthesize_spend"
    ),
    tuple: "compare_schemes form_languages form_order",
    dt.date: "document_date",
}

KINDS = {key: kind for kind, keys in _KINDS.items() for key in keys.split()}
"""Key of the widget -> what its value is; tuples are of texts."""

_WITHIN = {"wanted_share": (0.0, 100.0)}
"""Least and most of numbers that their widget does not check itself."""


def taken() -> dict[str, Choice]:
    """The choices that were made in this session, a date as year-month-day."""
    found: dict[str, Choice] = {}
    held = st.session_state.to_dict()  # asked for keys that are not there, one by one, Streamlit takes longer
    for key, kind in KINDS.items():
        value: Any = held.get(key)
        if kind is tuple and isinstance(value, list) and all(isinstance(one, str) for one in value):
            found[key] = tuple(value)
        elif type(value) is kind:
            found[key] = value.isoformat() if isinstance(value, dt.date) else cast(Choice, value)
    return found


def put(choices: Mapping[str, Choice]) -> None:
    """Make the ``choices``, as far as they are known, of their kind and possible; a page forgets what it does not offer."""
    for key, value in choices.items():
        low, high = _WITHIN.get(key, (-math.inf, math.inf))
        if KINDS.get(key) is dt.date and isinstance(value, str):
            with suppress(ValueError):
                st.session_state[key] = dt.date.fromisoformat(value)
        elif type(value) is KINDS.get(key) and (not isinstance(value, float) or low <= value <= high):
            st.session_state[key] = list(value) if isinstance(value, tuple) else value
