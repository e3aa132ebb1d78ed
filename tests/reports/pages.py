"""A report as tests see it: its elements, its text and its tables."""

from html.parser import HTMLParser

VOID = {"meta", "rect", "line", "circle"}


class Tree(HTMLParser):
    """Every element of a page with its attributes. An end that does not belong to the open element is an error."""

    def __init__(self, page):
        super().__init__()
        self.found, self.open, self.texts, self.rows, self.title = [], [], [], [], ""
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr" and "tbody" in self.open:
            self.rows.append([])
        if tag in ("th", "td") and "tbody" in self.open:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.texts.append(data)
        if "tbody" in self.open and self.open[-1] in ("th", "td"):
            self.rows[-1][-1] += data
        if "title" in self.open and "svg" not in self.open:
            self.title += data

    def all(self, *tags):
        """Return the attributes of all elements with these tags."""
        return [attributes for tag, attributes in self.found if tag in tags]

    @property
    def text(self):
        """The text of the page, with single spaces."""
        return " ".join(" ".join(self.texts).replace("\u00a0", " ").split())
