"""Answers made readable: documents as tables, JSON, YAML and more, and live progress. May import everything but `cli`."""
