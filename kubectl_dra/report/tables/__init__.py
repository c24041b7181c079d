"""The columns of each document, one module a document."""
