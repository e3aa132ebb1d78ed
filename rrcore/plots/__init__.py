"""Plotly figures of results, for notebooks and pages.

They do not need Streamlit and compute no statistics except differences.

Figures in reports (``rrcore.plots.svg``) and colors do not need Plotly. The package can therefore be imported without it, and only
drawing a Plotly figure raises an error.
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
        package = vars(reload(sys.modules[__name__]))  # it is there by now
        if name not in package:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        return package[name]

else:
    from rrcore.plots.audit import audit_figure
    from rrcore.plots.certificate import certificate_figure
    from rrcore.plots.curves import budget_curves_figure, budget_margins_figure
    from rrcore.plots.dependence import dependence_map
    from rrcore.plots.frame import drawn_note, frame_template
    from rrcore.plots.intervals import (
        proportions_figure,
        result_figure,
    )
    from rrcore.plots.lab import PROTOCOL_LOOKS, SCHEME_LOOKS, keyvalue_protocols_figure, scheme_errors_figure
    from rrcore.plots.ledger import ledger_figure
    from rrcore.plots.marginal import (
        MOST_CELLS,
        marginal_figure,
        marginal_map,
    )
    from rrcore.plots.palette import DARK, LIGHT, Palette, mechanism_color
    from rrcore.plots.papers import checks_figure
    from rrcore.plots.running_survey import field_arrivals_figure, field_shares_figure
    from rrcore.plots.saved import deployments_figure, saved_plans_figure
