"""Files of sentences: a language of a team's own."""

import json

from fuzz.documents import checker, seeds
from rrcore.asking.languages import read_file
from rrcore.asking.sentences import read_sentences

_FILE = json.dumps(read_file("fr"))

SEEDS = seeds(_FILE)
check = checker(read_sentences, _FILE)
