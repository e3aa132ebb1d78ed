"""What a regression is about: its outcome, its predictors, and what kind it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from rrcore.errors import InputError
from rrcore.estimate.models.terms import Term

Family = Literal["logistic", "linear", "normal"]
Association = Literal["pairs", "full"]
Refusing = Literal["anyone", "others"]

FAMILIES: dict[Family, str] = {
    "logistic": "logistic regression (multinomial where the outcome has more than two categories)",
    "linear": "linear regression by moments: needs no distribution of the errors",
    "normal": "linear regression by maximum likelihood: errors are normal",
}
"""Kinds of models, and what each is."""


@dataclass(frozen=True)
class Model:
    """A regression of one outcome on predictors, any of which may have been randomised.

    Parameters
    ----------
    outcome : str, a randomised attribute, or a covariate
    predictors : tuple of Term
    family : "logistic", "linear" or "normal"
    reference : str, the category of the outcome that the others are compared with; the first if empty
    association : "pairs" or "full"
        How the true predictors that were randomised are distributed given the covariates, where the model needs it. "pairs": the log
        odds of each are linear in the covariates, and any two go together in the same way for everybody; "full": the log odds of every
        combination are linear in the covariates. With one such predictor they are the same.
    always : str
        The report that people who do not follow the instruction always give to the outcome, for example "no"; their share is estimated.
        Only where groups were asked by different designs. Empty: everybody follows it.
    refusing : "anyone" or "others"
        Who they may be: anyone, as in cheating detection (Clark and Desharnais 1998), or only people whose true answer is another one, as
        in the stochastic lie detector (Moshagen, Musch and Erdfelder 2012). Their share is of those.

    Examples
    --------
    >>> Model("armed", (Term("age"), Term("age", power=2)), reference="no").names
    ('age', 'age^2')
    """

    outcome: str
    predictors: tuple[Term, ...]
    family: Family = "logistic"
    reference: str = ""
    association: Association = "pairs"
    always: str = ""
    refusing: Refusing = "anyone"

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise InputError(f"There is no model '{self.family}': choose among {', '.join(FAMILIES)}.")
        if self.association not in get_args(Association):
            raise InputError(f"The association of predictors is '{self.association}': it must be 'pairs' or 'full'.")
        if self.refusing not in get_args(Refusing):
            raise InputError(f"Refusals are by '{self.refusing}': it must be 'anyone' or 'others'.")
        if self.always and self.family != "logistic":
            raise InputError(
                "People who do not follow the instruction are modelled in a logistic regression only: choose that model."
            )
        for name in self.names:
            if self.names.count(name) > 1:
                raise InputError(f"The predictor '{name}' is given twice: give it once.")
        for term in self.predictors:
            if term.column == self.outcome:
                raise InputError(f"'{self.outcome}' is the outcome and a predictor: choose one of the two.")

    @property
    def names(self) -> tuple[str, ...]:
        """The terms as they are written."""
        return tuple(term.text for term in self.predictors)
