"""Release: a page with one module per tab."""
