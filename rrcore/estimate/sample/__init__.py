"""Samples that are not simple: weights, strata, clusters, finite populations, replicate weights, known margins."""

from rrcore.estimate.sample.replicates import METHODS, Method, Replicates
from rrcore.estimate.sample.reweighting import Margin, bootstrap, jackknife, rake, reweigh_for_nonresponse
from rrcore.estimate.sample.sample import Lonely, Sample, codes_by_name
from rrcore.estimate.sample.spread import Spread
from rrcore.estimate.sample.tally import Tally, tally
