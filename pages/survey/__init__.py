"""Survey: a page with one module per tab."""
