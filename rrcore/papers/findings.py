"""What the papers say about their schemes, and what is measured here: one line each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A claim of a paper and its measurement.

    Parameters
    ----------
    paper : which one, with table or figure
    claim : what it says
    measured : what is found here, with numbers
    verdict : "yes", "no" or "in part"
    """

    paper: str
    claim: str
    measured: str
    verdict: str


_CASTELL, _MULTI = "Castell", "Multi-Dimensional RR"

FINDINGS: tuple[Finding, ...] = (
    Finding(
        f"{_CASTELL}, Table VI",
        "Largest cell error of RR-Ind-Joint at eps = 4: 0.0004 at 2 attributes, growing to 0.3384 at 6.",
        "0.0021 at 2, 0.0017 at 6 (median of 20 releases, all sets of attributes); it is half L1 that grows, from 0.011 to 0.39.",
        "no",
    ),
    Finding(
        f"{_CASTELL}, Table VI",
        "Largest cell error of RR-Independent at eps = 4: 0.02 to 0.07.",
        "0.041, 0.053, 0.047, 0.037, 0.027 for 2 to 6 attributes.",
        "yes",
    ),
    Finding(
        f"{_CASTELL}, Table III",
        "Thresholds for n = 32,561 and d = 16: n* = 121,000, eps* = 0.473, w* = 1.374.",
        "The formulas of appendix C give w* = 1.374, but n* = 40,110 at eps = 4 and eps* = 4.32 for 2 attributes.",
        "in part",
    ),
    Finding(
        f"{_CASTELL}, Figure 5",
        "Errors of RR-Ind-Joint grow exponentially with the number of attributes; on Adult it is preferred up to 4.",
        "Largest cell error, 2 to 6 attributes: 0.041 to 1.23 at eps = 1 (preferred for 2 only), 0.009 to 0.02 at eps = 2 and 0.002 "
        "throughout at eps = 4 (preferred everywhere).",
        "in part",
    ),
    Finding(
        f"{_CASTELL}, Figure 6",
        "RR-Ind-Joint is the better of the two for more than 500 people in most cases; its error falls as 1/n.",
        "Pairs: from 100 people on at eps = 4 (0.037 against 0.060), only from 30,000 on at eps = 1. It falls as 1/sqrt(n): 0.037 at 100 "
        "people, 0.0035 at 10,000.",
        "in part",
    ),
    Finding(
        f"{_CASTELL}, Figure 7",
        "Pairs: RR-Independent hardly depends on eps, RR-Ind-Joint does, and is better except at eps = 0.5.",
        "RR-Independent 0.058 to 0.041; RR-Ind-Joint 0.217, 0.044, 0.0093, 0.0022, 0.0002 at eps = 0.5, 1, 2, 4, 8: better from 1 on.",
        "yes",
    ),
    Finding(
        f"{_CASTELL}, Figure 10",
        "Invented pairs: the mean absolute error of RR-Independent is proportional to V and falls with the number of categories; that of "
        "RR-Ind-Joint does not depend on V and grows with the number of categories.",
        "V = 0 to 1: 0.0026 to 0.0173 against 0.032 to 0.034; 2 to 16 categories: 0.121 to 0.004 against 0.014 to 0.050; with 10,000 "
        "people at eps = 1.",
        "yes",
    ),
    Finding(
        f"{_CASTELL}, Theorem 6",
        "The error of RR-Ind-Joint does not exceed (1 + (d - 1) / e^(eps/w))^w d^w / n.",
        "Two yes/no answers at eps = ln 3 each and a million people: the bound is 0.0000071, the median largest error 0.0014.",
        "no",
    ),
    Finding(
        f"{_MULTI}, Table I",
        "The relative error of count queries under RR-Clusters grows with the combinations allowed in a cluster (50, 100, 300).",
        "p = 0.1: 0.22, 0.25, 0.39 (printed 0.34, 0.40, 0.50); p = 0.3: 0.12, 0.12, 0.11; p = 0.5: 0.097, 0.095, 0.075; p = 0.7: 0.089, "
        "0.088, 0.058 (printed 0.069, 0.069, 0.074): only where answers are very random.",
        "in part",
    ),
    Finding(
        f"{_MULTI}, Table I",
        "The threshold on dependence (0.1, 0.2, 0.3) matters little.",
        "It changes nothing: on Adult the clusters are limited by their combinations.",
        "yes",
    ),
    Finding(
        f"{_MULTI}, Figure 3",
        "For p = 0.1 and 0.3 clusters and adjustment do not pay.",
        "A tenth of the cells, p = 0.1: RR-Independent 0.223, adjusted 0.222, clusters 0.233, both 0.226. p = 0.3: 0.153, 0.144, 0.122, "
        "0.103: there they pay.",
        "in part",
    ),
    Finding(
        f"{_MULTI}, Figure 3",
        "For p = 0.5 and 0.7 and few cells, clusters are much better and adjustment improves both.",
        "p = 0.7, a tenth of the cells: RR-Independent 0.127, adjusted 0.075, clusters 0.088, both 0.040 (RR-Ind-Joint on the same release "
        "0.025, pair-safe at the same total 0.0015).",
        "yes",
    ),
    Finding(
        f"{_MULTI}, section 4.1",
        "Dependence in the released answers keeps the order of the pairs.",
        "Cramer's V, rank correlation with the truth: 0.97 at eps = 4, 0.93 at 2, 0.71 at 1; debiased from the same release 0.99, 0.96 "
        "and 0.77.",
        "in part",
    ),
)
"""Measured on the eight categorical columns of UCI Adult, 32,561 people, unless a line says otherwise."""
