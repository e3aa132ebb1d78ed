"""Randomising on paper: dice, coins, cards and spinners, the nearest design each of them can do, and sheets to print."""

from rrcore.asking.paper.devices import DEVICES, Device, read_device
from rrcore.asking.paper.nearest import PaperQuestion, PaperSurvey, exact_cards, nearest
from rrcore.asking.paper.sheet import PAPERS, sheets
