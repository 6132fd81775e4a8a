"""The walks of an evaluation as a sweep: in plain MuJoCo, on all cores, and resumable."""

from __future__ import annotations

import functools
import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from plantar import feet as registry
from plantar import sweep
from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar._files import to_json
from plantar.errors import InvalidInput, PlantarError
from plantar.feet import Foot
from plantar.learn.card import label
from plantar.learn.controller import PolicyMaker
from plantar.learn.errand import Pace
from plantar.learn.evaluation import CELL, MEASURED, PUSHED, EvaluateConfig, Evaluation
from plantar.learn.kinds import kind_of
from plantar.learn.policy import Policy, digest_of
from plantar.learn.springs import springs_of
from plantar.learn.walker import cords_of, is_of_mjlab, restrung, walker_of
from plantar.robots import Robot
from plantar.walk import courses
from plantar.walk.control.tuning import REFERENCE_MASS
from plantar.walk.course import Course
from plantar.walk.result import WalkResult, WalkStatus
from plantar.walk.sim.pushes import Push
from plantar.walk.study.walks import FRONT, way_of


@functools.lru_cache(maxsize=4)
def _walker(policy: str, digest: str, robot: str, body: str, foot: str) -> tuple[Policy, Any]:
    """A policy and its robot, files with these digests, on a foot, which is a word or the JSON of a foot."""
    if (digest_of(policy), _digest(robot)) != (digest, body):
        raise InvalidInput(f"{policy!r} or its robot has changed since the walks began: run again")
    trained = Policy(policy)
    kind = registry.parse(foot) if foot.startswith("{") else foot
    return trained, walker_of(robot or trained.card.robot, kind, trained.card.drives, looks=False)


@functools.lru_cache(maxsize=2)
def _course(
    built_of: tuple[str, str, str, str, str], stiffness: float, tendons: bool, speed: float, seconds: float
) -> Course:
    return course_of(*_walker(*built_of), Pace(distance=abs(speed) * seconds, speed=speed), stiffness, tendons)


def course_of(policy: Policy, walker: Robot, pace: Pace, stiffness: float = 1.0, tendons: bool = True) -> Course:
    """A policy's walk on feet that are stiffer by a factor, with the integrator it was trained with.

    Args:
        policy: The policy.
        walker: Its robot on feet (`plantar.learn.walker.walker_of`).
        pace: How far and how fast.
        stiffness: Factor on the stiffness of soft feet, 1000 to lock them.
        tendons: Whether soft feet have their tendons.

    Raises:
        InvalidInput: If the policy was not trained at such a speed, or was trained on several kinds of feet, so that it
            does not observe their stiffness, and these are stiffer, softer or without tendons.
    """
    _check_known(policy, walker, (pace.speed,), (stiffness,), (tendons,))
    maker = PolicyMaker(policy=policy, stiffness=stiffness, tendons=tendons)
    return Course(restrung(walker, stiffness, tendons), gait=pace, mode=policy.path.name, controller=maker)


def _check_known(
    policy: Policy, walker: Robot, speeds: Sequence[float], stiffness: Sequence[float], tendons: Sequence[bool]
) -> None:
    """Refuse walks that a policy knows nothing about."""
    card, (low, high) = policy.card, policy.card.task.forward
    for speed in speeds:
        trained = f"a speed from {low:g} to {high:g} m/s, as {policy.path.name} was trained at"
        require(low <= speed <= high, "speed", speed, trained)
    if len(card.feet) > 1 and springs_of(walker).soft:
        why = f"{policy.path.name} was trained on several kinds of feet, and does not observe"
        require(set(stiffness) == {1.0}, "stiffness", (*stiffness,), f"1: {why} their stiffness")
        strung = all(tendons) or not cords_of(walker.spec, walker)
        require(strung, "tendons", (*tendons,), f"on: {why} their tendons")


