"""Names that a stranger may give: what runs as a formula, what a page or figure would render, what cannot be seen."""

NAMES = (
    '=HYPERLINK("https://evil.example","pay")',
    "+1+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd",
    "<b>bold</b><img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    '<a href="javascript:alert(1)">here</a>',
    "[here](javascript:alert(1)) ![p](https://evil.example/p.png)",
    "**strong** _slanted_ ~~gone~~ `code`",
    "$\\frac{1}{2}$ and $x$",
    ":smile: :red[warning] :material/delete:",
    "&lt;b&gt; &#60;i&#62; &amp;",
    "www.evil.example/path",
    "http://evil.example",
    "someone@evil.example",
    "safe\u202elive\u202c",
    "zero\u200bwidth",
    "# title | cell",
    "${other} {{7*7}}%{y}",
    "x" * 300,
    "two\nlines",
)

RAW = (
    "<b>", "<img", "<script", "<a ", "[here](", "![p](", "**strong", "~~gone", "`code", "$x$", "$\\frac", ":smile: ", "\\:smile: ", ":red[",
    ":material/delete", "\\:material/delete", "&lt;b", "&#60;", "www.evil", "http://evil", "https://evil",
    "http\\://evil", "someone@evil", "\u202e", "\u200b",
)  # fmt: skip
"""What of them Markdown, as Streamlit shows it, would interpret, if it stood there like this."""
