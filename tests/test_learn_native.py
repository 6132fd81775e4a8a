"""On a CPU, worlds are stepped by MuJoCo itself: the same physics as MuJoCo Warp, faster. Needs the extra `learn`."""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

from plantar._extras import EXTRAS

if EXTRAS["learn"].missing:
    pytest.skip(f"the extra learn is not installed: {', '.join(EXTRAS['learn'].missing)}", allow_module_level=True)

import torch

from plantar.cli.app import run
from plantar.learn import TaskConfig
from plantar.learn.entity import prepared
from plantar.learn.worlds import Worlds, start_warp

WARP = 0
"""Threads with which worlds are stepped by MuJoCo Warp on a CPU, too."""
DRAWN = TaskConfig(locked=0.34, tendons=0.5, episode=0.3)


@pytest.fixture(scope="module")
def subject():
    return prepared("biped", "softfoot:fast")


def walked(subject, threads, config=DRAWN, steps=18, count=6):
    """Worlds after some steps of random actions, and what came back from each."""
    torch.manual_seed(3)
    worlds = Worlds([subject], config, count, "cpu", 0, threads)
    torch.manual_seed(4)
    seen = [worlds.step(0.5 * torch.randn(count, worlds.num_actions))[:3] for _ in range(steps)]
    return worlds, seen


def test_worlds_move_as_those_of_mujoco_warp(subject):
    """In double precision instead of single, so that it is only nearly the same."""
    (one, ours), (other, theirs) = walked(subject, 2), walked(subject, WARP)
    assert any(bool(dones.any()) for _, _, dones in ours), "some worlds are reset on the way"
    for (seen, rewards, dones), (expected, paid, ended) in zip(ours, theirs, strict=True):
        assert torch.allclose(seen["actor"], expected["actor"], atol=2e-3) and torch.equal(dones, ended)
        assert torch.allclose(rewards, paid, atol=2e-5)
    for name in ("xpos", "geom_xpos", "subtree_com", "ten_length", "qfrc_actuator", "qacc_warmstart", "sensordata"):
        mine, warp = (np.asarray(getattr(w.parts[0].sim.wp_data, name).numpy(), float) for w in (one, other))
        assert mine == pytest.approx(warp, rel=2e-2, abs=2e-2 * (1e-2 + np.abs(warp).max())), name
    rows = [w.parts[0].sim.wp_data.nefc.numpy().tolist() for w in (one, other)]
    assert rows[0] == rows[1] and max(rows[0]) > 30, "robots stand on the ground"


def test_every_world_keeps_what_it_drew(subject):
    """Worlds take turns on few models: without friction for each, all would slide alike."""
    torch.manual_seed(3)
    worlds = Worlds([subject], DRAWN, 6, "cpu", 0, 2)
    part = worlds.parts[0]
    part.sim.model.geom_friction[:3] = 1e-3
    feet = [part.sim.mj_model.site(f"robot/{name}").id for name in subject.sites]
    for _ in range(30):  # down to the ground
        part.sim.step()
    part.sim.data.qvel[:, 1] = 0.5
    part.sim.forward()
    before = part.sim.data.site_xpos[:, feet, 1].numpy().mean(axis=1)
    for _ in range(10):
        part.sim.step()
    slid = part.sim.data.site_xpos[:, feet, 1].numpy().mean(axis=1) - before
    assert slid[:3].min() > 2 * slid[3:].max(), slid


def test_the_number_of_threads_changes_no_bit(subject):
    ran = [walked(subject, threads)[1] for threads in (1, 3, 16)]
    for one, *others in zip(*ran, strict=True):
        for other in others:
            assert all(torch.equal(one[0][group], other[0][group]) for group in ("actor", "critic"))
            assert torch.equal(one[1], other[1]) and torch.equal(one[2], other[2])


def test_a_world_whose_numbers_are_not_finite_ends_alone(subject):
    worlds, _ = walked(subject, 2, TaskConfig(), steps=1)
    part = worlds.parts[0]
    before = part.episode_length_buf.clone()
    part.sim.data.qvel[2, 3] = float("nan")
    *_, dones, extras = worlds.step(torch.zeros(6, worlds.num_actions))
    assert dones.tolist() == [0, 0, 1, 0, 0, 0] and extras["log"][0]["Episode_Termination/diverged"] == 1
    assert torch.isfinite(part.sim.data.qpos).all() and part.episode_length_buf[0] == before[0] + 1


def test_iterations_that_run_out_are_counted(subject):
    worlds, _ = walked(subject, 2, TaskConfig(), steps=6)
    assert worlds.overflows()["iterations"] == 0
    for seat in worlds.physics[0].seats:
        seat.model.opt.iterations = 1
    worlds.step(torch.zeros(6, worlds.num_actions))
    assert worlds.overflows()["iterations"] > 0.5


def test_without_a_gpu_warp_says_nothing_of_it_and_all_else(capfd, monkeypatch):
    said = b"Could not find or load the NVIDIA CUDA driver. None ...\nWarp error: no memory\n"
    monkeypatch.setattr("warp.init", lambda: os.write(2, said))
    start_warp()
    os.write(2, b"later\n")
    assert capfd.readouterr().err == "Warp error: no memory\nlater\n"


def test_threads_end_with_the_worlds(subject):
    worlds, _ = walked(subject, 3, steps=1)
    assert sum(thread.name.startswith("physics") for thread in threading.enumerate()) >= 3
    before = threading.active_count()
    worlds.close()
    assert threading.active_count() == before - 3


def test_small_networks_are_trained_and_odd_ones_refused(tmp_path, capsys):
    small = ["--worlds", "4", "--steps", "3", "--iterations", "1", "--device", "cpu", "--threads", "2"]
    out = tmp_path / "toy"
    assert run(["learn", "train", "biped", *small, "--hidden", "16,8", "--out", str(out)]) == 0
    capsys.readouterr()
    assert run(["learn", "train", "biped", *small, "--hidden", "16,16", "--out", str(out)]) == 2
    assert "was started with different settings" in capsys.readouterr().err
    for odd in ("16,0", "16.5", "-4", "wide", "", "1e9", ",".join(["8"] * 99)):
        assert run(["learn", "train", "biped", *small, "--hidden", odd, "--out", str(tmp_path / "odd")]) == 2
        told = capsys.readouterr().err
        assert "hidden" in told and "\n" not in told.strip(), told
    assert not (tmp_path / "odd").exists()
