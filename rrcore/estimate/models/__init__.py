"""Regressions in which outcome, predictors or both were randomised."""

from rrcore.estimate.models.cells import dense_channel
from rrcore.estimate.models.covariates import Columns, Covariate, read_covariates
from rrcore.estimate.models.effects import Averages, Predictions
from rrcore.estimate.models.fitting import fit
from rrcore.estimate.models.model import FAMILIES, Association, Family, Model, Term, read_term
from rrcore.estimate.models.result import Fit
from rrcore.estimate.models.sentences import SIGNIFICANT, headline, sentence
from rrcore.estimate.models.solution import Test
