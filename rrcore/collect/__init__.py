"""Collecting for real: integer mechanisms, their certificate, the exact sampler, the respondents' form, and the answers that come back.

Nothing here uses a seeded generator: draws come from the operating system, or from the respondent's browser.
"""
