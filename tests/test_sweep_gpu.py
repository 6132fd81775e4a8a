"""The GPU engine, run on Warp's CPU device: the rows of threads, per-world models, diverged and crowded worlds."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from plantar import settle, sweep
from plantar.bench import PressTrials
from plantar.bench.press.gpu import Bench
from plantar.bench.press.rig import PressRig
from plantar.bench.press.throughput import StepTrials
from plantar.errors import InvalidInput
from plantar.feet import SoftFoot
from plantar.sweep.engines import gpu, warp_batch
from plantar.sweep.engines.aligned import mujoco_warp

pytest.importorskip("mujoco_warp", reason="MuJoCo Warp (extra `gpu`) is not installed")

FOOT = SoftFoot(chains=1, fidelity="fast")
RIG = PressRig()


@pytest.fixture
def warp_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(gpu.DEVICE, "cpu")


def test_models_that_differ_in_numbers_share_a_launch() -> None:
    base = Bench.build(FOOT, RIG).model

    def shared(foot: SoftFoot, rig: PressRig) -> frozenset[str] | None:
        return warp_batch.share_launch(base, Bench.build(foot, rig).model)

    assert shared(FOOT, RIG) == frozenset()
    assert shared(FOOT.with_(band__hardness=80.0), RIG) == {"jnt_stiffness"}
    assert {"body_quat", "body_invweight0"} <= (shared(FOOT, PressRig(tilt=0.08)) or set())
    assert {"geom_size", "geom_pos"} <= (shared(FOOT, PressRig(radius=0.01)) or set())
    for foot, rig in ((FOOT.with_(modules=5), RIG), (FOOT, PressRig(timestep=0.001)), (FOOT, PressRig(flat=True))):
        assert shared(foot, rig) is None


def test_sensors_that_no_row_reads_are_left_out() -> None:
    names = [Bench.build(FOOT, rig).model for rig in (RIG, PressRig(flat=True))]
    sensors = [{model.sensor(i).name for i in range(model.nsensor)} for model in names]
    assert "foot/heel_force" not in sensors[0] and "heel_support_force" in sensors[0]
    assert "foot/heel_force" in sensors[1]


def test_room_grows_and_ends() -> None:
    room = warp_batch._Room.guess(Bench.build(FOOT, RIG).model)
    assert room.contacts >= 32 and room.rows > room.contacts
    with pytest.raises(MemoryError, match="contacts"):
        for _ in range(warp_batch.TRIES + 1):
            room = room.doubled()


def test_a_device_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "count_gpus", lambda: 1)
    monkeypatch.setenv(gpu.DEVICE, "cuda:77")
    with pytest.raises(InvalidInput, match="cuda:77.*cpu"):
        gpu.require_gpu(PressTrials(foot=FOOT))


@pytest.mark.long  # compiling Warp's kernels for a CPU takes a minute or two
def test_the_gpu_engine_gives_the_rows_of_threads(
    tmp_path: Path, warp_cpu: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = PressTrials(foot=FOOT, duration=0.6)
    base = {"load": 40.0, "height": 0.011, "position": 3}
    trials = [base, base | {"load": 80.0, "position": 2}, base | {"height": 0.0}, base | {"position": 9}]
    trials += [base | {"rig.tilt": 0.01}, base | {"foot.band.hardness": 80.0, "rig.tilt": -0.02}]
    trials += [base | {"rig.radius": 0.012}, base | {"rig.timestep": 0.004}, base | {"foot.no": 1}]
    tables = {
        engine: sweep.run(function, trials, engine, out=tmp_path / engine).load() for engine in ("threads", "gpu")
    }
    threads, gpu = tables["threads"], tables["gpu"]
    assert gpu.columns == threads.columns
    for name in ("trial", "seed", "status", "error_type", "error"):
        assert gpu.column(name).tolist() == threads.column(name).tolist()
    good = [i for i, row in enumerate(threads) if row["status"] == "ok"]
    assert good == [0, 1, 2, 4, 5, 6, 7]
    for i in good:
        for name in ("force_heel", "force_module", "force_metatarsus", "force_total"):
            assert gpu[i][name] == pytest.approx(threads[i][name], abs=0.01 * trials[i]["load"]), (i, name)
        for k in range(1, 7):
            assert gpu[i][f"rotation_{k}"] == pytest.approx(threads[i][f"rotation_{k}"], abs=2e-3)
    # what is done is not done again
    assert sweep.run(function, trials, "gpu", out=tmp_path / "gpu").ran == 0


@pytest.mark.long
def test_worlds_that_blow_up_or_are_crowded_harm_no_other(
    tmp_path: Path, warp_cpu: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = PressTrials(foot=FOOT, duration=0.1)
    trials = [{"load": load, "height": 0.0, "position": 1} for load in (0.0, 0.0, 900.0, 0.0)]
    calm = sweep.run(function, trials, "gpu", out=tmp_path / "calm").load()
    assert set(calm.column("status")) == {"ok"}
    # too little room at first: the chunk is run again with more
    monkeypatch.setattr(warp_batch._Room, "guess", staticmethod(lambda model: warp_batch._Room(1, 8)))
    crowded = sweep.run(function, trials, "gpu", out=tmp_path / "crowded").load()
    assert np.allclose(crowded.column("force_heel"), calm.column("force_heel"), atol=1e-3)
    monkeypatch.setattr(settle, "SPEED_LIMIT", 5.0)
    table = sweep.run(function, trials, "gpu", out=tmp_path / "run").load()
    assert table.column("status").tolist() == ["ok", "ok", "error", "ok"]
    assert table[2]["error_type"] == "Diverged" and "blew up" in table[2]["error"]
    for i in (0, 1, 3):
        assert table[i]["force_heel"] == pytest.approx(calm[i]["force_heel"], abs=1e-3)


@pytest.mark.long
def test_step_trials_have_a_gpu_form(warp_cpu: None) -> None:
    trials = StepTrials(foot=FOOT, steps=40)
    configs = [{"load": 100.0}, {"load": 101.0}]
    on_gpu, on_cpu = trials.run_batch_gpu(configs, [0, 0]), trials.run_batch(configs, [0, 0])
    for a, b in zip(on_gpu, on_cpu, strict=True):
        assert isinstance(a, dict) and a["force_total"] == pytest.approx(b["force_total"], abs=1.0)


@pytest.mark.parametrize("lean", [0.0, 0.8, 1.2, 1.5])
@pytest.mark.usefixtures("warp_cpu")
def test_capsules_touch_planes_with_the_pyramid_of_mujoco(lean: float) -> None:
    """Steeper than 60 degrees Warp turned it about the normal, which changed forces of SoftFoot-Q by up to 43 %."""
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    body = spec.worldbody.add_body(pos=[0, 0, 0.009 + 0.02 * np.sin(lean)], euler=[0, np.pi / 2 + lean, 0.7])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[0.01, 0.02, 0])
    spec.compiler.degree = False
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mjw = mujoco_warp()
    with gpu.quiet_warp().ScopedDevice("cpu"):
        m, d = mjw.put_model(model), mjw.put_data(model, data)
        mjw.forward(m, d)
    touching = int(d.nacon.numpy()[0])
    assert touching == data.ncon >= 1
    frames = d.contact.frame.numpy()[:touching].reshape(touching, 9)
    assert frames == pytest.approx(data.contact.frame, abs=1e-5)
    assert d.contact.dist.numpy()[:touching] == pytest.approx(data.contact.dist, abs=1e-6)
