"""Plan, simulate and analyze randomized response on several attributes.

Read or create a table, plan its randomization, simulate the plan, and estimate::

    table = rr.read_table("people.csv")        a file, bytes, a data frame, or rr.load_demo("titanic")
    plan = rr.Plan(table, epsilon=1.0)         epsilon of each attribute, or budget= of the whole record
    plan.compare()                             mechanisms side by side, as a DataFrame
    release = rr.simulate(table, plan, rng=0)  a simulation, not for collecting answers
    estimate = release.estimate(["sex", "smokes"])
    estimate.to_pandas(truth=table)

Collect or publish true answers, and analyze them::

    rr.MechanismFile.from_plan(plan).save("mechanism.json")
    rr.randomize(table, "mechanism.json", out="released.csv")
    answers = rr.read_answers("released.csv", "mechanism.json")
    answers.estimate("smokes", within={"sex": "f"})
    rr.fit("smokes ~ sex", answers).summary()
    rr.audit("mechanism.json")

Functions: read_table, load_demo, simulate, randomize, read_answers, fit, audit, respondent_form, report_before, report_after.
Tables: Attribute, Schema, Dataset.
Plans: Plan, Safeguards, Mechanism, MechanismFile, Certificate, Audit.
Results: Release, Answers, Estimate, Result, Regression.
Errors and warnings: InputError, NotIdentifiableError, TableWarning.

You can give one name instead of a list of names, and a path instead of an object. Use help(rr.Plan) and so on for each name.

Examples
--------
>>> import rrcore as rr
>>> table = rr.load_demo("titanic")
>>> release = rr.simulate(table, rr.Plan(table, epsilon=2.0), rng=0)
>>> release.estimate("Survived").shares.round(2).tolist()
[0.68, 0.32]
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from rrcore.answers import Answers as Answers
    from rrcore.answers import read_answers as read_answers
    from rrcore.asking import respondent_form as respondent_form
    from rrcore.auditing import Audit as Audit
    from rrcore.auditing import audit as audit
    from rrcore.budget import Plan as Plan
    from rrcore.errors import InputError as InputError
    from rrcore.errors import NotIdentifiableError as NotIdentifiableError
    from rrcore.errors import TableWarning as TableWarning
    from rrcore.estimate import Estimate as Estimate
    from rrcore.estimate import Release as Release
    from rrcore.estimate import Result as Result
    from rrcore.estimate.regression import Regression as Regression
    from rrcore.estimate.regression import fit as fit
    from rrcore.mechanisms import Mechanism as Mechanism
    from rrcore.mechanisms import Safeguards as Safeguards
    from rrcore.promise import Certificate as Certificate
    from rrcore.promise import MechanismFile as MechanismFile
    from rrcore.promise import randomize as randomize
    from rrcore.reports import report_after as report_after
    from rrcore.reports import report_before as report_before
    from rrcore.simulation import simulate as simulate
    from rrcore.table import Attribute as Attribute
    from rrcore.table import Dataset as Dataset
    from rrcore.table import Schema as Schema
    from rrcore.table import load_demo as load_demo
    from rrcore.table import read_table as read_table

__version__ = "0.2.0"

_MODULES = {
    "answers": "Answers read_answers",
    "asking": "respondent_form",
    "auditing": "Audit audit",
    "budget": "Plan",
    "errors": "InputError NotIdentifiableError TableWarning",
    "estimate": "Estimate Release Result",
    "estimate.regression": "Regression fit",
    "mechanisms": "Mechanism Safeguards",
    "promise": "Certificate MechanismFile randomize",
    "reports": "report_after report_before",
    "simulation": "simulate",
    "table": "Attribute Dataset Schema load_demo read_table",
}
"""Public names by module. Each is loaded when it is first used, so that ``import rrcore`` takes no time."""

# There is no __all__, because help(rrcore) would then print every docstring of every public name.


def __getattr__(name: str) -> object:
    for module, names in _MODULES.items():
        if name in names.split():
            return getattr(_import_module(f"rrcore.{module}"), name)
    raise AttributeError(f"module 'rrcore' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(" ".join(_MODULES.values()).split())
