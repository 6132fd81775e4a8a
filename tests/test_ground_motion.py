"""Contacts from recorded motions: the file and its checks, the published baseline, a hidden contact found again."""

from __future__ import annotations

import numpy as np
import pytest

from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.ground import Ground
from plantar.ground.fit.contact_space import default_floor
from plantar.ground.fit.motion_fit import fit_motions
from plantar.ground.fit.motion_result import MotionFit
from plantar.ground.fit.motion_run import Floor, compare, simulate
from plantar.ground.fit.motions import Motions
from plantar.table import Table

HIDDEN = Floor(ground=Ground(solref=(0.03, 0.6), friction=(0.35, 0.005, 0.0001), impratio=1.0))
DT, SIDE, MASS = 1 / 148, 0.1, 0.4


def tosses(count: int = 12, rows: int = 60, seed: int = 0, floor: Floor | None = None) -> dict[str, np.ndarray]:
    """Tosses of a cube on a hidden contact, as a file would hold them."""
    rng = np.random.default_rng(seed)
    quats = rng.standard_normal((count, 4))
    first = {
        "position": np.concatenate([rng.uniform(-0.1, 0.1, (count, 2)), np.full((count, 1), 0.13)], axis=1),
        "quaternion_wxyz": quats / np.linalg.norm(quats, axis=1, keepdims=True),
        "velocity": rng.uniform(-1, 1, (count, 3)) * [1, 1, 0.3],
        "angular_velocity": rng.uniform(-4, 4, (count, 3)),
    }
    still = {name: np.repeat(value, rows, axis=0) for name, value in first.items()}
    rest = {"offset": np.arange(count + 1) * rows, "dt": DT, "mass": MASS, "side": SIDE}
    arrays = {**still, **rest, "inertia": MASS * SIDE**2 / 6}
    motions = _motions(arrays)
    poses = simulate(motions, np.arange(count), floor or HIDDEN, substeps=2)
    for i in range(count):
        rows_of = slice(i * rows + 1, (i + 1) * rows)
        arrays["position"][rows_of], arrays["quaternion_wxyz"][rows_of] = poses[i][:, :3], poses[i][:, 3:]
    return arrays


def _motions(arrays) -> Motions:
    return Motions(
        position=arrays["position"],
        quaternion=arrays["quaternion_wxyz"],
        velocity=arrays["velocity"],
        angular_velocity=arrays["angular_velocity"],
        offset=arrays["offset"],
        dt=DT,
        mass=MASS,
        inertia=np.full(3, MASS * SIDE**2 / 6),
        size=np.full(3, SIDE),
    )


def test_the_true_contact_has_no_error_and_others_have():
    motions = _motions(tosses())
    everything = np.arange(len(motions))
    assert compare(motions, everything, HIDDEN, substeps=2).position.max() < 1e-12
    assert compare(motions, everything, default_floor(), substeps=2).position.mean() > 0.05


def test_threads_change_nothing():
    motions = _motions(tosses(6))
    one = compare(motions, np.arange(6), HIDDEN, substeps=1, threads=1)
    two = compare(motions, np.arange(6), HIDDEN, substeps=1, threads=2)
    assert np.array_equal(one.position, two.position)
    assert np.array_equal(one.rotation, two.rotation)


def test_a_hidden_contact_predicts_motions_that_were_not_used():
    result = fit_motions(_motions(tosses(15, rows=50)), folds=3, generations=4, friction=0.3, seed=1)
    for kind in ("position", "rotation"):
        share, low, high = result.reduction(kind)
        assert share > 0.1, kind
        assert low < share < high
        assert result.reduction(kind, "fitted", "pyramidal")[0] > 0.2
    sliding = next(row for row in result.parameters if row["parameter"] == "sliding")
    assert sliding["value"] == pytest.approx(0.35, rel=0.15)
    assert result.ground.friction[0] == pytest.approx(sliding["value"])
    assert result.share > 0


def test_where_the_default_is_true_it_stays():
    """Motions on MuJoCo's elliptic default: held-out motions choose it, and the result says that nothing is gained."""
    arrays = tosses(12, rows=40, floor=default_floor(0.3, "elliptic"))
    arrays["position"] = arrays["position"] + np.random.default_rng(1).normal(0, 2e-4, arrays["position"].shape)
    result = fit_motions(_motions(arrays), folds=3, generations=1, friction=0.3)
    assert result.shares == (0.0, 0.0, 0.0) and result.share == 0.0
    assert result.ground == default_floor(0.3, "elliptic").ground
    assert result.mean("position", "elliptic") < 0.2 * result.mean("position", "pyramidal")
    assert any("chose the elliptic default" in line for line in result.advice())


def test_the_result_says_what_the_cone_alone_does_and_where_the_fit_is_worse():
    """The fit is not praised for what the cone does: here it is worse in position than the cone alone."""
    rng = np.random.default_rng(0)
    base = rng.uniform(0.1, 0.3, 60)
    rows = Table(
        {
            "motion": i,
            "fold": i % 3,
            "position_pyramidal": 2 * x,
            "position_elliptic": x,
            "position_fitted": 1.1 * x + 0.01 * rng.normal(),
            "rotation_pyramidal": x,
            "rotation_elliptic": 0.8 * x,
            "rotation_fitted": 0.7 * x,
        }
        for i, x in enumerate(base)
    )
    found = MotionFit(ground=Ground(), height=0.0, share=1.0, shares=(1.0,) * 3, parameters=Table([]), motions=rows)
    cone, verdict = found.advice()
    assert 'cone="elliptic"' in cone and "position by 50%" in cone and "rotation by 20%" in cone
    assert "better in rotation, worse in position" in verdict
    assert found.reduction("rotation")[0] == pytest.approx(0.125) and found.reduction("position")[2] < 0


