"""Plan, run and read multi-attribute randomized response. The pages and the command line are thin layers over this.

These names are the public face; each is loaded when it is first asked for, so that ``import rrcore`` itself takes no time.

Examples
--------
>>> import numpy as np
>>> import rrcore as rr
>>> table = rr.load_demo("titanic").select(["Class", "Sex", "Survived"])
>>> mechanism = rr.Plan.for_levels(table, {"Class": 2, "Sex": 1, "Survived": 2}).build()
>>> release = rr.perturb(table, mechanism, rng=np.random.default_rng(0))
>>> release.estimate(["Survived"]).shares.round(2).tolist()
[0.67, 0.33]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rrcore.answers import Answers, read_answers
    from rrcore.asking import respondent_form
    from rrcore.audit import audit_file
    from rrcore.budget import Plan, compare
    from rrcore.errors import InputError, NotIdentifiableError, TableWarning
    from rrcore.estimate import Estimate, Release
    from rrcore.estimate.regression import fit
    from rrcore.mechanisms import Mechanism, Questions, Safeguards, build
    from rrcore.promise import Certificate, MechanismFile, integer_groups, randomise
    from rrcore.report import report_after, report_before
    from rrcore.schemes import perturb
    from rrcore.table import Attribute, Dataset, Schema, load_demo, read_table

__version__ = "0.2.0"

__all__ = [
    "Answers", "Attribute", "Certificate", "Dataset", "Estimate", "InputError", "Mechanism", "MechanismFile",
    "NotIdentifiableError", "Plan", "Questions", "Release", "Safeguards", "Schema", "TableWarning", "audit_file", "build",
    "compare", "fit", "integer_groups", "load_demo", "perturb", "randomise", "read_answers", "read_table", "report_after",
    "report_before", "respondent_form",
]  # fmt: skip

_ROOMS = {
    "answers": "Answers read_answers",
    "asking": "respondent_form",
    "audit": "audit_file",
    "budget": "Plan compare",
    "errors": "InputError NotIdentifiableError TableWarning",
    "estimate": "Estimate Release",
    "estimate.regression": "fit",
    "mechanisms": "Mechanism Questions Safeguards build",
    "promise": "Certificate MechanismFile integer_groups randomise",
    "report": "report_after report_before",
    "schemes": "perturb",
    "table": "Attribute Dataset Schema load_demo read_table",
}
"""Where the names live."""


def __getattr__(name: str) -> Any:
    for room, names in _ROOMS.items():
        if name in names.split():
            return getattr(import_module(f"rrcore.{room}"), name)
    raise AttributeError(f"module 'rrcore' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
