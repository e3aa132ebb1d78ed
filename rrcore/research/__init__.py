"""Research on randomized response: claims of papers measured again, synthetic tables from marginals, and key-value data."""
