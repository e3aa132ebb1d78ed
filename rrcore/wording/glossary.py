"""The field's terms in one sentence each.

Every tooltip that explains a term, and the glossary of the documents, read them here.
"""

from types import MappingProxyType

GLOSSARY = MappingProxyType(
    {
        "accuracy floor": "The least that has to survive of what attributes have in common, as a multiple of what survives under "
        "Kronecker.",
        "attribute": "One question of the survey, or one column of the table, with a fixed list of possible answers.",
        "blend": "An estimate between the unbiased one and the one that takes the attributes as independent, each weighted by what it "
        "is expected to be off by: closest on average, and always between 0 and 100 %.",
        "Bloom filter": "A string of bits that stands for an answer, of which every bit is randomised.",
        "category": "One of the possible answers of an attribute.",
        "certificate": "What a mechanism promises, in exact arithmetic: the levels, the leakages and the total, computed from the whole "
        "numbers that are drawn with, and rounded up.",
        "channel": "The table of probabilities with which each true answer becomes each released one.",
        "class poll": "One question to a class, randomised on its phones: the share comes out, nobody's answer is known, and nothing is "
        "kept.",
        "clusters": "Groups that were drawn as a whole or from which people were drawn, such as villages or schools: people of one cluster "
        "are often alike, so each of them tells less.",
        "column": "A part of a file. Once it is in play, and has a fixed list of possible answers, it is an attribute.",
        "confidence sequence": "Intervals, one for every look at answers that are still arriving, that over the whole time leave out the "
        "true share in at most 5 of 100 such surveys, however often one looks and whenever one stops.",
        "Cramér's V": "How strongly two attributes go together: 0 if they have nothing to do with each other, 1 if one decides the other.",
        "design effect": "By how much weights, strata and clusters multiply the variance, compared with as many people drawn at random: 1.5 "
        "means that 1,500 answers tell as much as 1,000.",
        "expected error": "How far off a share is expected to be (its standard error), computed before any answer is collected; 95 % of "
        "estimates are within about twice as much.",
        "half L1": "The share of people who would have to change their answers to turn one table into the other: 0 if they are alike.",
        "interval": "A range computed so that it holds the true share in 95 of 100 such releases.",
        "invented answers": "Answers of people who do not exist, drawn at random to try a plan on: they say what errors to expect of it, "
        "and nothing about anybody.",
        "joint distribution": "How often each combination of answers of several attributes occurs.",
        "joint distributions wanted": "The joint distributions that one total is to be spent on: these are estimated best, others may be "
        "lost.",
        "Kronecker": "Every answer is randomised by itself, whatever happens to the others: the levels of a record add up.",
        "leakage": "What the whole released record gives away about one answer to someone who knows all the other answers, in nats: the "
        "odds shift by at most e to this power.",
        "level": "How much one answer may give away (eps), in nats: seeing it can shift anyone's odds about the true answer by at most e to "
        "this power. 1.0 means at most 2.7 times.",
        "lost pair": "Two attributes reported in a way that erases how they go together: no number of people would show it.",
        "marginal": "The shares of the answers of one attribute, whatever those of the others are; of several attributes together it is "
        "called their joint distribution.",
        "mechanism": "The rule by which the lies of one respondent are drawn: at the same levels, some keep more of what answers have in "
        "common, and some cost less for the whole record.",
        "mechanism file": "The whole numbers that answers are drawn with, and their certificate. It holds nobody's answers.",
        "mu": "The factor by which what attributes have in common survives the randomization: 1 means untouched, 0 erased.",
        "nats": "Natural units of privacy: adding 0.69 doubles the factor by which odds can shift, adding 2.3 makes it ten times as large.",
        "odds": "How many times as likely one answer is as another: odds of 1 to 1 are 50 %, and shifted by a factor of 2.7 they are 2.7 "
        "to 1, which is 73 %.",
        "one answer": "Seeing one released answer can shift anyone's odds about the true one by at most this factor.",
        "optimum": "The mechanism with the least total that these levels allow. It may lose what attributes have in common.",
        "others known": "Someone who sees the whole released record and already knows the person's other answers can shift their odds "
        "about one answer by at most this factor: its leakage, as odds.",
        "pair-safe": "Costs as little as possible while no pair of attributes is read less accurately than from independent answers.",
        "pairs within": "Every estimated share of any two attributes is off by no more than this 95 times in 100, however common their "
        "combinations are.",
        "people": "How many respondents answer: four times as many halve the error.",
        "population": "Errors against the population count the chance of who was asked, too; errors against these people only the lies.",
        "practice item": "A harmless question with which respondents see how chance keeps or changes an answer, by the same chances as a "
        "question of the survey. Nothing of it leaves the page.",
        "question": "What a person is asked, in words; the answers to it are those of one attribute.",
        "randomized response": "Answers are replaced at random with known odds, so that none proves what one person's true answer is, yet "
        "the shares in the whole group can be estimated.",
        "release": "Randomised answers that somebody gets to see. Releases about the same people add up: whoever sees two of them learns "
        "more than from either.",
        "released": "What leaves in place of a true answer: by chance the same, or another.",
        "replaced": "By chance, another answer than the true one was released. Nobody can tell which ones were.",
        "RR-Joint": "The whole record is kept, or replaced by one drawn at random, in one decision.",
        "safe": "No joint distribution of up to this many attributes is read less accurately than from independent answers; 3-safe "
        "means up to three.",
        "scheme": "A way to randomise answers together with a way to read them.",
        "seed": "The number that a simulation draws its chance from: with the same seed the same comes out again. Real releases have none.",
        "shrinkage": "An estimate that reads the whole table at once: what is seen of a combination is drawn toward what smaller joint "
        "distributions say, the more the noisier it is. Between 0 and 100 %, not unbiased, and as a rule the closest.",
        "simulated release": "Answers randomised from a seed, to see what a plan would do. It protects nobody who knows the seed: never "
        "publish it.",
        "strata": "Parts of the population from which people were drawn separately, such as regions.",
        "total": "What the whole record costs, in nats: whatever anyone knows, it shifts the odds between any two people's answers by at "
        "most e to this power.",
        "truth told": "How often the released answer is the true one.",
        "typically off by": "How far off a share is on average (the root of the mean square), where all combinations of answers are equally "
        "common. A 95 % interval reaches about twice as far, and further where they are not.",
        "unbiased estimate": "Right on average over many releases; a single one may lie below 0 or above 100 %.",
        "weights": "How many people of the population each respondent stands for: the more unlikely somebody was to be asked, the more.",
        "whole record": "Whatever anyone knows, the whole released record shifts their odds between any two people's answers by at most this "
        "factor: its total, as odds.",
        "width": "Of how many attributes a joint distribution is.",
    }
)
"""Term -> what it means, alphabetically."""


def meaning(term: str) -> str:
    """What ``term`` means, in a sentence or two. Raises KeyError for a term that the glossary lacks.

    Examples
    --------
    >>> meaning("truth told")
    'How often the released answer is the true one.'
    """
    return GLOSSARY[term]
