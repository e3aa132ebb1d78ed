"""Every limit of RR Workbench, for the library, the pages and the tests."""

MAX_FILE_BYTES = 180 * 2**20
"""Largest file that is read as a whole (bytes as uploaded). Larger ones are read in batches, where they are."""

MAX_UNPACKED_BYTES = 400 * 2**20
"""Largest content of a compressed file (.gz, .xlsx, .parquet) once unpacked, in bytes."""

MAX_ROWS = 5_000_000
"""Maximum number of records of one table."""

MAX_ROWS_PER_PERSON = 10_000
"""Maximum number of rows of one person in a table."""

MAX_STREAM_KINDS = 20_000_000
"""Maximum number of kinds of people, by their answers and columns such as strata, that are counted in answers read in batches."""

MAX_LINES_BYTES = 32 * 2**20
"""Bytes of the lines of a form that are read at a time, and so the longest line."""

MAX_COLUMNS = 1_000
"""Maximum number of columns of one table and of attributes of one schema."""

HEAD_ROWS = 1_000
"""Rows of a file that are examined to find the start of its table and its column names."""

PREVIEW_ROWS = 10
"""Rows that a page shows of a file before it is read."""

PREVIEW_COLUMNS = 30
"""Columns of such a preview."""

MAX_SHEETS = 50
"""Maximum number of sheets of a workbook that are offered."""

MAX_READING_SECONDS = 120
"""Time in seconds that one file may take to be read, unless the operator of a dashboard says otherwise."""

MAX_READING_MEGABYTES = 900
"""Memory in units of 2^20 bytes that reading one file may take at its peak, the file included, unless the operator says otherwise."""

MAX_JOB_SECONDS = 3600
"""Time of one calculation in the background."""

MAX_JOB_MEGABYTES = 4096
"""Memory of one calculation in the background, in units of 2^20 bytes, beyond the libraries that it uses."""

DEMO_ROWS = 200_000
"""Most people of a simulation or an invented table in a demo, where many tabs share one server."""

DEMO_JOB_SECONDS, DEMO_JOB_MEGABYTES = 300, 1024
"""Time and memory of one calculation in the background of a demo."""

MAX_TABLE_CELLS = 100_000_000
"""Maximum number of cells, rows times columns, of one table. Each takes one byte or more, and temporarily twice that."""

MAX_SHEET_CELLS = 10_000_000
"""Maximum number of cells of one sheet of a workbook, counted as rows times columns out to the farthest cell."""

MAX_DISTINCT = 500_000
"""Maximum number of different values of one column. A column with more is left out."""

MAX_DISTINCT_BYTES = 256 * 2**20
"""Maximum number of bytes of the different texts of all columns. If there are more, the columns with the most are left out."""

MAX_CHUNK_BYTES = 16 * 2**20
"""Maximum number of bytes of one column in one row group of a Parquet file once unpacked, if its texts are longer than answers. A column of
more is left out."""

MAX_CATEGORIES = 1_000
"""Maximum number of categories of one attribute."""

MAX_PLANNED_CATEGORIES = 10_000
"""Maximum number of categories of an attribute that is only a number, as on the command line's ``plan``."""

MAX_TEXT = 500
"""Longest name of an attribute or of a category, in characters."""

MAX_UNRANDOMIZED = 30
"""Maximum number of questions of a survey whose answers are sent without randomization. Each one identifies people further."""

MAX_REASONS = 5_000
"""Longest reasons that a document gives, in characters."""

MAX_EPSILON = 30.0
"""Largest ε of an attribute, in nats. Odds of ten trillion to one are no protection, and double precision ends a little above."""

MIN_EPSILON = 1e-3
"""Smallest ε of an attribute, in nats. An answer that shifts the odds by less than a thousandth is noise."""

MAX_PEOPLE = 10**10
"""Maximum number of respondents of a plan."""

