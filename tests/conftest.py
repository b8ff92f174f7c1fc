"""What holds for every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says more about what else the machine does than about the code.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")


@pytest.fixture(scope="session", autouse=True)
def builds_remember_nothing_of_this_person(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """Builds that tests start leave the person's own cache folder alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACCELREPORT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
