"""Ten chapters about randomized response as one HTML file."""

from rrcore.learn.lesson import CHAPTERS, QUESTION, lesson