@dataclass(frozen=True, kw_only=True)
class Walks:
    """One walk as a function of (config, seed) for `plantar.sweep`; everything in it is plain data."""

    robot: str
    """The robot, or empty for the one used in training."""
    walks: EvaluateConfig
    """Which walks."""

    def __call__(self, config: dict[str, Any], seed: int) -> dict[str, float]:
        """The figures of a walk; randomness comes from the draw, the same for every foot."""
        asked, chance = self.walks, self.walks.seed + config["draw"]
        built_of = (config["file"], config["digest"], self.robot, config["body"], config["worn"])
        course = _course(built_of, config["stiffness"], config["tendons"], config["speed"], asked.seconds)
        layout = courses.lay(asked.course, config["level"], chance, way_of(course))
        placed = course if layout.terrain is None else course.on(layout.terrain)
        pushes = (*layout.pushes, *_pushes(config["push"], asked.seconds, chance))
        result = placed.run(bars=layout.bars, pushes=pushes, seed=chance, record=True)
        return {
            "fallen": float(result.status is WalkStatus.FELL),
            "arrived": float(result.success),
            "lasted": result.duration,
            "way": result.distance,
            "speed_error": _speed_error(result, course.gait.speed),
            **{name: getattr(result.metrics, name) for name in MEASURED},
        }


def trials_of(
    policies: Sequence[str | Path], feet: Sequence[Any] | None, config: EvaluateConfig, robot: str = ""
) -> list[dict[str, Any]]:
    """The config of every walk; those of one robot are grouped, as building it takes time.

    Raises:
        InvalidInput: If the robot's joints differ from those a policy moves, a foot is of an unknown kind, feet or
            policies are given twice, or a walk cannot be walked or is one that a policy knows nothing about.
    """
    _check_courses(config)
    names, digests = _names_of(policies), [digest_of(file) for file in policies]
    for name, digest in zip(names, digests, strict=True):
        first = names[digests.index(digest)]
        if first != name:
            raise InvalidInput(f"{name!r} is the same policy as {first!r}: give it once")
    given = [kind_of(kind) for kind in feet or ()]
    body, found, cords = _digest(robot), [], False
    for file, digest, name in zip(map(str, policies), digests, names, strict=True):
        kinds = given or Policy(file).feet
        called = [_called(kind) for kind in kinds]
        require(len(set(called)) == len(called), "feet", called, "each foot once")
        for kind, foot in zip(kinds, called, strict=True):
            worn = kind if isinstance(kind, str) else to_json(kind.to_dict())
            trained, walker = _walker(file, digest, robot, body, worn)
            maker = PolicyMaker(policy=trained)
            maker.told(maker.legged(walker))
            _check_known(trained, walker, config.speeds, config.stiffness, config.tendons)
            corded, soft = bool(cords_of(walker.spec, walker)), springs_of(walker).soft
            cords |= corded
            strung = product(config.stiffness if soft else (1.0,), config.tendons if corded else (True,))
            own = {"file": file, "digest": digest, "body": body, "model": _model(robot or trained.card.robot, walker)}
            own |= {"worn": worn, "policy": name, "foot": foot, "ground": _digest(config.course)}
            where = product(config.speeds, config.levels, config.pushes, range(config.draws))
            for string, (*place, draw) in product(strung, where):
                found.append({**own, **dict(zip(CELL[2:], (*string, *place), strict=True)), "draw": draw})
    require(cords or all(config.tendons), "tendons", config.tendons, "on: none of these feet has tendons")
    return found


def _check_courses(config: EvaluateConfig) -> None:
    """Refuse levels that a course does not have."""
    way = courses.Way(start=FRONT, end=FRONT + config.seconds * max(map(abs, config.speeds)))
    for level in config.levels:
        courses.lay(config.course, level, config.seed, way)


def _names_of(policies: Sequence[str | Path]) -> list[str]:
    """What policies are called in tables: their files or, for those called policy.onnx, their folders."""
    names = [Path(file).stem if Path(file).stem != "policy" else Path(file).resolve().parent.name for file in policies]
    if len(set(names)) < len(names):
        raise InvalidInput(f"two policies are called {max(names, key=names.count)!r}: give files of different names")
    return names


