"""Schemas of documents."""

import json
from collections.abc import Callable

import pytest

from kubectl_dra.document import Document
from kubectl_dra.report.schema import KINDS, document_type, schema
from tests.run import Result


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_a_document_of_that_name(kind: str) -> None:
    struct = document_type(kind)
    assert issubclass(struct, Document)
    written = schema(kind)
    properties = written["properties"]
    assert isinstance(properties, dict)
    assert properties["kind"] == {"const": kind}
    assert properties["apiVersion"] == {"const": "kubectl-dra/v1"}
    assert written["required"] == list(properties)


def test_every_document_there_is_has_a_schema() -> None:
    for kind in KINDS:
        document_type(kind)  # imports them all
    here = [struct for struct in Document.__subclasses__() if struct.__module__.startswith("kubectl_dra.")]
    kinds = {struct.__struct_defaults__[list(struct.__struct_fields__).index("kind")] for struct in here}
    assert kinds - {""} <= set(KINDS)  # one without a name is what several have in common


def test_the_list(kubectl_dra: Callable[..., Result]) -> None:
    assert kubectl_dra("schema") == Result(0, "".join(f"{kind}\n" for kind in KINDS), "")


def test_any_case_will_do(kubectl_dra: Callable[..., Result]) -> None:
    result = kubectl_dra("schema", "version")
    assert json.loads(result.stdout) == schema("Version")


def test_a_kind_that_nobody_prints(kubectl_dra: Callable[..., Result]) -> None:
    assert kubectl_dra("schema", "Pod") == Result(2, "", f'error: no command prints documents of kind "Pod"\nKinds: {", ".join(KINDS)}.\n')
    assert kubectl_dra("schema", "Versoin").stderr.endswith('\nDid you mean "Version"?\n')
