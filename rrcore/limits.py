"""Every limit of RR Workbench, for the library, the pages and the tests."""

MAX_FILE_BYTES = 180 * 2**20
"""Largest file that is read as a whole (bytes as uploaded); larger ones are read in batches, where they are."""

MAX_UNPACKED_BYTES = 400 * 2**20
"""Largest content of a compressed file (.gz, .xlsx, .parquet) once unpacked, in bytes."""

MAX_ROWS = 5_000_000
"""Most records of one table."""

MAX_ROWS_PER_PERSON = 10_000
"""Most rows of one person in a table."""

MAX_STREAM_KINDS = 20_000_000
"""Most kinds of people, by their answers and by columns such as strata and clusters, that are counted apart in answers read in batches."""

MAX_LINES_BYTES = 32 * 2**20
"""Bytes of the lines of a form that are read at a time, and so the longest line."""

MAX_COLUMNS = 1_000
"""Most columns of one table, and most attributes of one schema."""

HEAD_ROWS = 1_000
"""Rows of a file that are looked at to find out where its table starts and whether names stand above it."""

PREVIEW_ROWS = 10
"""Rows that a page shows of a file before it is read."""

PREVIEW_COLUMNS = 30
"""Columns of such a preview."""

MAX_SHEETS = 50
"""Most sheets of a workbook that are offered."""

MAX_READING_SECONDS = 120
"""Time, in seconds, that one file may take to be read, unless the operator of a dashboard says otherwise."""

MAX_READING_MEGABYTES = 900
"""Memory, in units of 2^20 bytes, that reading one file may take at its peak, the file included, unless the operator says otherwise."""

MAX_JOB_SECONDS = 3600
"""Time of one calculation in the background."""

MAX_JOB_MEGABYTES = 4096
"""Memory of one calculation in the background, in units of 2^20 bytes, beyond the libraries that it uses."""

DEMO_ROWS = 200_000
"""Most people of a simulation or an invented table in a demo, where many tabs share one server."""

DEMO_JOB_SECONDS, DEMO_JOB_MEGABYTES = 300, 1024
"""Time and memory of one calculation in the background of a demo."""

MAX_TABLE_CELLS = 100_000_000
"""Most cells, rows times columns, of one table: each takes one byte or more, and twice that for a moment."""

MAX_SHEET_CELLS = 10_000_000
"""Most cells of one sheet of a workbook, counted as rows times columns out to the farthest cell."""

MAX_DISTINCT = 500_000
"""Most different values of one column; a column of more is left out."""

MAX_DISTINCT_BYTES = 256 * 2**20
"""Most memory for the different texts of all columns of a table, in bytes; of more, the columns with most are left out."""

MAX_CHUNK_BYTES = 16 * 2**20
"""Most bytes of one column in one row group of a Parquet file, once unpacked, where its texts are far longer than answers are; a column of
more is left out."""

MAX_CATEGORIES = 1_000
"""Most categories of one attribute."""

MAX_PLANNED_CATEGORIES = 10_000
"""Most categories of an attribute that is only a number, as on the command line's ``plan``."""

MAX_TEXT = 500
"""Longest name of an attribute or of a category, in characters."""

MAX_UNRANDOMIZED = 30
"""Most questions of a survey whose answers are sent as they are: each tells people further apart."""

MAX_REASONS = 5_000
"""Longest reasons that a document gives, in characters."""

MAX_EPSILON = 30.0
"""Largest level eps_i in nats: odds of ten thousand billion to one are no protection, and double precision ends not far above it."""

MIN_EPSILON = 1e-3
"""Smallest level eps_i in nats: an answer that shifts the odds by less than a thousandth is noise."""

MAX_PEOPLE = 10**10
"""Most respondents of a plan: more than there are people."""

MAX_SEED = 2**53 - 1
"""Largest seed of a simulation: browsers know no larger whole number exactly."""

MAX_OPTIMAL_ATTRIBUTES = 20
"""Most attributes for which the optimum is solved exactly over all 2^k sets of changes."""

MAX_INSTANT_ATTRIBUTES = 8
"""Most attributes of a plan whose mechanism is made while a page is drawn (about 0.1 s); beyond, it is made with progress."""

MAX_PROGRAMME_ATTRIBUTES = 12
"""Most attributes of one linear programme over all 2^k sets of changes at once, and so of floors, caps and designs."""

MAX_BLOCK_ATTRIBUTES = 100
"""Most attributes that are split into blocks of ten, each with an optimum of its own: seconds each where all are unlike."""

MAX_CELLS = 2_000_000
"""Most cells of one contingency table."""

MAX_MATRIX_CELLS = 2_000
"""Most cells of a table that is inverted by matrices over pairs of cells, which is only there to compare with."""

MAX_SEQUENCE_CELLS = 200
"""Most combinations of answers whose shares get intervals that are valid at every look: each is solved for, among all reports."""

MAX_EM_CELLS = 60_000
"""Most cells of a table that EM is run on: every iteration goes through all of them."""