def _called(kind: Foot | str) -> str:
    """What a foot is called in tables: one whose fields were changed has a fingerprint behind its name."""
    name = label(kind)
    return name if isinstance(kind, str) or kind == registry.get(name) else f"{name}@{kind.fingerprint()[:6]}"


def _digest(path: str) -> str:
    """SHA-256 of a file, or nothing for a name."""
    file = Path(path).expanduser()
    return digest_of(file) if file.is_file() else ""


def _model(robot: str, walker: Robot) -> str:
    """Where the model of a robot is from, in a word."""
    if is_of_mjlab(robot):
        return "mjlab"
    return "plantar" if walker.source is None else "file" if Path(robot).expanduser().exists() else "menagerie"


@checks_arguments
def evaluate(
    policies: str | Path | Sequence[str | Path],
    feet: Sequence[Any] | None = None,
    config: EvaluateConfig | None = None,
    *,
    robot: str | Path = "",
    out: str | Path | None = None,
    workers: int | None = 1,
    progress: Callable[[int], None] | None = None,
    overwrite: bool = False,
) -> Evaluation:
    """Run policies in plain MuJoCo, like every controller of `plantar.walk`.

    Args:
        policies: `policy.onnx` of `plantar learn export`, or several, for example of several seeds.
        feet: Feet to walk on; None is those each was trained on. Soft feet may be of another build than in training.
        config: Which walks.
        robot: A name or file of the robot; nothing is the one it was trained on.
        out: Folder of the sweep, so that it can be resumed; None keeps nothing.
        workers: Number of processes; None takes all cores.
        progress: Called with the number of walks done.
        overwrite: Whether to start over in a folder that holds other walks.

    Raises:
        InvalidInput: If the robot's joints differ from those the policy moves, or a foot is of an unknown kind.
        PlantarError: If every walk ends in an error.
    """
    config = config or EvaluateConfig()
    files = [policies] if isinstance(policies, str | Path) else list(policies)
    trials = trials_of(files, feet, config, str(robot))
    function, engine = Walks(robot=str(robot), walks=config), "threads" if workers == 1 else "processes"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(out) if out is not None else Path(scratch) / "sweep"
        how: dict[str, Any] = {"workers": workers, "progress": progress or (lambda _: None), "retry": ("error", "died")}
        how |= {"out": folder, "version": to_json(config)}
        try:
            table = sweep.run(function, trials, engine, **how).load()
        except InvalidInput:
            if not overwrite:
                raise
            table = sweep.run(function, trials, engine, **how, overwrite=True).load()
    rows, broken = [], []
    for row in table:
        trial = trials[row["trial"]]
        kept = {k: v for k, v in row.items() if k in ("fallen", "arrived", "lasted", "way", "speed_error", *MEASURED)}
        if row["status"] == "ok":
            rows.append({**{k: trial[k] for k in (*CELL, "draw")}, **kept})
        else:
            broken.append(f"{row['error_type']}: {row['error']}")
    if not rows:
        raise PlantarError(f"every walk ended in an error: {broken[0]}")
    models = {trial["policy"]: trial["model"] for trial in trials}
    return Evaluation(policies=tuple(map(str, files)), config=config, rows=rows, broken=broken, models=models)


def _pushes(change: float, seconds: float, seed: int) -> list[Push]:
    """Pushes that change the velocity of any robot by this much."""
    rng = np.random.default_rng([seed, 2])
    times = np.arange(PUSHED, seconds, PUSHED) if change else ()
    ways = rng.uniform(0, 2 * math.pi, len(times))
    return [
        Push(impulse=change * REFERENCE_MASS, direction=float(way), time=float(time))
        for way, time in zip(ways, times, strict=True)
    ]


def _speed_error(result: WalkResult, speed: float) -> float:
    """Mean error of the velocity of the centre of mass from the first step on [m/s]."""
    assert result.record is not None
    walks = result.record.column("phase") > 0
    if walks.sum() < 2:
        return math.nan
    time, x, y = (result.record.column(name)[walks] for name in ("time", "com_x", "com_y"))
    return float(np.hypot(np.gradient(x, time) - speed, np.gradient(y, time)).mean())
