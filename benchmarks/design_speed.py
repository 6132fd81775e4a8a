"""Feet a second by cost, and the share of a walk that is physics, in processor time, which other work does not change.

python benchmarks/design_speed.py [--full]
"""

from __future__ import annotations

import argparse
import json
import time

from plantar import feet
from plantar._rows import table_text
from plantar.design.measure import parse_asked
from plantar.design.sampler import Proposer
from plantar.design.space import make_space
from plantar.design.subject import Setting, Subject, make_course
from plantar.walk.study.feet import find_walker

PRESSES = ("mass", "band_stress", "tension", "stiffness", "lift", "contact_area", "sinkage", "hold")
HARDNESSES = (50.0, 55.0, 65.0)


def measured(name: str) -> dict[str, float | str]:
    """Processor time of a measure, mean of some feet; the first, in which loops are compiled, is left out."""
    asked, spent = parse_asked(name), []
    for hardness in (60.0, *HARDNESSES):
        start = time.process_time()
        asked.of(Subject(feet.get("softfoot:fast", band__hardness=hardness)))
        spent.append(time.process_time() - start)
    mean = sum(spent[1:]) / len(HARDNESSES)
    return {"what": name, "cost": asked.measure.level, "seconds": mean, "a second": 1 / mean}


def walked(robot: str, foot: str) -> dict[str, float | str]:
    """Processor time of mounting and of one walk on level ground, and the share that is physics."""
    setting = Setting(robot=robot, grounds=("flat:0",))
    start = time.process_time()
    course = make_course(find_walker(robot, feet.get(foot)), setting)
    mounted = time.process_time() - start
    start = time.process_time()
    result = course.run(seed=1)
    spent = time.process_time() - start
    physics = result.physics_s / (result.physics_s + result.control_s)
    about = {"what": f"{robot} on {foot}", "cost": "walk", "seconds": spent, "a second": 1 / spent}
    return {**about, "mounting": mounted, "physics": physics * spent / (spent + mounted)}


def proposed(sampler: str, goals: int, count: int = 64) -> dict[str, float | str]:
    """Processor time of proposing a foot, mean of 64 in rounds of 8."""
    space = make_space(
        feet.get("softfoot:fast"), ["band.hardness", "pitch=0.019..0.025", "contact.stiffness", "chains"]
    )
    proposer = Proposer(space, [1.0] * goals, sampler)  # type: ignore[arg-type]
    start = time.process_time()
    for _ in range(count // 8):
        for trial, values in proposer.ask(8):
            proposer.tell(trial, [values["pitch"] * (k + 1) for k in range(goals)], 0.0)
    mean = (time.process_time() - start) / count
    return {"what": f"proposal of {proposer.name}, {goals} goals", "cost": "", "seconds": mean, "a second": 1 / mean}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--full", action="store_true", help="walk with full feet too")
    given = parser.parse_args()
    rows = [measured(name) for name in PRESSES]
    rows += [proposed("cmaes", 1), proposed("tpe", 2), proposed("nsga2", 2)]
    print(table_text(rows), flush=True)
    walkers = [("biped", "softfoot:fast"), ("quadruped", "softfoot_q:fast")]
    walkers += [("biped", "softfoot"), ("quadruped", "softfoot_q")] if given.full else []
    walks = []
    for robot, foot in walkers:
        walks.append(walked(robot, foot))
        print(table_text(walks), flush=True)
    times = {str(row["what"]): row["seconds"] for row in rows + walks}
    print(f"figure design.speed.seconds = {json.dumps(times)}")
    print(f"figure design.speed.physics = {json.dumps({str(row['what']): row['physics'] for row in walks})}")


if __name__ == "__main__":
    main()
