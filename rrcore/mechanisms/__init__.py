"""Mechanisms: ways to randomise records that keep given levels."""

from rrcore.mechanisms.accuracy import Gain, Price, accuracy_gains, expected_pair_errors
from rrcore.mechanisms.base import PROVED, Mechanism
from rrcore.mechanisms.blocks import Blocks
from rrcore.mechanisms.closed_form import Joint, Kronecker
from rrcore.mechanisms.counted import Counted
from rrcore.mechanisms.least import GAPS, Closeness, check_closeness
from rrcore.mechanisms.listed import Listed
from rrcore.mechanisms.optimal import Optimal
from rrcore.mechanisms.published import MAX_PUBLISHED, Published, published_two_attribute_optimum, solve_published_programme
from rrcore.mechanisms.questions import Questions
from rrcore.mechanisms.recipes import (
    MECHANISMS,
    RECOMMENDED_WIDTH,
    build,
    offered_recipes,
    recipe,
    recommended_recipe,
    safe_recipe_name,
    safe_recipe_width,
)
from rrcore.mechanisms.safeguards import Safeguards
from rrcore.mechanisms.scaling import ScaledLevels, scale_levels
