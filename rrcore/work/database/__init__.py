"""Databases of surveys and ledgers: where they stand, their layouts, their condition, and the record of who did what."""
