"""A cluster of objects and the pods that are put to its scheduler, each with what is foretold of it."""

import pytest

pytest.register_assert_rewrite("tests.live.predictions.trial")
