"""What a regression is about: its outcome, its kind and its predictors."""

from dataclasses import dataclass
from typing import Literal, get_args

from rrcore.errors import InputError
from rrcore.estimate.models.terms import Term

Family = Literal["logistic", "linear", "normal"]
Association = Literal["pairs", "full"]
Refusing = Literal["anyone", "others"]
Penalty = Literal["", "ridge"]

PENALTIES: dict[Penalty, str] = {
    "": "none: the likelihood alone",
    "ridge": "a weak one: log odds are drawn towards 0, as if odds ratios above 130 were seen in 1 of 40 regressions",
}
"""Penalties, and what each does."""

PRIOR = 2.5
"""Standard deviation of the log odds to which a ridge draws: of a category against another, or of a number one standard deviation higher."""

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
    penalty : "" or "ridge"
        With "ridge" every log odds has a normal prior of mean 0 and standard deviation ``PRIOR``, and the posterior is maximised (Gelman et
        al. 2008, A weakly informative default prior distribution for logistic and other regression models, with normal priors): an estimate
        exists where the likelihood has no highest point. Errors are by the curvature of the posterior.
    random : str
        A covariate whose groups each have an intercept of their own, normal around the common one (a random intercept); empty for none. Of
        logistic regressions of two answers.

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
    penalty: Penalty = ""
    random: str = ""

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise InputError(f"There is no model '{self.family}': choose among {', '.join(FAMILIES)}.")
        if self.association not in get_args(Association):
            raise InputError(f"The association of predictors is '{self.association}': it must be 'pairs' or 'full'.")
        if self.refusing not in get_args(Refusing):
            raise InputError(f"Refusals are by '{self.refusing}': it must be 'anyone' or 'others'.")
        if self.penalty not in PENALTIES:
            raise InputError(f"There is no penalty '{self.penalty}': it must be 'ridge', or be left out.")
        if self.penalty and self.family != "logistic":
            raise InputError("A penalty draws log odds towards 0: choose a logistic regression, or leave it out.")
        if self.random and (self.family != "logistic" or self.always):
            raise InputError(
                "Random intercepts are of a logistic regression in which everybody follows the instruction: choose that."
            )
        if self.always and self.family != "logistic":
            raise InputError(
                "People who do not follow the instruction are modelled in a logistic regression only: choose that model."
            )
        for name in self.names:
            if self.names.count(name) > 1:
                raise InputError(f"The predictor '{name}' is given twice: give it once.")
        for term in self.predictors:
            if self.outcome in term.columns:
                raise InputError(f"'{self.outcome}' is the outcome and a predictor: choose one of the two.")
            lacking = next((part.text for part in term.parts if part.text not in self.names), None)
            if lacking is not None:
                raise InputError(
                    f"The interaction '{term.text}' needs '{lacking}' as a predictor too: add it, or write '*' in place of ':'."
                )

    @property
    def names(self) -> tuple[str, ...]:
        """The terms as they are written."""
        return tuple(term.text for term in self.predictors)
