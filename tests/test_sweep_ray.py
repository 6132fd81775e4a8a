"""Sweeps on a Ray cluster: the same rows as anywhere else, also when a machine of it goes away."""

from __future__ import annotations

import importlib.util
import logging
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sweep_functions as functions
from sweep_functions import numbered

from plantar import sweep
from plantar.errors import InvalidInput

if importlib.util.find_spec("ray") is None:
    pytest.skip("needs the extra `cluster`, which is not installed", allow_module_level=True)
if os.name != "posix":
    pytest.skip("Ray's clusters of several nodes on one machine need POSIX", allow_module_level=True)

QUICK_TO_NOTICE = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 300,
    "health_check_timeout_ms": 1000,
    "health_check_failure_threshold": 3,
}
"""How soon Ray believes that a node is dead."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of one processor each, on this machine."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "include_dashboard": False, "_system_config": QUICK_TO_NOTICE}
    found = Cluster(initialize_head=True, head_node_args=head)
    found.add_node(num_cpus=1)
    # workers must find the module of the trials
    paths = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), str(Path(sweep.__file__).parents[2])])}
    runtime = {"env_vars": paths}
    ray.init(address=found.address, logging_level=logging.ERROR, log_to_driver=False, runtime_env=runtime)
    yield found
    ray.shutdown()
    found.shutdown()


def test_trials_that_raise_hang_or_die_are_rows_as_anywhere(tmp_path: Path, cluster: Any) -> None:
    trials = numbered(24)
    sweep.run(functions.break_down, trials, "ray", out=tmp_path / "ray", limit_s=4.0)
    sweep.run(functions.break_down, trials, "processes", out=tmp_path / "processes", limit_s=4.0)
    found = [(tmp_path / name / "table.parquet").read_bytes() for name in ("ray", "processes")]
    assert found[0] == found[1]
    assert sweep.status(tmp_path / "ray")["counts"] == {"bad_result": 10, "died": 1, "error": 2, "ok": 10, "timeout": 1}


def test_a_node_that_is_killed_midway_changes_no_bit(tmp_path: Path, cluster: Any, record_property: Any) -> None:
    trials, ended = numbered(80), 0
    node = next(iter(cluster.worker_nodes))

    def kill() -> None:
        while ended < 20:
            time.sleep(0.02)
        cluster.remove_node(node, allow_graceful=False)

    def progress(more: int) -> None:
        nonlocal ended
        ended += more

    killer = threading.Thread(target=kill)
    killer.start()
    result = sweep.run(functions.nap, trials, "ray", out=tmp_path / "ray", progress=progress)
    killer.join()
    sweep.run(functions.nap, trials, "threads", workers=8, out=tmp_path / "threads")
    tables = [(tmp_path / name / "table.parquet").read_bytes() for name in ("ray", "threads")]
    found = {"nodes_left": len(cluster.worker_nodes), "trials": len(trials), "same": tables[0] == tables[1]}
    record_property("sweep.kills.ray", found)
    assert found["nodes_left"] == 0
    assert result.counts == {"ok": 80}
    assert tables[0] == tables[1]


def test_an_address_without_a_cluster_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    def refuse(**_: object) -> None:
        raise ConnectionError("Could not find any running Ray instance.\nTry again")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", refuse)
    with pytest.raises(InvalidInput, match="address = '10.0.0.1:6379' cannot be used .Could not find"):
        sweep.run(functions.draw, numbered(3), "ray", out=tmp_path / "run", address="10.0.0.1:6379")
