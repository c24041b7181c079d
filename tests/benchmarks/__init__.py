"""Benchmarks: what DESIGN promises of speed and memory, as ratios measured in one run on the bed's large cluster."""
