"""From people's kubeconfig files, flags and variables to one Connection, as kubectl finds it. Makes no HTTP request."""

from kubectl_dra.kubeconfig.connection import Connection
from kubectl_dra.kubeconfig.overrides import Overrides
from kubectl_dra.kubeconfig.resolve import connect

__all__ = ["Connection", "Overrides", "connect"]