MAX_PAIR_CATEGORIES = 1_500
"""Most categories, over all attributes, of which every pair is looked at for dependence."""

MAX_STUDY_CELLS = 500_000
"""Most cells of a joint distribution that schemes are compared on, repeatedly."""

MAX_COMPARED_PEOPLE = 1_000_000
"""Most people of a table of any size on which schemes are compared: more are drawn from at random."""

MAX_REPEATS = 10_000
"""Most releases of one comparison."""

MAX_TRANSCRIPT_PARTIES = 300
"""Most parties of a secure sum of which every message is kept."""

MAX_CLUSTER_CELLS = 2_000
"""Largest T_v that a page offers: combinations that the attributes of one cluster may have."""

MAX_SECRET_PEOPLE = 50_000
"""Most parties of a secure sum that is simulated."""

MAX_MODULUS = 1 << 40
"""Largest modulus of a secure sum: the sum of millions of messages still fits into 64 bits."""

MAX_MARGINAL = 8
"""Most attributes of one marginal: inversion splits a table into 2^w pieces."""

USELESS_MARGIN = 0.5
"""A 95% interval of a share that reaches this far to both sides spans the whole range and says nothing."""

MAX_DRAWN = 40
"""Most attributes or keys of a figure with a row for each; of more the most telling ones are drawn, and a sentence says so."""

MAX_PAGE_CELLS = 20_000
"""Most cells of a marginal drawn on a page."""

MAX_PAGE_ROWS = 200
"""Most rows of a figure of proportions on a page."""

MAX_PAGE_MARGINAL = 4
"""Most attributes of a marginal shown on a page."""

FEWEST_ORDERED = 3
"""Categories that an ordered attribute has at least for cumulative shares: of two, a share says everything."""

MAX_SCORE = 1e12
"""Largest number, by absolute value, that a category may stand for in a mean."""

MIN_FACTOR = 1e-6
"""Smallest |mu_T| that is inverted. Below it, more than 1e12 respondents would be needed before the interaction T rose
above the noise, so it counts as erased."""

MANY_CATEGORIES = 50
"""Above this number of categories a column draws a warning."""

NUMERIC_CATEGORIES = 12
"""A numeric column with more distinct values than this is offered in intervals."""

FEW_PEOPLE = 5
"""Categories of fewer people than this are proposed for merging where their names were read off the data; edges that are proposed do not
depend on this many people at either end."""

REPEATS = 200
"""Draws behind "repeat 200 times"."""

MAX_SLACK = 1_000.0
"""Largest slack of a leakage cap, in nats: beyond it there might as well be no cap."""

MAX_FLOOR = 1_000.0
"""Largest accuracy floor, as a multiple of Kronecker's accuracy: far above it nothing can be promised."""

MIN_FLOOR = 1e-3
"""Smallest accuracy floor: a thousandth of Kronecker's accuracy keeps nothing."""

MAX_QUESTIONS = 4_096
"""Most joint distributions that one plan is designed for, or has a floor for: as many as twelve attributes have."""

MAX_PINNED = 30
"""Most plans saved at a time."""

MAX_ROUNDS = 1000
"""Most times that the same people are asked the same questions."""

MAX_TOTAL = 60.0
"""Largest total of the whole record, in nats, that can be asked for: far above it nothing is protected."""

"""Least and most that all levels of a plan are multiplied by at once."""


MAX_DOCUMENT_BYTES = 32 * 2**20
"""Largest document (plan, pinned plans, project, mechanism file) that is read."""

MAX_DOCUMENT_VALUES = 2_000_000
"""Most values of one document: commas, lists and sets of fields are counted before any is made."""

MAX_NUMBER_DIGITS = 40
"""Most digits of a whole number in a document: longer integers, the weights of a mechanism, are written as text."""

MAX_WORDING = 20_000
"""Most characters of a text that a person writes: a question as it is asked, a note, a paragraph of a report."""

MAX_COUNT_VECTORS = 1 << 20
"""Most count vectors, the product over kinds of attributes of (attributes of the kind + 1), over which the optimum is solved."""

MAX_SYNTHETIC_ATTRIBUTES = 8
"""Most attributes of an invented table."""

MAX_ZIPF = 5.0
"""Largest Zipf exponent of an invented table: the most frequent of two answers then has 88% of the people."""

MAX_FILE_SETS = 1 << 16
"""Most sets of changes with a weight of their own in a mechanism file."""

MAX_SHORT_SETS = 1 << 12
"""Most sets of changes that are listed where counts of lies would do as well: programs that know no counts can read the file then."""

MAX_FILE_COUNTS = 1 << 18
"""Most count vectors of one group of attributes in a mechanism file."""

MAX_RECORD_BITS = 1_024
"""Bits of the largest weight of one record in a mechanism file that weighs counts of lies."""

MAX_WEIGHT_BITS = 160
"""Bits of the largest integer weight, and of the sum of weights, in a mechanism file."""

