"""What graphql-core has left behind in a module's tests is collected at their end, where its warnings are passed over."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

pytest.register_assert_rewrite("breadth.oracle")


@pytest.fixture(scope="module", autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    gc.collect()
