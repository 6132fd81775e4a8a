"""Solver parameters with which a standing robot sinks by a commanded depth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.ground.contact.ground import Ground
from plantar.ground.contact.reading import Contacts
from plantar.ground.laws.impedance import Solver, impedance
from plantar.ground.laws.law import root_between
from plantar.identify.at_rest import SLOPE, bounce, contact_rows, creep_speed
from plantar.identify.identification import Identification, Status
from plantar.identify.lean import leaning, settled
from plantar.identify.stage import AnyRobot, Posture, Stage
from plantar.identify.stand import Standing, stand

GRAVITY = 9.81
"""Acceleration of free fall in Gora and Dutta [m/s^2]."""
CREEP = 0.8e-4
"""A ground that would creep faster on a slope of 10 degrees gets a higher `impratio` [m/s]."""
HIGHEST_IMPRATIO = 1e5
"""Where that ends."""
CLOSE = 1e-3
"""How near to the commanded depth a stand or inverse dynamics must come, relative."""
_PROBE = 1000.0


@checks_arguments
def identify(
    robot: AnyRobot,
    depth: float,
    damping_ratio: float = 1.0,
    *,
    feet: Sequence[str] | None = None,
    posture: Posture = None,
    d0: float = 0.0,
    d_width: float = 0.95,
    midpoint: float = 0.5,
    power: float = 2.0,
    friction: tuple[float, float, float] = (1.0, 0.005, 0.0001),
    diagexact: bool | None = None,
    stands: bool | None = None,
    unaided: bool = False,
    name: str = "",
) -> Identification:
    """Find the ground on which `robot` sinks by `depth` under its own weight.

    No scan: in the direct format the force of every contact at rest is proportional to the stiffness K, so that
    `K = weight / sum_i d_i^2 r_i / (Ahat_i (1 - d_i) d_width^2)` with the depths `r_i` of the contacts in the
    posture and the inverse inertias `Ahat_i` that the solver really uses. The damping is `2 zeta sqrt(K)`
    (eq. 30), the width `depth / midpoint`. A single free body on equal contacts gets eqs. 29 and 30 as printed, see
    `static_parameters`. The depth of unequal contacts is their load-weighted mean. Inverse dynamics then checks it;
    with `stands` a simulated stand does, and corrects K until the depth is met. The ground has a priority above that of
    the feet.

    Args:
        robot: Built-in name (`ball`, `box`, `khr3hv`), path of an MJCF or URDF file, `plantar.robots.Robot`, MjSpec,
            or an MjModel that has a plane.
        depth: Static sinkage [m].
        damping_ratio: zeta of the solver's reference, 1 is critical for a free body on one contact.
        feet: Bodies or geoms that carry the robot; None finds them by name. Nothing else touches.
        posture: Keyframe by name, or qpos; None takes `stand` or `home`, else the reference pose.
        d0: Impedance at the surface.
        d_width: Impedance from the depth `width` on.
        midpoint: Place of the commanded depth in the width, and of the turn of the impedance.
        power: Power of the impedance.
        friction: Sliding, torsional [m] and rolling [m] friction of the ground.
        diagexact: MuJoCo's flag, which becomes part of the ground; None uses the robot's.
        stands: Whether to simulate it standing, and correct; None does so for feet with internal joints.
        unaided: Whether it stands without the torque that otherwise keeps its base upright, on level ground and on the
            slope; it then leans at its ankles until its weight is over the middle of its soles.
        name: Name of the ground.

    Raises:
        InvalidInput: If the depth is not above zero or beyond the feet, or the robot has no feet.
    """
    _check_numbers(depth, damping_ratio, d0, d_width, midpoint, power)
    stage = Stage(robot, feet, posture)
    _check_depth(depth, stage)
    if unaided and not stage.soft_feet:
        stage.posture, stands = leaning(stage), True
    ground = Ground(
        name=name or f"ground with {1e3 * depth:g} mm of sinkage",
        solref=(-_PROBE, 0.0),
        solimp=(d0, d_width, depth / midpoint, midpoint, power),
        friction=friction,
        priority=max(1, 1 + int(stage.model.geom_priority[stage.geoms].max())),
        diagexact=diagexact,
        note=f"plantar.ground.identify for {stage.name}",
    )
    stage.use(ground)
    height = _height_for_depth(stage, depth)
    contacts = stage.place(height)
    stiffness = _PROBE * stage.weight / float(contacts.force.sum())
    if stage.single_body and _as_in_the_paper(stage, contacts):
        shape = {"d0": d0, "d_width": d_width, "midpoint": midpoint, "power": power}
        count = len(contacts.depth)
        stiffness = -static_parameters(depth, contacts=count, gravity=stage.gravity, **shape).solref[0]
    ground = _without_creep(stage, _stiffened(ground, stiffness, damping_ratio), height)
    standing, status = None, Status.INVERSE
    if unaided and stage.soft_feet:
        ground, _, _ = _stood(stage, ground, height, depth, damping_ratio, False)
        stage.posture = settled(stage, ground, height)
    if stands or (stands is None and stage.soft_feet):
        ground, standing, status = _stood(stage, ground, height, depth, damping_ratio, unaided)
    return _checked(stage, ground, depth, damping_ratio, standing, status, unaided)


@checks_arguments
def static_parameters(
    depth: float,
    damping_ratio: float = 1.0,
    *,
    contacts: int = 1,
    d0: float = 0.0,
    d_width: float = 0.95,
    midpoint: float = 0.5,
    power: float = 2.0,
    gravity: float = GRAVITY,
) -> Solver:
    """Equations 29 and 30 of Gora and Dutta for a free body on equal contacts: a ball has 1, a box 4.

    The paper divides by the number of contacts without saying so, and its d at the midpoint is right for midpoint
    0.5 only; here it is d0 + midpoint (d_width - d0). The engine raises d0 = 0 to 0.0001, which the equations do
    not know: the depth they give is 0.004 % short.
    """
    _check_numbers(depth, damping_ratio, d0, d_width, midpoint, power)
    require(contacts >= 1, "contacts", contacts, "an integer from 1")
    solimp = (d0, d_width, depth / midpoint, midpoint, power)
    d = d0 + midpoint * (d_width - d0)
    stiffness = gravity * (1 - d) * d_width**2 / (contacts * depth * d**2)
    return Solver((-stiffness, -2 * damping_ratio * math.sqrt(stiffness)), solimp)


def _check_numbers(depth: float, ratio: float, d0: float, d_width: float, midpoint: float, power: float) -> None:
    require(depth >= 1e-7, "depth", depth, "a depth above 0 in metres, as in 0.006")
    require(0 <= ratio <= 1000, "damping_ratio", ratio, "a number from 0 to 1000")
    require(0 <= d0 < 1, "d0", d0, "a number from 0 to below 1")
    require(0 < d_width < 1, "d_width", d_width, "a number between 0 and 1")
    require(0 < midpoint < 1, "midpoint", midpoint, "a number between 0 and 1")
    require(1 <= power <= 100, "power", power, "a number from 1 to 100")


def _check_depth(depth: float, stage: Stage) -> None:
    most = stage.foot_height()
    if depth >= most:
        hint = f", perhaps {depth / 1000:g} if {depth:g} was in millimetres" if depth > 0.1 > depth / 1000 else ""
        raise InvalidInput(
            f"depth = {depth:g} m is beyond the feet of {stage.name!r}, which are {most:.3g} m high: "
            f"give a smaller depth in metres{hint}"
        )


def _height_for_depth(stage: Stage, depth: float) -> float:
    """Height of the base at which the load-weighted mean depth is `depth`; it does not depend on K."""

    def missing(height: float) -> float:
        return depth - stage.place(height).load_depth

    low = high = stage.touch_height() - depth
    while (gap := missing(low)) > 1e-12:
        low -= 1.01 * gap + 1e-9
    return low if low == high else root_between(missing, low, high)


def _as_in_the_paper(stage: Stage, contacts: Contacts) -> bool:
    """Whether eqs. 29 and 30 hold: contacts that are equally deep, each with the inertia of the whole body."""
    level = np.allclose(contacts.depth, contacts.load_depth, rtol=1e-6, atol=0.0)
    mass = float(stage.model.body_subtreemass[stage.root])
    return bool(level and np.allclose(contacts.inverse_inertia * mass, 1.0, rtol=1e-6, atol=0.0))


def _stiffened(ground: Ground, stiffness: float, ratio: float) -> Ground:
    return replace(ground, solref=(-stiffness, -2 * ratio * math.sqrt(stiffness)))


def _without_creep(stage: Stage, ground: Ground, height: float) -> Ground:
    """The ground with friction stiff enough to stand still; with elliptic cones the depth stays."""
    while True:
        stage.use(ground)
        creep = creep_speed(stage, ground, stage.place(height))
        if creep <= CREEP or not math.isfinite(creep) or ground.impratio >= HIGHEST_IMPRATIO:
            return ground
        ground = replace(ground, impratio=10 * ground.impratio)


def _stood(
    stage: Stage, ground: Ground, height: float, depth: float, ratio: float, unaided: bool
) -> tuple[Ground, Standing, Status]:
    """Let it stand; change K by what is missing, until the depth is met without creep."""
    if stage.spec is None:
        raise InvalidInput("stands = True is not allowed for an MjModel: give the MjSpec or the file")
    stage.use(ground)
    duration = min(10.0, max(1.0, 10 * bounce(stage, ground, height).settling))
    standing, past = stand(stage, ground, height, duration=duration, unaided=unaided), None
    for _ in range(8):
        quiet = ground
        if stage.soft_feet:
            # soft feet carry their load elsewhere once they have settled: continue from there
            stage.settle(standing.state)
            quiet = _without_creep(stage, ground, standing.state[stage.height_address])
        if standing.contacts == 0:
            break  # it bounces or has fallen over: how deep it stands is not known
        error = math.log(standing.depth / depth)
        if abs(error) < CLOSE and quiet == ground:
            return ground, standing, Status.STOOD
        stiffness = -ground.solref[0]
        change = _change(ground, standing.depth, depth) if past is None else _secant(past, (stiffness, error))
        past = (stiffness, error)
        ground = _stiffened(quiet, stiffness * change, ratio)
        standing = stand(stage, ground, height, duration=duration, start=standing.state, unaided=unaided)
    return ground, standing, Status.MISSED


def _crept(stage: Stage, ground: Ground, height: float, standing: Standing, unaided: bool) -> float:
    """Speed down a slope of 10 degrees [m/s]; an unaided robot leans against the slope."""
    if not unaided:
        return stand(stage, ground, height, slope=SLOPE, duration=1.0, start=standing.state).speed
    upright = stage.posture
    stage.posture = settled(stage, ground, height, SLOPE) if stage.soft_feet else leaning(stage, SLOPE)
    try:
        return stand(stage, ground, stage.height_for(stage.weight), slope=SLOPE, duration=4.0, unaided=True).speed
    finally:
        stage.posture = upright


def _change(ground: Ground, depth: float, wanted: float) -> float:
    """Factor on K if every contact carried the same fraction at the desired depth."""
    return _shape(ground, depth) / _shape(ground, wanted)


def _secant(past: tuple[float, float], now: tuple[float, float]) -> float:
    """Factor on K from a straight line through two stands, in logarithms and within bounds."""
    (before, old), (stiffness, error) = past, now
    run = math.log(stiffness / before)
    slope = (error - old) / run if abs(run) > 1e-9 else -0.2
    return math.exp(min(1.0, max(-1.0, -error / min(-0.05, max(-1.0, slope)))))


def _shape(ground: Ground, depth: float) -> float:
    """The force at rest over K, up to a constant."""
    d = float(impedance(ground.solimp, depth)[0])
    return d**2 * depth / (1 - d)


def _checked(
    stage: Stage, ground: Ground, depth: float, ratio: float, standing: Standing | None, status: Status, unaided: bool
) -> Identification:
    stage.use(ground)
    height = stage.height_for(stage.weight)
    motion = bounce(stage, ground, height)
    contacts = stage.place(height)
    crept = None
    if standing is not None:
        crept = _crept(stage, ground, height, standing, unaided)
    elif abs(contacts.load_depth / depth - 1) > CLOSE:
        status = Status.MISSED
    return Identification(
        robot=stage.name,
        feet=tuple(stage.model.body(i).name for i in stage.feet),
        depth=depth,
        damping_ratio=ratio,
        ground=ground,
        weight=stage.weight,
        contacts=contact_rows(stage, contacts),
        swept_depth=contacts.load_depth,
        bounce_ratio=motion.ratio,
        creep=creep_speed(stage, ground, contacts),
        standing=standing,
        crept=crept,
        status=status,
    )
