"""What the API server says of names, in its own words (seen on 1.37.2)."""

import pytest

from kubectl_dra.objects.qualified_name import extended_resource_name_faults, label_value_faults, subdomain_faults


@pytest.mark.parametrize(
    "name", ["example.com/gpu", "example.com/GPU", "foo.k8s.io/bar", "nvidia.com/gpu.shared", "example.com/a_b", f"example.com/{'a' * 63}"]
)
def test_names_that_a_class_may_map(name: str) -> None:
    assert extended_resource_name_faults(name) == ()


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("invalid_name", "a name must be a domain-prefixed path, such as 'example.com/my-prop'"),
        ("kubernetes.io/foo", 'must not have "kubernetes.io/" domain'),
        ("mykubernetes.io/foo", 'must not have "kubernetes.io/" domain'),
        ("deviceclass.resource.kubernetes.io/other", 'must not have "kubernetes.io/" domain'),
        ("requests.example.com/foo", 'must not have "requests." prefix'),
        (f"example.com/{'a' * 64}", "name part must be no more than 63 bytes"),
        (f"{'.'.join(['a' * 60] * 4)}xx/gpu", "prefix part must be no more than 253 bytes"),
        ("EXAMPLE.com/gpu", "prefix part a lowercase RFC 1123 subdomain must consist of lower case"),
        ("example.com/-a", "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with"),
        ("example.com/a/b", "a valid label key must consist of"),
        ("example.com/ü", "name part must consist of alphanumeric characters"),
        ("example.com/a\n", "name part must consist of alphanumeric characters"),
    ],
)
def test_names_that_no_class_may_map(name: str, fault: str) -> None:
    assert any(said.startswith(fault) for said in extended_resource_name_faults(name))


def test_the_empty_name_has_two_faults() -> None:
    assert len(extended_resource_name_faults("")) == 2


def test_other_names() -> None:
    assert subdomain_faults("gpu.example.com") == ()
    assert subdomain_faults("a" * 254) != ()
    assert label_value_faults("") == ()
    assert label_value_faults("-x") != ()