MAX_SEED = 2**53 - 1
"""Largest seed of a simulation. Browsers represent no larger whole number exactly."""

MAX_OPTIMAL_ATTRIBUTES = 20
"""Maximum number of attributes for which the optimum is solved exactly over all 2^k sets of changes."""

MAX_INSTANT_ATTRIBUTES = 8
"""Maximum number of attributes of a plan whose mechanism is made while a page is drawn (about 0.1 s). Beyond, it is made with progress."""

MAX_PROGRAMME_ATTRIBUTES = 12
"""Maximum number of attributes of one linear program over all 2^k sets of changes at once, and so of floors, caps and designs."""

MAX_BLOCK_ATTRIBUTES = 100
"""Maximum number of attributes that are split into blocks of ten, each with its own optimum. A block of unlike attributes takes seconds."""

MAX_CELLS = 2_000_000
"""Maximum number of cells of one contingency table."""

MAX_MATRIX_CELLS = 2_000
"""Maximum number of cells of a table that is inverted by matrices over pairs of cells, which serves only for comparison."""

MAX_SEQUENCE_CELLS = 200
"""Maximum number of combinations of answers whose shares have intervals that are valid at every look."""

MAX_EM_CELLS = 60_000
"""Maximum number of cells of a table to which EM is applied. Every iteration visits all of them."""

MAX_PAIR_CATEGORIES = 1_500
"""Maximum number of categories, over all attributes, whose pairs are examined for dependence."""

MAX_STUDY_CELLS = 500_000
"""Maximum number of cells of a joint distribution on which methods are compared."""

MAX_COMPARED_PEOPLE = 1_000_000
"""Maximum number of people of a table of any size on which methods are compared. Larger tables are sampled."""

MAX_REPEATS = 10_000
"""Maximum number of releases of one comparison."""

MAX_TRANSCRIPT_PARTIES = 300
"""Maximum number of parties of a secure sum whose messages are all kept."""

MAX_CLUSTER_CELLS = 2_000
"""Largest T_v that a page offers, which limits the combinations of the attributes of one cluster."""

MAX_SECRET_PEOPLE = 50_000
"""Maximum number of parties of a secure sum that is simulated."""

MAX_MODULUS = 1 << 40
"""Largest modulus of a secure sum. The sum of millions of messages still fits into 64 bits."""

MAX_MARGINAL = 8
"""Maximum number of attributes of one marginal, because inversion splits a table into 2^w pieces."""

USELESS_MARGIN = 0.5
"""A 95% interval of a share that reaches this far to both sides spans the whole range and is useless."""

MAX_DRAWN = 40
"""Maximum number of attributes or keys of a figure with a row for each. If there are more, the figure draws the most informative ones."""

MAX_PAGE_CELLS = 20_000
"""Maximum number of cells of a marginal drawn on a page."""

MAX_PAGE_ROWS = 200
"""Maximum number of rows of a figure of proportions on a page."""

MAX_PAGE_MARGINAL = 4
"""Maximum number of attributes of a marginal shown on a page."""

FEWEST_ORDERED = 3
"""Minimum number of categories of an ordered attribute for cumulative shares."""

MAX_SCORE = 1e12
"""Largest number, by absolute value, that a category may represent in a mean."""

MIN_FACTOR = 1e-6
"""Smallest |mu_T| that is inverted. Below it, more than 1e12 respondents would be needed before the interaction T rose
above the noise, so it counts as erased."""

MANY_CATEGORIES = 50
"""Above this number of categories a column draws a warning."""

NUMERIC_CATEGORIES = 12
"""A numeric column with more distinct values than this is offered in intervals."""

FEW_PEOPLE = 5
"""Categories of fewer people than this are proposed for merging where their names were read off the data. Edges that are proposed do not
depend on this many people at either end."""

REPEATS = 200
"""Draws behind "repeat 200 times"."""

