"""The checks, a module a family. Each is one function on a Case, registered with its page."""
