"""`auth-provider` entries: oidc as kubectl still has it; the ones that kubectl dropped are refused by name."""

from kubectl_dra.environment import Environment
from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig.credentials import Credentials, StoredCredentials
from kubectl_dra.kubeconfig.entries import Kubeconfig, User
from kubectl_dra.kubeconfig.oidc import OidcCredentials

DROPPED = {
    "gcp": "install gke-gcloud-auth-plugin, then run: gcloud container clusters get-credentials CLUSTER",
    "azure": "install kubelogin (of Azure), then run: kubelogin convert-kubeconfig",
    "openstack": "install client-keystone-auth and name it as an exec plugin in the kubeconfig",
    "exec": "write the plugin under users[].user.exec",
}
"""Providers that older kubectl had, and what took their place (kubectl: 1.22 openstack, 1.26 gcp and azure)."""


def credentials(user: User, user_name: str, stored: StoredCredentials, config: Kubeconfig, environment: Environment) -> Credentials:
    """The source that the entry stands for. Raises KubeconfigError for every provider but oidc."""
    provider = user.auth_provider
    if provider is None:
        return stored
    if provider.name in DROPPED:
        raise KubeconfigError(
            f'user "{user_name}" logs in by the auth provider "{provider.name}", which kubectl no longer has', hint=DROPPED[provider.name]
        )
    if provider.name != "oidc":
        raise KubeconfigError(f'user "{user_name}" logs in by an auth provider that kubectl does not have: "{provider.name}"')
    oidc = OidcCredentials(provider.config, user_name, stored, config.files, environment)
    return stored if user.token or user.token_file or user.username or user.password else oidc
