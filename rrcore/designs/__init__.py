"""Designs of the field by name, each with its exact channel, level and estimator, and the paper it is from."""

from rrcore.designs.amounts import (
    AMOUNT_DESIGNS,
    AmountDesign,
    AmountEstimate,
    Multiplier,
    amount_channel,
    amount_error,
    estimate_amounts,
)
from rrcore.designs.blocks import BLOCK_DESIGNS, BlockDesign, BlockEstimate, Blocks, estimate_blocks
from rrcore.designs.counted import christofides, kuk
from rrcore.designs.design import Design, LatentDesign, matrix, rows_of
from rrcore.designs.estimate import DesignEstimate, Fit, QuantityEstimate, design_error, estimate_counts, formula_error, unbiased
from rrcore.designs.exact import DesignChannel, Quantity
from rrcore.designs.facts import Facts, design_facts
from rrcore.designs.filing import group_files
from rrcore.designs.forced import forced_response, unrelated_question
from rrcore.designs.latent import LATENT_DESIGNS
from rrcore.designs.measured import Measured
from rrcore.designs.mirrored import k_ary, mangat_singh, warner
from rrcore.designs.onesided import one_sided
from rrcore.designs.reading import DESIGNS, read_design, read_question
from rrcore.designs.sampled import from_sample
from rrcore.designs.written import number, probability
