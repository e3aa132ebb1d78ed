"""Learn: ten chapters and a class poll."""

from pages.learn import chapters, poll
from pages.shared import widgets
from pages.shared.mode import demo

widgets.page("Learn", {"Chapters": chapters.show} | ({} if demo() else {"Class poll": poll.show}))
