"""What a command answers with `-o json`: a document with `apiVersion` and `kind`, whose fields are all always there."""

import msgspec

API_VERSION = "kubectl-dra/v1"


class Part(msgspec.Struct, frozen=True, rename="camel"):
    """A piece of a document. Defaults are written out: readers in scripts find every field."""


class Document(Part, frozen=True, kw_only=True):
    """A whole answer. Subclasses give `kind` a default of their own name."""

    api_version: str = API_VERSION
    kind: str = ""