def test_measured_tosses_give_the_published_baseline(shared):
    motions = Motions.load(shared / "data" / "cube_tosses.npz")
    assert len(motions) == 285
    errors = compare(motions, np.arange(120), default_floor(0.18), substeps=2)
    assert errors.position.mean() == pytest.approx(0.27, abs=0.01)
    assert np.degrees(errors.rotation.mean()) == pytest.approx(21, abs=1)
    assert motions.ground_height == pytest.approx(-0.0011, abs=1e-4)


def test_the_cone_alone_halves_the_error_of_measured_tosses(shared):
    motions = Motions.load(shared / "data" / "cube_tosses.npz")
    some = np.arange(0, 285, 5)
    pyramidal, elliptic = (compare(motions, some, default_floor(0.18, cone)) for cone in ("pyramidal", "elliptic"))
    assert 1 - elliptic.position.mean() / pyramidal.position.mean() == pytest.approx(0.5, abs=0.07)
    assert elliptic.rotation.mean() < pyramidal.rotation.mean()


def filed(tmp_path, **changes):
    arrays = {**consistent(), **changes}
    path = tmp_path / "motion.npz"
    np.savez(path, **{name: value for name, value in arrays.items() if value is not None})
    return path


def consistent():
    """Tosses whose velocities belong to their poses, as measured ones do."""
    arrays = tosses(6, rows=30, seed=3)
    import mujoco

    from plantar.ground.fit.motion_run import build, rollout  # type: ignore[attr-defined]

    motions = _motions(arrays)
    model = build(motions, HIDDEN, 2)
    start = np.zeros((6, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    start[:, 1:14] = motions.first_states(np.arange(6))
    states, _ = rollout.rollout(model, [mujoco.MjData(model)], start, nstep=120)
    rows = states[:, 1::2, 1:14].reshape(-1, 13)
    parts = {"position": slice(0, 3), "quaternion_wxyz": slice(3, 7), "velocity": slice(7, 10)}
    arrays |= {name: rows[:, part] for name, part in parts.items()}
    return {**arrays, "angular_velocity": rows[:, 10:13], "offset": np.arange(7) * 60}


def test_a_file_loads_with_its_shape(tmp_path):
    motions = Motions.load(filed(tmp_path))
    assert len(motions) == 6
    assert motions.size.tolist() == [SIDE] * 3
    assert motions.pick(np.array([2])).lengths.tolist() == [60]
    ball = Motions.load(filed(tmp_path, side=None, radius=SIDE / 2, inertia=None))
    assert ball.size.tolist() == [SIDE]
    assert ball.inertia == pytest.approx(np.full(3, 0.4 * MASS * (SIDE / 2) ** 2))


def test_a_body_may_come_as_mjcf(tmp_path):
    body = tmp_path / "body.xml"
    geom = f'<geom type="box" size="{SIDE / 2} {SIDE / 2} {SIDE / 2}" mass="{MASS}"/>'
    body.write_text(f"<mujoco><worldbody><body><freejoint/>{geom}</body></worldbody></mujoco>")
    path = filed(tmp_path)
    mesh, box = Motions.load(path, body), Motions.load(path)
    which = np.arange(4)
    assert compare(mesh, which, HIDDEN).rotation == pytest.approx(compare(box, which, HIDDEN).rotation, abs=1e-9)
    bad = tmp_path / "two.xml"
    bad.write_text("<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>")
    with pytest.raises(InvalidInput, match="one free body"):
        Motions.load(path, bad)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda a: {"position": 1e3 * a["position"]}, "metres"),
        (lambda a: {"position": 1e3 * a["position"], "velocity": 1e3 * a["velocity"]}, "side is"),
        (lambda a: {"quaternion_wxyz": np.roll(a["quaternion_wxyz"], -1, axis=1)}, "xyzw"),
        (lambda a: {"angular_velocity": np.degrees(a["angular_velocity"])}, "degrees"),
        (lambda a: {"quaternion_wxyz": 2 * a["quaternion_wxyz"]}, "unit quaternions"),
        (lambda a: {"velocity": None}, "'velocity'"),
        (lambda a: {"side": None}, "no shape"),
        (lambda a: {"offset": a["offset"][::-1].copy()}, "offset"),
    ],
)
def test_bad_files_exit_with_one_line(change, word, tmp_path, capsys):
    path, out = filed(tmp_path, **change(consistent())), tmp_path / "out"
    assert run(["ground", "fit", "--motion", str(path), "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert word in said
    assert said.count("\n") == 1
    assert not out.exists()


def test_the_command_writes_a_ground(tmp_path, capsys):
    path, out = filed(tmp_path), tmp_path / "out"
    few = ["--folds", "3", "--generations", "1", "--substeps", "1"]
    assert run(["ground", "fit", "--motion", str(path), *few, "--out", str(out)]) == 0
    assert "elliptic default" in capsys.readouterr().out
    assert Ground.load(out / "ground.json").cone == "elliptic"
    assert (out / "errors.csv").read_text().count("\n") == 7
    assert (out / "fit.png").is_file()
