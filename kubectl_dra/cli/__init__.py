"""The command line: argv and an Environment in, a status out. May import every room; no room imports it."""
