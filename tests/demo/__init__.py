"""The bundled example cluster, as a real one: `python -m tests.demo` plays it on the bed and writes the snapshot that `--demo` reads."""
