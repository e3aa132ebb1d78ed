"""Plotly figures from results. No Streamlit here: they work in a notebook too, and compute no statistic beyond a difference.

Pictures of reports (``rrcore.plots.svg``) and colours need no Plotly, so this room opens without it, and says that it lacks when a figure is
asked for.
"""

from typing import Any

from rrcore.errors import MissingExtraError, need

try:
    need("plotly", "A figure")
except MissingExtraError:

    def __getattr__(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return need("plotly", "A figure")

else:
    from rrcore.plots.audit import audit_figure, evidence_figure
    from rrcore.plots.budget import leakage_figure, pair_error_figure, plans_figure, totals_figure
    from rrcore.plots.certificate import promise_figure
    from rrcore.plots.comparison import SCHEME_LOOKS, errors_by_scheme, winner_map
    from rrcore.plots.dependence import agreement_figure, association_map, merge_tree
    from rrcore.plots.dependency import dependency_figure
    from rrcore.plots.field import arrivals_figure, watched_figure
    from rrcore.plots.frame import drawn_note, page_template
    from rrcore.plots.frontier import error_by_width_figure, errors_figure, frontier_figure, safe_figure
    from rrcore.plots.intervals import always_figure, change_figure, groups_figure, ordered_figure
    from rrcore.plots.keyvalue import PROTOCOL_LOOKS, answers_figure, keys_figure, protocol_errors_figure
    from rrcore.plots.ledger import ledger_figure, waves_figure
    from rrcore.plots.marginal import (
        MAX_BARS,
        cell_labels,
        estimate_bars,
        estimate_map,
        marginal_heatmaps,
        repeats_figure,
        shown_note,
    )
    from rrcore.plots.models import averages_figure, coefficients_figure
    from rrcore.plots.observer import certainty_figure
    from rrcore.plots.palette import DARK, LIGHT, Palette, mechanism_colour
    from rrcore.plots.papers import paper_figure
    from rrcore.plots.synthesis import (
        accuracy_figure,
        half_l1_figure,
        likelihood_figure,
        synthetic_marginals_figure,
        v_difference_map,
    )
