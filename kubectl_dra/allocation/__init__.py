"""The shared allocation core: which devices a claim gets, and why not others.

Pure: no I/O, no clock. May import objects, extended_resources, knowledge and errors.
"""
