"""What people deny who are asked directly: validation studies, in which each answer, or their sum, was compared with records or a test.

Every number was read where ``read_in`` says. They are a scale for a planner and no estimate for another question: what is denied depends on
the question, the people and who asks.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DenialRate:
    """One validation study.

    Parameters
    ----------
    what : what was asked
    rate : float, of those whom it is true of (or of the events) this share was not reported
    measured : what the number is, how it was validated, and who was asked
    source : the study
    read_in : where the number was read
    """

    what: str
    rate: float
    measured: str
    source: str
    read_in: str


DENIAL_RATES = (
    DenialRate(
        "An abortion, matched with medical records",
        0.19,
        "of 104 American women aged 27 to 30, those who left out at least one abortion that stood in their medical records",
        "J. R. Udry, M. Gaughan, P. J. Schwingl, B. J. van den Berg, “A Medical Record Linkage Analysis of Abortion Underreporting”, Family "
        "Planning Perspectives 28 (1996) 228-231",
        "the abstract",
    ),
    DenialRate(
        "Smoking while pregnant",
        0.22,
        "of pregnant women in New Zealand who smoked by the cotinine in their blood, those who denied it",
        "R. P. Ford, D. M. Tappin, P. J. Schluter, C. J. Wild, “Smoking during pregnancy: how reliable are maternal self reports in New "
        "Zealand?”, Journal of Epidemiology and Community Health 51 (1997) 246-251",
        "the abstract",
    ),
    DenialRate(
        "An abortion, told without the interviewer",
        0.48,
        "of abortions in the USA of 1991 to 1994 that providers counted, those missing in the self-report of a national survey",
        "H. Fu, J. E. Darroch, S. K. Henshaw, E. Kolb, “Measuring the Extent of Abortion Underreporting in the 1995 National Survey of "
        "Family Growth”, Family Planning Perspectives 30 (1998) 128-133, 138",
        "the abstract: 52 % reported",
    ),
    DenialRate(
        "An abortion, told to an interviewer",
        0.53,
        "of abortions in the USA of 1997 to 2001, those missing in the interviews of a national survey of 2002",
        "R. K. Jones, K. Kost, “Underreporting of Induced and Spontaneous Abortion in the United States: An Analysis of the 2002 National "
        "Survey of Family Growth”, Studies in Family Planning (2007), doi 10.1111/j.1728-4465.2007.00130.x",
        "the abstract: 47 % reported",
    ),
    DenialRate(
        "An abortion, matched with insurance claims",
        0.71,
        "of abortions that Medicaid claims show for 1,236 welfare mothers in New Jersey, those not reported by them",
        "R. Jagannathan, “Relying on Surveys to Understand Abortion Behavior: Some Cautionary Evidence”, American Journal of Public "
        "Health 91 (2001) 1825-1831",
        "the abstract: 29 % reported",
    ),
)
"""Least denied first."""
