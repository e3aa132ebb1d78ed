"""What the key-value paper says about its protocols, and what is measured here: one line each."""

from __future__ import annotations

from rrcore.papers.findings import Finding

KEYVALUE_FINDINGS: tuple[Finding, ...] = (
    Finding(
        "Figure 1",
        "KVUE has the lowest error of frequency and of mean at every level.",
        "100 keys, 100,000 users, eps = 0.4, 1, 2, 5: frequency 0.085, 0.033, 0.018, 0.013 against 0.123, 0.050, 0.027, 0.014 of the next "
        "best; mean 0.31, 0.11, 0.055, 0.036 against 0.37, 0.16, 0.083, 0.041.",
        "yes",
    ),
    Finding(
        "Section VI-A",
        "From eps = 0.4 on KVOH, KVUE, PrivKV and PrivKV-A reach an error under 0.05.",
        "With about 1,000 reports per key: frequency from eps = 1 on (KVUE 0.033, KVOH 0.071), mean only near eps = 5.",
        "in part",
    ),
    Finding(
        "Section VI-A",
        "PrivKVM is the only one with an unbiased mean.",
        "Expected estimates at eps = 1, frequency 0.4, mean 0.5: PrivKV-A, F2M, KVUE and KVOH exact (a ratio of unbiased counts), "
        "PrivKVM 0.497, PrivKV 0.262.",
        "no",
    ),
    Finding(
        "Section VI-A",
        "PrivKVM's error accumulates, since each round has only a part of the level.",
        "Mean off by 3.6, 1.4, 0.75 and 0.31 at eps = 0.4, 1, 2 and 5: 8 to 13 times KVUE.",
        "yes",
    ),
    Finding(
        "Figures 2 and 4",
        "The error of the frequency does not depend on the frequency.",
        "KVUE at eps = 1, 10,000 reports per key: 0.0116, 0.0105, 0.0102, 0.0098 at frequency 0.05, 0.2, 0.6, 0.8.",
        "yes",
    ),
    Finding(
        "Figures 3 and 4",
        "The more frequent a key, the lower the error of its mean.",
        "KVUE 0.32, 0.084, 0.028, 0.024 at frequency 0.05, 0.2, 0.6, 0.8; so do all but PrivKV, whose bias hides it (0.063 to 0.042).",
        "yes",
    ),
    Finding(
        "Figure 3",
        "PrivKV, PrivKVM and PrivKV-A become more accurate as the mean rises.",
        "PrivKV draws the mean towards 0, whichever side it is on: 0.235, 0.050, 0.237 at means -0.8, 0, 0.8. PrivKV-A 0.074, 0.060, 0.068.",
        "no",
    ),
    Finding(
        "Figure 5",
        "F2M does not react to its default value.",
        "Mean of about 0.2: 0.134 to 0.159 at eps = 0.5 and 0.066 to 0.080 at eps = 1, highest at -1: a default far from the mean costs up "
        "to a fifth.",
        "in part",
    ),
    Finding(
        "Section II-C",
        "PrivKV spends eps_1 + eps_2.",
        "That is an upper bound: at eps = 1, half each, the channel has a level of 0.719, since an invented value says nothing on average.",
        "in part",
    ),
    Finding(
        "Table IV",
        "F2M sends 2 log2 |K| bits and KVOH 3 log2 |K|.",
        "The key's number and one of four, or eight, outputs: log2 |K| + 2 and log2 |K| + 3.",
        "no",
    ),
    Finding(
        "Figures 6 and 7",
        "Conditional analysis by IOH gets harder with the number of keys.",
        "Frequency among users with another key, 100,000 users, root mean squared error for 2, 4, 8 keys: 0.011, 0.026, 0.159 at eps = 1; "
        "pair-safe on the three states 0.025, 0.039, 0.065. At eps = 4: 0.0017, 0.0051, 0.050 against 0.0007, 0.0031, 0.0052.",
        "yes",
    ),
)
