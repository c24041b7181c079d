"""DeviceTaintRules: what one would hit, told before it is written; then making, promoting, waiting for and deleting it."""
