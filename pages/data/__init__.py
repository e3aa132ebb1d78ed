"""Data: a table or questions, and what each column becomes."""
