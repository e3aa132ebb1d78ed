"""Designs of the field by name, each with its exact channel, level and estimator, and the paper it is from."""

from rrcore.collect.designs.amounts import (
    AMOUNT_DESIGNS,
    AmountDesign,
    AmountEstimate,
    Multiplier,
    amount_channel,
    amount_error,
    estimate_amounts,
)
from rrcore.collect.designs.blocks import BLOCK_DESIGNS, BlockDesign, BlockEstimate, Blocks, estimate_blocks
from rrcore.collect.designs.counted import christofides, kuk
from rrcore.collect.designs.design import Design, LatentDesign, matrix, rows_of
from rrcore.collect.designs.estimate import (
    DesignEstimate,
    Fit,
    QuantityEstimate,
    design_error,
    estimate_counts,
    formula_error,
    unbiased,
)
from rrcore.collect.designs.exact import DesignChannel, Quantity
from rrcore.collect.designs.facts import Facts, design_facts
from rrcore.collect.designs.filing import group_files
from rrcore.collect.designs.forced import forced_response, unrelated_question
from rrcore.collect.designs.latent import LATENT_DESIGNS
from rrcore.collect.designs.measured import Measured
from rrcore.collect.designs.mirrored import k_ary, mangat_singh, warner
from rrcore.collect.designs.onesided import one_sided
from rrcore.collect.designs.reading import DESIGNS, read_design, read_question
from rrcore.collect.designs.sampled import from_sample
from rrcore.collect.designs.written import number, probability
