"""Evicting pods: who goes and why not, the requests through policy/v1, and waiting until each is gone. Writes through `cluster` alone."""
