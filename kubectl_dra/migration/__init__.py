"""Moving one node from a device plugin to a DRA driver, and back.

The plan is data and pure; the runner carries it out and can go on where it stopped.
"""
