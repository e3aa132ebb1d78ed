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
from rrcore.designs.blocks import BLOCK_DESIGNS, BlockDesign, BlockEstimate, BlocksOfPeople, estimate_blocks
from rrcore.designs.catalogue import (
    DESIGNS,
    christofides,
    forced_response,
    k_ary,
    kuk,
    mangat_singh,
    one_sided,
    unrelated_question,
    warner,
)
from rrcore.designs.design import Design, LatentDesign, design_rows, matrix_design
from rrcore.designs.estimate import DesignEstimate, DesignFit, Measured, QuantityEstimate, design_error, estimate_counts
from rrcore.designs.exact import DesignChannel, DesignQuantity
from rrcore.designs.latent import LATENT_DESIGNS
from rrcore.designs.rational import rational_number, rational_probability
from rrcore.designs.reading import Facts, design_facts, read_design, read_group_files, read_question
from rrcore.designs.sampled import from_sample
