"""What a page shows as Markdown: its paragraphs, labels, captions and help texts."""

MARKDOWN = {"body", "label", "help", "text", "caption", "captions", "content", "placeholder_text", "delta"}
"""Fields of Streamlit's messages that are shown as Markdown. The options of radio buttons are, too."""
LITERAL = {"code", "arrow_data_frame", "bidi_component", "page_link", "json"}


def strings(message, where=""):
    """Every text of a protobuf message, with the name of its field."""
    for field, value in message.ListFields():
        if field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for inner in value if field.is_repeated else [value]:
                yield from strings(inner, f"{where}/{field.name}")
        elif field.type == field.TYPE_STRING:
            for text in value if field.is_repeated else [value]:
                yield f"{where}/{field.name}", text


def rendered(session, literal=LITERAL):
    """The places and texts of the page that are shown as Markdown."""
    todo = [session.at._tree]
    while todo:
        block = todo.pop()
        todo += getattr(block, "children", {}).values()
        proto = getattr(block, "proto", None)
        if proto is None or getattr(block, "type", "") in literal:
            continue
        for where, text in strings(proto):
            name = where.rpartition("/")[2]
            if name in MARKDOWN or (name == "options" and block.type == "radio"):
                yield f"{block.type}{where}", text
