"""The methods of the Privacy-Optimized RR paper ("Privacy-Optimized Randomized Response") as published, to compare with."""

from rrcore.mechanisms.published.inductive import Published
from rrcore.mechanisms.published.matrices import (
    MAX_PUBLISHED,
    PublishedOptimum,
    equalities,
    order_constraints,
    solve_published_programme,
)
from rrcore.mechanisms.published.two_attributes import TwoAttributeOptimum, two_attribute_optimum
