"""Every limit of the workbench, in one place: read by the library, the pages and the tests alike."""

MAX_FILE_BYTES = 100 * 2**20
"""Largest file that is read (bytes as uploaded)."""

MAX_UNPACKED_BYTES = 400 * 2**20
"""Largest content of a compressed file (.gz, .xlsx, .parquet) once unpacked, in bytes."""

MAX_ROWS = 5_000_000
"""Most records of one table."""

MAX_COLUMNS = 1_000
"""Most columns of one table, and most attributes of one schema."""

MAX_CATEGORIES = 1_000
"""Most categories of one attribute."""

MAX_TEXT = 500
"""Longest name of an attribute or of a category, in characters."""

MAX_LEVEL = 30.0
"""Largest level eps_i in nats: odds of ten million million to one, far beyond any protection."""

MIN_LEVEL = 1e-6
"""Smallest level eps_i in nats: below it an answer is noise to within rounding."""

MAX_OPTIMAL_ATTRIBUTES = 12
"""Most attributes for which the optimum is solved exactly over all 2^k lie sets."""

MAX_CELLS = 2_000_000
"""Most cells of one contingency table."""

MAX_MARGINAL = 8
"""Most attributes of one marginal: inversion splits a table into 2^w pieces."""

MAX_PAGE_MARGINAL = 4
"""Most attributes of a marginal shown on a page."""

MIN_FACTOR = 1e-6
"""Smallest |mu_T| that is inverted. Below it, more than 1 / MIN_FACTOR^2 = a million million respondents would be
needed before the interaction T rose above the noise, so it counts as erased."""

MANY_CATEGORIES = 50
"""Above this number of categories a column draws a warning."""

NUMERIC_CATEGORIES = 12
"""A numeric column with more distinct values than this is offered for binning."""

REPEATS = 200
"""Draws behind "repeat 200 times"."""
