"""What the pages share: the session's state, common widgets, and guards."""
