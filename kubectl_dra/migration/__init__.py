"""Moving one node from a device plugin to a DRA driver, and back: the plan is data, the runner carries it out and can go on where it stopped."""
