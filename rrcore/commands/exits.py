"""Exit codes: how a program that runs a command learns how it ended."""

OK, REFUSED, CAUGHT, UNREAD = 0, 2, 3, 141

EXITS = {
    OK: "done; `audit`: every check passed",
    REFUSED: "bad input, or what could not be done: one sentence on standard error, and nothing was written",
    CAUGHT: "`audit`: a mechanism, sampler or set of answers does not keep its claim",
    UNREAD: "nobody read the output to its end, as with `| head`",
}
"""Exit code -> what it means. A command that ends otherwise than ``OK`` or ``REFUSED`` says so in its parser's default ``ends``."""
