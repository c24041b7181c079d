"""A real Kubernetes cluster on this machine, for tests.

The folder is a Go module (`cmd/bed`: the cluster in one binary, `cmd/oracle`: the upstream allocator) and the Python that builds it
(`build`), starts it (`cluster`, `node`), talks to it (`api`) and stands in between (`proxy`). Tests use it through the fixtures of
`tests/live/conftest.py`.
"""
