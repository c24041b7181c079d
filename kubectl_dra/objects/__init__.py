"""Kubernetes objects as this tool needs them: v1-shaped, frozen, naming only what is used.

Imports nothing of the other rooms but errors.
"""
