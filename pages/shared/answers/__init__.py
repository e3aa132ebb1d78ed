"""Collected answers, chosen on pages Read and Models alike: uploads, tables on the server, and the sample that they are."""
