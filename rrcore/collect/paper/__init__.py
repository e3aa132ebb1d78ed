"""Randomising on paper: dice, coins, cards and spinners, the nearest design each of them can do, and sheets to print."""

from rrcore.collect.paper.devices import DEVICES, Device, read_device
from rrcore.collect.paper.nearest import PaperQuestion, PaperSurvey, exact_cards, nearest
from rrcore.collect.paper.sheet import PAPERS, sheets
