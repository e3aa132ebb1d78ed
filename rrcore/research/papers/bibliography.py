"""The five papers."""

from rrcore.research.papers.entry import Paper

CASTELL = Paper(
    "castell",
    "Castell",
    "Castell: Scalable Joint Probability Estimation of Multi-dimensional Data Randomized with Local Differential Privacy",
    "Hiroaki Kikuchi, Josep Domingo-Ferrer, Jordi Soria-Comas",
    None,
)
LOPUB = Paper(
    "lopub",
    "LoPub",
    "LoPub: High-Dimensional Crowdsourced Data Publication with Local Differential Privacy",
    "Xuebin Ren, Chia-Mu Yu, Weiren Yu, Shusen Yang, Xinyu Yang, Julie A. McCann, Philip S. Yu",
    2018,  # so cited by Yamamoto and Shibuya
)
MULTIDIMENSIONAL = Paper(
    "multidimensional",
    "Multi-Dimensional RR",
    "Multi-Dimensional Randomized Response",
    "Josep Domingo-Ferrer, Jordi Soria-Comas",
    2022,  # so cited by the Castell paper
)
OPTIMIZED = Paper(
    "optimized",
    "Privacy-Optimized RR",
    "Privacy-Optimized Randomized Response for Sharing Multi-Attribute Data",
    "Akito Yamamoto, Tetsuo Shibuya",
    None,
)
KEYVALUE = Paper(
    "keyvalue",
    "Key-Value",
    "Conditional Analysis for Key-Value Data with Local Differential Privacy",
    "Lin Sun, Jun Zhao, Xiaojun Ye, Shuo Feng, Teng Wang, Tao Bai",
    None,
)

PAPERS = {paper.key: paper for paper in (CASTELL, LOPUB, MULTIDIMENSIONAL, OPTIMIZED, KEYVALUE)}
"""Key -> Paper; year and authors as far as the texts at hand print them."""
