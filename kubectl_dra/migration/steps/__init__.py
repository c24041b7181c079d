"""The steps of a move and of the way back, one module each: what it checks, does, waits for, and how it is undone."""
