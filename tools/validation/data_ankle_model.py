"""Model of a compliant ankle-foot with two cams on a leaf spring whose support slides, fitted to dynamometer runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import BSpline
from scipy.optimize import minimize, minimize_scalar

LOW, HIGH, KNOTS = np.radians(-11), np.radians(13), 24
MOVING = 11.95
"""The motor moves until then [s]."""
THIN = 8
"""Every so many samples are used."""
START, SCALE = np.array([0.11, 0.0, 1e-4]), np.array([0.01, 0.2, 1e-4])
"""Free length of the leaf spring [m], how the angle of rest changes with the support [rad/m], and what the frame gives
in series with the spring [rad/(N m)]."""
ROUNDS = 40
"""Half steps to the torque with which the frame's give agrees."""
LOSSES = {"play": 0.04, "friction": 10.0, "friction by load": 0.3}
"""How torque may be lost between the directions, and the most that is searched [rad, N m, 1]."""
Run = dict[str, Any]


def read_runs(file: Path) -> list[Run]:
    """The runs of a file: angle of the foot, torque, both directions of motion, place of the support, cam."""
    data = np.load(file, allow_pickle=False)
    runs, offset = [], data["offset"]
    for i, (slider, cam) in enumerate(zip(data["slider"], data["cam"], strict=True)):
        part = slice(int(offset[i]), int(offset[i + 1]))
        time, angle, torque = (data[k][part].astype(float) for k in ("t", "angle", "torque"))
        speed = np.gradient(angle, time)
        keep = (time < MOVING) & (np.arange(len(time)) % THIN == 0)
        runs.append({
            "slider": float(slider), "cam": int(cam), "peak": float(np.abs(torque).max()),
            "angle": (angle - torque / float(data["dynamometer_stiffness"]))[keep],
            "torque": torque[keep], "up": speed[keep] > 0,
        })  # fmt: skip
    return runs


def columns(parameters: np.ndarray, run: Run, torque: np.ndarray) -> np.ndarray:
    """Torque by each knot of the cam's profile: a cantilever whose free length the support shortens.

    `torque` is what bends the frame.
    """
    length, slope, frame = parameters
    knots = np.r_[[LOW] * 4, np.linspace(LOW, HIGH, KNOTS)[1:-1], [HIGH] * 4]
    at = np.clip(run["angle"] - slope * run["slider"] - frame * torque, LOW + 1e-9, HIGH - 1e-9)
    return (1 - run["slider"] / length) ** -3 * BSpline.design_matrix(at, knots, 3).toarray()


def profiles(parameters: np.ndarray, runs: list[Run]) -> tuple[np.ndarray, float]:
    """Best profile in each direction (2, knots), and the mean square residual over the peak torque."""
    found, total, count = [], 0.0, 0
    for up in (False, True):
        A = np.vstack([columns(parameters, r, r["torque"])[r["up"] == up] / r["peak"] for r in runs])
        b = np.concatenate([r["torque"][r["up"] == up] / r["peak"] for r in runs])
        ridge = 1e-5 * np.eye(A.shape[1])
        x = np.linalg.lstsq(np.vstack([A, ridge]), np.r_[b, np.zeros(A.shape[1])], rcond=None)[0]
        found.append(x)
        total, count = total + float(((A @ x - b) ** 2).sum()), count + len(b)
    return np.array(found), total / count


def fit(runs: list[Run]) -> np.ndarray:
    """Free length, slope of the rest angle, compliance of the frame."""
    best = minimize(
        lambda q: profiles(START + q * SCALE, runs)[1] + 1e3 * min(START[2] + q[2] * SCALE[2], 0.0) ** 2,
        np.zeros(3),
        method="Nelder-Mead",
        options={"initial_simplex": np.vstack([np.zeros(3), 0.6 * np.eye(3)]), "xatol": 0.01, "fatol": 1e-8},
    )
    return START + best.x * SCALE


def tell(parameters: np.ndarray, profile: np.ndarray, run: Run) -> np.ndarray:
    """Torque of a run by a fitted model; the frame gives by the torque that is told."""
    torque = np.zeros(len(run["angle"]))
    for _ in range(ROUNDS):
        both = columns(parameters, run, torque) @ profile.T
        torque = (torque + np.where(run["up"], both[:, 1], both[:, 0])) / 2
    return torque


def tell_alone(parameters: np.ndarray, profile: np.ndarray, run: Run, loss: float, how: str = "play") -> np.ndarray:
    """Torque of a run with one cam, by its profile from runs with both and what is lost against that direction.

    Where both cams are there, each carries in one direction alone: cam 1 while the angle falls, cam 2 while it rises.
    What is lost between the directions does not show in such runs.

    Args:
        parameters: Of the model.
        profile: Both profiles (2, knots).
        run: The run.
        loss: Play between cam and spring [rad], friction [N m], or friction over torque.
        how: `play`, `friction` or `friction by load`.
    """
    mine = profile[[0, 0]] if run["cam"] == 1 else profile[[1, 1]]
    other_way = np.where(run["up"], 1.0, 0.0) if run["cam"] == 1 else np.where(run["up"], 0.0, -1.0)
    if how == "play":
        return tell(parameters, mine, {**run, "angle": run["angle"] + loss * other_way})
    torque = tell(parameters, mine, run)
    return torque + loss * other_way * (1.0 if how == "friction" else np.abs(torque))


def fit_loss(parameters: np.ndarray, profile: np.ndarray, run: Run, how: str) -> float:
    """The loss with which a run with one cam is told best."""
    most = LOSSES[how]
    found = minimize_scalar(
        lambda loss: float(np.mean((tell_alone(parameters, profile, run, loss, how) - run["torque"]) ** 2)),
        bounds=(0.0, most),
        method="bounded",
        options={"xatol": most / 1000},
    )
    return float(found.x)


def tell_single_cams(runs: list[Run]) -> list[Run]:
    """Runs with one cam alone, told by runs with both at other positions, with the loss of the other cam's run."""
    alone, found = [r for r in runs if r["cam"] != 0], []
    for run in alone:
        others = [r for r in runs if r["cam"] == 0 and r["slider"] != run["slider"]]
        parameters = fit(others)
        profile = profiles(parameters, others)[0]
        with_it = run["up"] if run["cam"] == 2 else ~run["up"]
        plain = tell_alone(parameters, profile, run, 0.0) - run["torque"]
        errors = {"no loss": share(plain, run), "carrying": share(plain[with_it], run)}
        errors["against"] = share(plain[~with_it], run)
        loss = {}
        for how in LOSSES:
            loss[how] = float(np.mean([fit_loss(parameters, profile, r, how) for r in alone if r["cam"] != run["cam"]]))
            errors[how] = share(tell_alone(parameters, profile, run, loss[how], how) - run["torque"], run)
        found.append({"cam": run["cam"], "slider": run["slider"], "errors": errors, "loss": loss})
    return found


def share(error: np.ndarray, run: Run) -> float:
    """Root mean square of an error over the peak torque of its run."""
    return float(np.sqrt(np.mean(error**2))) / run["peak"]
