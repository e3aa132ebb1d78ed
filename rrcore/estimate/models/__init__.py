"""Regressions in which outcome, predictors or both were randomised."""

from rrcore.estimate.models.cells import TooManyCombinationsError, dense_channel
from rrcore.estimate.models.correlation import Correlation, correlations
from rrcore.estimate.models.covariates import Columns, Covariate, read_covariates
from rrcore.estimate.models.effects import Averages, Predictions
from rrcore.estimate.models.fitting import fit
from rrcore.estimate.models.hypothesis import Test
from rrcore.estimate.models.merging import merged_note, rare_categories
from rrcore.estimate.models.model import FAMILIES, PENALTIES, Association, Family, Model, Penalty
from rrcore.estimate.models.proposal import ModelProposal, propose
from rrcore.estimate.models.result import Fit
from rrcore.estimate.models.sentences import SIGNIFICANT, about_coefficients, about_effects, coefficient_texts, headline, sentence
from rrcore.estimate.models.solution import NoHighestPointError
from rrcore.estimate.models.terms import Term, read_term, read_terms
