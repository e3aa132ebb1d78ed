"""Learn: the chapters in a frame of their own address, a question of one's own, and a file to take away."""

import json

from rrcore.learn import QUESTION, lesson
from rrcore.limits import MAX_TEXT


def shown(session):
    """What the frame of the chapters is told."""
    (mounted,) = (one.proto for one in session.at.get("bidi_component") if one.proto.component_name == "rr_workbench.lesson")
    return json.loads(mounted.json)


def test_the_page_shows_the_chapters_and_tells_them_the_question(session):
    session.go("learn")
    assert shown(session) == {"address": "/lesson", "question": "", "title": "Randomized response in ten chapters", "dark": False}
    session.set("text_input", "Sensitive question in the chapters", "  Have you ever?  ")
    assert shown(session)["question"] == "Have you ever?"
    (field,) = (one for one in session.at.text_input if one.label == "Sensitive question in the chapters")
    assert field.proto.max_chars == MAX_TEXT
    assert field.placeholder == QUESTION


def test_the_file_has_the_question_and_is_the_librarys(session):
    session.go("learn").set("text_input", "Sensitive question in the chapters", "Have you ever?")
    assert session.download("learn.html") == lesson("Have you ever?")


def test_no_strip_speaks_of_a_plan(session):
    session.go("learn")
    assert "whole record ×" not in session.text
