"""Who asks for which extended resource, and who serves it where: pure functions of a Snapshot.

Imports remedies, extended_resources, knowledge, objects and document.
"""
