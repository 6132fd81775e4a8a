"""Walk or run? One slow biped, one start, three costs, and heat again with light rotors: what decides.

For each: the gait that comes out, how long its feet are down, what its motors draw by all three measures, and the heat
that the mean forces of its leg motors alone would cost, below which no gait with those means can be.

    OMP_NUM_THREADS=1 python benchmarks/gait_walk_or_run.py [--speed 0.3] [--start walk]
"""

from __future__ import annotations

import argparse
import dataclasses

import numpy as np

from plantar.gait import Biped, Effort, GaitResult, Request, gait_name, solve
from plantar.gait._dynamics import Dynamics
from plantar.gait.cost import COSTS
from plantar.gait.footfalls import contacts


def told(result: GaitResult) -> str:
    """One line about a gait."""
    model, times, torque = Dynamics(result.robot), result.times, result.torque
    way = result.robot.mass * result.distance
    speed = result.v[:, model.bodies :]
    drawn = [np.trapezoid(model.drawn(cost, torque, speed), times) / way for cost in COSTS]
    mean = np.trapezoid(torque, times, axis=0) / result.stride_time
    least = (model.loss_factor * mean**2)[1::2].sum() * result.stride_time / way
    _, on = contacts(result)
    flight = (~on.any(axis=1)).mean()
    numbers = " ".join(f"{value:10.4f}" for value in (*drawn, least))
    return f"{gait_name(result):6s} {on.mean():5.2f} {flight:6.2f} {numbers} {result.defect:9.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--speed", type=float, default=0.3)
    parser.add_argument("--start", default="walk")
    args = parser.parse_args()
    motor = Biped().leg_motor
    light = Biped(leg_motor=dataclasses.replace(motor, rotor=motor.inertia / 20))
    effort = Effort(intervals=14, tolerance=1e-3, refinements=4, explain=False)
    print(
        f"{'cost':10s} {'leg rotor':>9s} {'gait':6s} {'duty':>5s} {'flight':>6s} {'heat':>10s} {'work':>10s}"
        f" {'electric':>10s} {'least heat':>10s} {'defect':>9s}"
    )
    for robot, costs in ((Biped(), COSTS), (light, COSTS[:1])):
        for cost in costs:
            request = Request(speed=args.speed, apex=None, objective="transport", symmetric=True, cost=cost)
            found = solve(robot, "soft", request, guess=args.start, effort=effort)
            text = told(found) if found.ok else f"{found.status.name}: {'; '.join(found.violated[:2])}"
            print(f"{cost:10s} {robot.leg_motor.inertia:9.2f} {text}", flush=True)


if __name__ == "__main__":
    main()
