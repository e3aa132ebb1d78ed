"""Plotly figures from results. No Streamlit here: they work in a notebook too, and compute no statistic beyond a difference.

Pictures of reports (``rrcore.plots.svg``) and colours need no Plotly, so this room opens without it, and says that it lacks when a figure is
asked for.
"""

import sys
from importlib import reload
from typing import Any

from rrcore.errors import MissingExtraError, need

try:
    need("plotly", "A figure")
except MissingExtraError:

    def __getattr__(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        need("plotly", "A figure")
        room = vars(reload(sys.modules[__name__]))  # it is there by now
        if name not in room:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        return room[name]

else:
    from rrcore.plots.audit import audit_figure
    from rrcore.plots.budget import budget_pair_errors_figure, budget_plans_figure, budget_totals_figure
    from rrcore.plots.certificate import certificate_figure
    from rrcore.plots.dependence import dependence_agreement_figure, dependence_cluster_tree, dependence_map
    from rrcore.plots.dependency_graph import dependency_graph_figure
    from rrcore.plots.field import field_arrivals_figure, field_shares_figure
    from rrcore.plots.frame import drawn_note, frame_template
    from rrcore.plots.frontier import (
        frontier_errors_by_width_figure,
        frontier_errors_figure,
        frontier_figure,
        safe_frontier_figure,
    )
    from rrcore.plots.intervals import (
        group_intervals_figure,
        ordered_intervals_figure,
    )
    from rrcore.plots.keyvalue import PROTOCOL_LOOKS, keyvalue_answers_figure, keyvalue_keys_figure, keyvalue_protocols_figure
    from rrcore.plots.ledger import ledger_figure
    from rrcore.plots.marginal import (
        MAX_BARS,
        marginal_bars,
        marginal_cell_labels,
        marginal_heatmaps,
        marginal_map,
        marginal_note,
        marginal_repeats_figure,
    )
    from rrcore.plots.models import model_coefficients_figure
    from rrcore.plots.observer import observer_certainty_figure
    from rrcore.plots.palette import DARK, LIGHT, Palette, mechanism_colour
    from rrcore.plots.papers import paper_figure
    from rrcore.plots.schemes import SCHEME_LOOKS, scheme_errors_figure, scheme_winners_figure
    from rrcore.plots.synthesis import (
        synthesis_accuracy_figure,
        synthesis_half_l1_figure,
        synthesis_likelihood_figure,
        synthesis_v_difference_map,
    )
