"""Parts of the Ledger page."""
