"""Page Budget: the tabs about the plan."""