MAX_SLACK = 1_000.0
"""Largest slack of a leakage cap, in nats. A larger cap has no effect."""

MAX_FLOOR = 1_000.0
"""Largest accuracy floor, as a multiple of Kronecker's accuracy. Much larger floors are impossible."""

MIN_FLOOR = 1e-3
"""Smallest accuracy floor. A thousandth of Kronecker's accuracy preserves nothing."""

MAX_QUESTIONS = 4_096
"""Maximum number of joint distributions that one plan is designed for, or has floors for, as many as twelve attributes have."""

MAX_PINNED = 30
"""Maximum number of plans saved at a time."""

MAX_ROUNDS = 1000
"""Maximum number of times that the same people are asked the same questions."""

MAX_TOTAL = 60.0
"""Largest total of the whole record, in nats, that can be requested. Far above it, nothing is protected."""

"""Least and most that all levels of a plan are multiplied by at once."""


MAX_DOCUMENT_BYTES = 32 * 2**20
"""Largest document (plan, pinned plans, project, mechanism file) that is read."""

MAX_DOCUMENT_VALUES = 2_000_000
"""Maximum number of values of one document. They are counted before any is created."""

MAX_NUMBER_DIGITS = 40
"""Maximum number of digits of a whole number in a document. Longer integers, such as weights, are written as text."""

MAX_WORDING = 20_000
"""Maximum number of characters of a text that a person writes, such as a question, a note or a paragraph of a report."""

MAX_COUNT_VECTORS = 1 << 20
"""Maximum number of count vectors, the product over kinds of attributes of (attributes of the kind + 1), over which the optimum is solved."""

MAX_SYNTHETIC_ATTRIBUTES = 8
"""Maximum number of attributes of an invented table."""

MAX_ZIPF = 5.0
"""Largest Zipf exponent of an invented table. The most frequent of two answers then has 88% of the people."""

MAX_FILE_SETS = 1 << 16
"""Maximum number of sets of changes with their own weights in a mechanism file."""

MAX_SHORT_SETS = 1 << 12
"""Maximum number of sets of changes that are listed although counts of changes would suffice, for programs that read no counts."""

MAX_FILE_COUNTS = 1 << 18
"""Maximum number of count vectors of one group of attributes in a mechanism file."""

MAX_RECORD_BITS = 1_024
"""Bits of the largest weight of one record in a mechanism file that weighs counts of lies."""

MAX_WEIGHT_BITS = 160
"""Bits of the largest integer weight, and of the sum of weights, in a mechanism file."""

MAX_MATRIX_CATEGORIES = 100
"""Maximum number of categories of an attribute that is randomized by its own matrix."""

MAX_GROWTH = 1e-6
"""Largest number of nats by which writing a mechanism in integers may raise a level or a total."""

MAX_ENUMERATED = 1_000_000
"""Maximum number of entries M x M of a mechanism's matrix over whole records that are computed exactly to check the claim."""

MIN_AUDIT_RUNS = 100
"""Minimum number of runs of an audit. Fewer runs show almost nothing."""

MAX_AUDIT_RUNS = 10_000_000
"""Maximum number of runs of an audit with each record."""

AUDIT_CONFIDENCE = 0.999
"""An audit passes a correct mechanism with at least this probability."""

SAMPLER_SECONDS = 600
"""Time in seconds that a program which is audited has for one batch of records."""

MAX_LEDGER_ENTRIES = 10_000
"""Maximum number of releases in one ledger."""

FIRST_LEDGER_YEAR = 1990
"""Year of the earliest release that is recorded in a ledger."""

MAX_DAYS_AHEAD = 366
"""Maximum number of days by which the date of a release may lie in the future when it is recorded."""

MAX_LEDGER_NATS = 10_000
"""Largest total, in nats, of one release in a ledger. No mechanism file with a bound can reach it."""

MAX_FILTER_BITS = 4_096
"""Maximum number of bits of one attribute's Bloom filter."""

