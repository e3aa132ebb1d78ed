"""The commands of ``rrcore``: each module is imported when one of its commands is chosen."""
