"""Published epsilons of deployments and survey designs.

``published.json`` names the sources.

Epsilons with different units of protection are not comparable. An epsilon per day adds up over days. A central epsilon does not
protect against the curator.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Model = Literal["local", "central"]
"""Local: each person's device randomizes. Central: a trusted curator holds true answers and adds noise to what is published."""


@dataclass(frozen=True)
class Deployment:
    """A published epsilon.

    Parameters
    ----------
    who, what : the organization or authors, and the data collected or published
    model : Model
    unit : unit of protection, such as one answer, or everything that a person does in a day
    epsilon : float, infinite if a report can prove an answer
    source : where the number was published
    note : additional information about the number, such as a delta; can be empty
    """

    who: str
    what: str
    model: Model
    unit: str
    epsilon: float
    source: str
    note: str = ""


def published() -> tuple[Deployment, ...]:
    """Return the published epsilons in arbitrary order."""
    rows = json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))
    return tuple(Deployment(**(row | {"epsilon": math.inf if row["epsilon"] is None else row["epsilon"]})) for row in rows)