MAX_HASHES = 64
"""Maximum number of hash functions of a Bloom filter."""

MAX_REPORT_BITS = 1 << 32
"""Maximum number of bits of all LoPub reports of one simulation (half a gigabyte, packed)."""

MAX_EM_ENTRIES = 400_000_000
"""Maximum number of numbers (8 bytes each) of the likelihood tables of EM on LoPub reports."""

MAX_LASSO_CELLS = 20_000
"""Maximum number of combinations of a Lasso regression."""

MAX_CLIQUE_CELLS = 200_000
"""Maximum number of combinations of one clique from which a synthetic table is assembled."""

MAX_KEYS = 1_000
"""Maximum number of keys of key-value data."""

MAX_KEY_VALUES = 2**28
"""Maximum number of values, users times keys, of key-value data that are invented."""

MAX_ROUNDS = 1_000
"""Maximum number of rounds of PrivKVM."""

MAX_INDEX_KEYS = 10
"""Maximum number of keys of IOH, which sends 3^d bits per user, 59,049 for ten keys."""

MAX_FACTOR_NUMBERS = 1 << 26
"""Maximum number of combinations times clusters or strata of the stored variance of a marginal."""

MAX_MODEL_CELLS = 256
"""Maximum number of combinations of answers to the randomized attributes of one regression."""

MAX_MODEL_LEVELS = 50
"""Maximum number of categories of one predictor of a regression."""

MAX_MODEL_OUTCOMES = 20
"""Maximum number of categories of the outcome of a logistic regression, if it was not randomized."""

MAX_MODEL_COEFFICIENTS = 400
"""Maximum number of coefficients of one regression, including those of the predictors' distribution."""

MAX_MODEL_ENTRIES = 100_000_000
"""Maximum number of people times combinations of true answers, which a regression visits at every step."""

MAX_INVITATIONS = 1_000_000
"""Maximum number of invitation codes that are created at a time."""

MAX_INVITATION_BYTES = 2_000
"""Longest request for an invitation, in bytes."""

MAX_WAITING_ANSWERS = 5_000
"""Maximum number of answers that wait to be stored. If there are more, senders must try again."""

MAX_ARRIVAL_SECONDS = 20
"""Time in seconds that an answer may take to arrive as a whole."""

MAX_CONNECTIONS = 900
"""Maximum number of connections of a receiver at a time. Systems usually allow a program 1,024 open files."""

MAX_TYPED = 200_000
"""Maximum number of characters of questions that are typed in a page."""

MAX_LAW_SETS = 200
"""Maximum number of sets of attributes of one size that show the strength of dependence (all pairs of 20 attributes)."""

MAX_LAW_CELLS = 1 << 15
"""Maximum number of combinations of answers to a set that shows the strength of dependence."""

MAX_TABLE_ATTRIBUTES = 40
"""Maximum number of attributes of a table whose pairs are all kept together."""

FIRST_SURVEY_PORT, LAST_SURVEY_PORT = 8600, 8699
"""Ports on which the dashboard starts servers of surveys. It takes the first free one unless a port is named."""

MAX_QR_CHARACTERS = 500
"""Maximum number of characters of an address in a QR code. Phones cannot read smaller squares on paper."""

LESSON_DOTS = 2_000
"""Number of people in the chapters of Learn. Each is a dot on the screen."""


MIN_POLL_PEOPLE, MAX_POLL_PEOPLE = 5, 1_000
"""People of a class that is polled."""

MAX_POLL_ANSWERS = 6
"""Maximum number of possible answers to the question of a class poll. More could not be read on a wall."""

LEAST_POLL_TRUTH, MOST_POLL_TRUTH = 5, 95
"""Smallest margin over chance of an unchanged answer in a class poll, in points, and its largest probability, in percent."""

POLL_HOURS = 4
"""Hours after which a class poll that nobody ended ends itself, and is deleted."""
