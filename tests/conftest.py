"""Shared fixtures."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# machines that run tests are shared: time says nothing, and a failure must come back when it is looked at
settings.register_profile("plantar", deadline=None, derandomize=True)
settings.load_profile("plantar")

SHARED = Path(__file__).resolve().parents[2] / "shared"
REQUIRE_SHARED = os.environ.get("PLANTAR_REQUIRE_SHARED", "0") not in ("", "0")


@pytest.fixture(scope="session", autouse=True)
def leave_nothing(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Tests call Plantar as a program does: MuJoCo's log and states that diverged would stay on this machine."""
    import mujoco  # noqa: F401

    from plantar._opengl import hush_mujoco
    from plantar.settle import dumps_in

    hush_mujoco()
    with dumps_in(tmp_path_factory.mktemp("diverged")):
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of models and data beside the project; tests that need it skip without it."""
    if not SHARED.is_dir():
        pytest.skip("needs the folder ../shared with the released models, which is not here")
    return SHARED


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With PLANTAR_REQUIRE_SHARED=1, a skip for want of ../shared is a failure."""
    report = yield
    if REQUIRE_SHARED and report.skipped and "shared" in str(report.longrepr) and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"PLANTAR_REQUIRE_SHARED is set, but the test was skipped: {report.longrepr}"
    return report
