"""Learn: a class answers a sensitive question on its phones."""

from __future__ import annotations

from pages.learn import poll
from pages.shared import widgets

answer = widgets.header("Learn", "What can a class find out about itself, without anybody's answer being known?")
poll.show(answer)
