"""How the dashboard is hosted: who is let in, what the operator decided, and how one server has room for many."""
