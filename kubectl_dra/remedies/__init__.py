"""Commands that a person can paste to mend what was found, the same wherever they are printed.

Pure. Imports knowledge, objects and what they import.
"""
