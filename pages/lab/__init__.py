"""The Lab: methods of five papers."""
