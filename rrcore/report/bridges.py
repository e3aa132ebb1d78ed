"""Bridges to other programs for statistics: an R script that reads mechanism files and answers by itself, and a do-file for Stata."""

from pathlib import Path

import numpy as np

from rrcore.errors import InputError
from rrcore.promise import MechanismFile
from rrcore.report.page import visible
from rrcore.table.dataset import codes_of

_R_SCRIPT = Path(__file__).parent / "shares.R"
_STATA_NAME = "rr_{question}_{answer}"

_DO_FILE = """\
* Shares of true answers, read from randomised ones, of each question on its own. {title}
* It serves the mechanism file with the SHA-256 {sha256}
* and answers as a table (CSV) whose columns are called as the questions. Put its place into the next line.
* Each answer adds a known number to each share, the mean of which is the share: unbiased, so that it may lie below 0 or above 1. Standard
* errors are those of the means. RR Workbench smooths the variance where answers are few: its errors differ a little from these. A row with
* something that is no report counts for its other questions here; RR Workbench leaves it out.
* Shares are those of everybody: people who did not follow the instructions, whom a control item shows, are not taken out.
* For weights, strata and clusters, svyset the data and write svy: before mean.
version 14
clear all
import delimited using "answers.csv", varnames(nonames) stringcols(_all) bindquote(strict) encoding("utf-8") clear
"""

_QUESTION = """
* {number}. {shown}
local column
foreach each of varlist v* {{
    if inlist(strtrim(subinstr({each}[1], uchar(65279), "", .)), {names}) local column `each'
}}
if "`column'" == "" {{
    display as error {lacking}
    exit 111
}}
"""


def r_script() -> str:
    """The R script, the same for all mechanism files: base R alone, nothing of this library.

    It gives unbiased shares and standard errors, as ``Estimate.shares`` and ``Estimate.standard_error(population=True)``, of each question or
    of several together, for every kind of weights, from CSV tables and from lines of the respondents' form.

    Examples
    --------
    >>> from rrcore.report import r_script
    >>> "rr_shares <- function(file, answers, asked)" in r_script()
    True
    """
    return _R_SCRIPT.read_text(encoding="utf-8")


def stata_do_file(file: MechanismFile) -> str:
    """A Stata do-file (version 14 or newer) for the share of each answer to each question, from a table of collected answers.

    Questions that the mechanism erases are named in a comment and left out; joint shares are not served.

    Parameters
    ----------
    file : MechanismFile, by which the answers were randomised

    Raises
    ------
    InputError
        Where a name or a report holds what no string of Stata can hold.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> from rrcore.report import stata_do_file
    >>> [line for line in stata_do_file(nigeria().mechanism).splitlines() if line.startswith("mean ")]
    ['mean rr_1_1 rr_1_2']
    """
    parts = [_DO_FILE.format(title=f"{len(file.schema.names)} in all.", sha256=file.sha256)]
    for i in range(len(file.schema.names)):
        parts.append(_question(file, i))
    return "".join(parts)


def _question(file: MechanismFile, i: int) -> str:
    """The lines of one question."""
    asked, reported = file.schema.attributes[i], file.reports.attributes[i]
    channel = file.marginal_channel((i,))
    if channel.lost():
        return f"\n* {i + 1}. {_comment(asked.name)}: its shares cannot be read, since the mechanism erases it.\n"
    scores = channel.invert(np.eye(reported.size))
    lines = [
        _QUESTION.format(
            number=i + 1,
            shown=_comment(asked.name),
            each="`each'",
            names=", ".join(_string(text) for text in (asked.name.strip(), f"'{asked.name.strip()}")),
            lacking=_string(f"The table has no column that is called {asked.name}."),
        )
    ]
    names = []
    for v, category in enumerate(asked.categories):
        name = _STATA_NAME.format(question=i + 1, answer=v + 1)
        names.append(name)
        lines.append(f"generate double {name} = .\n")
        lines += [
            f"replace {name} = {float(scores[v, u])!r} if strtrim(`column') == {_string(text)} & _n > 1\n"
            for text, u in codes_of(reported).items()
            if text == text.strip()
        ]
        lines.append(f"label variable {name} {_string(f'{asked.name}: {category}'[:80])}\n")
    return "".join([*lines, f"mean {' '.join(names)}\n"])


def _comment(text: str) -> str:
    """A text in one line that opens and closes no comment of Stata."""
    return " ".join(visible(text).split()).replace("*/", "* /").replace("/*", "/ *").replace("///", "/ / /")


def _string(text: str) -> str:
    """A string of Stata in compound quotation marks; macros in it are not expanded."""
    if "\"'" in text or '`"' in text or "\n" in text or "\r" in text:
        raise InputError(
            f"'{text[:60]}' cannot stand in a do-file of Stata, since it has a line break or the quotation marks of a string there: rename "
            "it, or use the R script."
        )
    return '`"' + text.replace("$", "\\$").replace("`", "\\`") + "\"'"
