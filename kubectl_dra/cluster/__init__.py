"""An API server over HTTP: bytes of GET requests, and what it serves. Imports `kubeconfig` and `objects`; callers decode lists."""