MAX_MATRIX_CATEGORIES = 100
"""Most categories of an attribute that is randomized by a matrix of its own."""

MAX_GROWTH = 1e-6
"""Most, in nats, by which writing a mechanism in integers may raise a level or a total."""

MAX_ENUMERATED = 1_000_000
"""Most entries M x M of a mechanism's matrix over whole records that is written out, exactly, to check what is claimed."""

MIN_AUDIT_RUNS = 100
"""Fewest runs of an audit: fewer show next to nothing."""

MAX_AUDIT_RUNS = 10_000_000
"""Most runs of an audit with each record."""

AUDIT_CONFIDENCE = 0.999
"""An audit passes a correct mechanism with at least this probability."""

SAMPLER_SECONDS = 600
"""Time, in seconds, that a program which is audited has for one batch of records."""

MAX_LEDGER_ENTRIES = 10_000
"""Most releases in one ledger."""

FIRST_LEDGER_YEAR = 1990
"""Year of the earliest release that is recorded in a ledger."""

MAX_DAYS_AHEAD = 366
"""Most days by which the date of a release may lie in the future when it is recorded."""

MAX_LEDGER_NATS = 10_000
"""Largest total, in nats, of one release in a ledger: no mechanism file can reach it with a bound."""

MAX_FILTER_BITS = 4_096
"""Most bits of one attribute's Bloom filter."""

MAX_HASHES = 64
"""Most hash functions of a Bloom filter."""

MAX_REPORT_BITS = 1 << 32
"""Most bits of all LoPub reports of one simulation: half a gigabyte, packed."""

MAX_EM_ENTRIES = 400_000_000
"""Most numbers (8 bytes each) of the likelihood tables of EM on LoPub reports."""

MAX_LASSO_CELLS = 20_000
"""Most combinations of a Lasso regression."""

MAX_CLIQUE_CELLS = 200_000
"""Most combinations of one clique that a synthetic table is pieced together from."""

MAX_KEYS = 1_000
"""Most keys of key-value data."""

MAX_KEY_VALUES = 2**28
"""Most values, users times keys, of key-value data that are invented."""

MAX_ROUNDS = 1_000
"""Most rounds of PrivKVM."""

MAX_INDEX_KEYS = 10
"""Most keys of IOH: it sends 3^d bits per user, 59,049 for ten keys."""

MAX_FACTOR_NUMBERS = 1 << 26
"""Most numbers, combinations times clusters or strata, that the variance of a marginal is kept in."""

MAX_MODEL_CELLS = 256
"""Most combinations of answers to the randomized attributes of one regression."""

MAX_MODEL_LEVELS = 50
"""Most categories of one predictor of a regression."""

MAX_MODEL_OUTCOMES = 20
"""Most categories of the outcome of a logistic regression, where it was not randomized."""

MAX_MODEL_COEFFICIENTS = 400
"""Most coefficients of one regression, those of the predictors' own distribution included."""

MAX_MODEL_ENTRIES = 100_000_000
"""Most numbers, people times combinations of true answers, that a regression goes through at every step."""

MAX_INVITATIONS = 1_000_000
"""Most invitation codes that are made at a time."""

MAX_INVITATION_BYTES = 2_000
"""Longest request for an invitation, in bytes."""

MAX_WAITING_ANSWERS = 5_000
"""Most answers that wait to be stored; who sends more is asked to try again."""

MAX_ARRIVAL_SECONDS = 20
"""Time, in seconds, that an answer may take to arrive as a whole."""

MAX_CONNECTIONS = 900
"""Most connections of a receiver at a time: systems usually allow a program 1,024 open files."""

MAX_TYPED = 200_000
"""Most characters of questions that are typed in a page."""

MAX_LAW_SETS = 200
"""Sets of two, of three, ... attributes that tell how strong dependence of their order is: all pairs of 20 attributes."""

MAX_LAW_CELLS = 1 << 15
"""Combinations of answers to a set that tells how strong dependence is."""

MAX_TABLE_ATTRIBUTES = 40
"""Attributes of one table for everything: all their pairs are read and kept together."""

FIRST_SURVEY_PORT, LAST_SURVEY_PORT = 8600, 8699
"""Ports that the dashboard starts servers of surveys on, the first free one, where nobody names another."""

MAX_QR_CHARACTERS = 500
"""Most characters of an address as a QR code: more makes squares that a phone cannot tell apart on paper."""

LESSON_DOTS = 2_000
"""People of the chapters of Learn: each is a dot on the screen."""


MIN_POLL_PEOPLE, MAX_POLL_PEOPLE = 5, 1_000
"""People of a class that is polled."""

MAX_POLL_ANSWERS = 6
"""Most possible answers to the question of a class poll: more could not be read on a wall."""

LEAST_POLL_TRUTH, MOST_POLL_TRUTH = 5, 95
"""Smallest margin over chance of an unchanged answer in a class poll, in points, and its largest probability, in percent."""

POLL_HOURS = 4
"""Hours after which a class poll that nobody ended ends itself, and is deleted."""
