"""Ten chapters about randomized response, each with one thing to do and one to find out, as one HTML file that needs nothing else."""

from rrcore.learn.lesson import CHAPTERS, QUESTION, lesson
