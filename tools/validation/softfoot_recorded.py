"""SoftFoot: calibration, contact, light twins and speed, as tests and benchmarks have recorded them."""

from __future__ import annotations

import re

from validation.figures import Figures, read
from validation.records import Record, Row

ROOM = "softfoot"
WALK_FIGURES = {
    "com_excursion": "excursion",
    "slip": "slip",
    "transport": "cost of transport",
    "cop_margin": "margin of the pressure point",
}
"""Figures of a walk that the fast foot is held to, as the row names them."""
ALIKE = 0.10
"""Share within which they count as the same."""
ROBOTS = {"biped": "biped", "g1": "G1"}
"""Robots of the walks on full feet."""
PARTED = r"[\w. ]+ cannot be (?:told apart|identified)"
"""What calibration says of parameters that presses do not determine."""


def names_of(topic: str) -> list[str]:
    """Figures of a topic, one for each case of a test, without the room."""
    return [name.removeprefix(f"{ROOM}.") for name in read(ROOM) if name.startswith(f"{ROOM}.{topic}.")]


def bench() -> Record:
    """What was recorded of the bench and of the light twins."""
    f = Figures(ROOM)
    rows = [_presses(f), _calibration(f), _depth(f), _walks(f), _twin(f), _fast_press(f), _talos(f)]
    return f.record("Calibration, fast twin and speed", rows)


def _presses(f: Figures) -> Row:
    released, single, batch, ours = f["press_speed.seconds"].values()
    made = f["press_speed.made"]
    return f.row(
        "press_speed.seconds",
        good=released / ours >= 10,
        what=f"{made['trials']} presses against {made['trials']} serial runs of the released model in the same rig, "
        f"{made['cores']} cores",
        published="at least 10 times faster",
        ours=f"{released / ours:.0f} times ({released:.1f} s against {ours:.2f} s): {released / single:.1f} from one "
        f"chain instead of five, {single / batch:.1f} from not stepping trials that have come to rest, "
        f"{batch / ours:.1f} from threads; same time step in both",
        n=f"median of {made['rounds']} rounds, in turns",
    )


def _calibration(f: Figures) -> Row:
    names = [name for name in names_of("calibration") if "errors" in name]
    worst = max(error for name in names for error in f[name].values())
    said = [match[0] for text in f["calibration.advice"] for match in re.finditer(PARTED, text)]
    return f.row(
        *names,
        "calibration.advice",
        good=worst < 0.05 and len(said) == 2,
        what="calibration on 48 presses with hidden parameters and 2 % noise: band stiffness, tilt, heel and "
        "metatarsus shift; what it says beside an idle and a confounded parameter",
        published="each within 5 %; both are named",
        ours=f"within {100 * worst:.1f} % each (shifts of +-4 mm); {', '.join(said) or 'neither is named'}",
        n=f"{len(names)} draws of the noise",
    )


def _depth(f: Figures) -> Row:
    names = names_of("depth")
    worst = max(abs(f[name] - 1) for name in names)
    return f.row(
        *names,
        good=worst < 0.05,
        what="the same sole on a floor, 1 to 5 chains, all fidelities, steps of 0.5 to 4 ms, parts of half and twice "
        "the mass, other cones and floors: depth of its contacts under the same pressure",
        published="within 5 %",
        ours=f"within {100 * worst:.1f} % ({len(names)} variants)",
    )


def _walks(f: Figures) -> Row:
    counts, changes = f["fidelity.counts"], f["fidelity.changes"]
    same = counts["alike"] == counts["pairs"]
    apart = [word for key, word in WALK_FIGURES.items() if abs(changes[key]) > ALIKE]
    kept = [word for word in WALK_FIGURES.values() if word not in apart]
    told = ", ".join(f"{100 * changes[key]:+.1f}" for key in WALK_FIGURES)
    slip = ", ".join(f"{robot} {100 * f[f'fidelity.{key}']['slip']:+.0f}" for key, robot in ROBOTS.items())
    return f.row(
        "fidelity.counts",
        good=same and not apart,
        otherwise="only in a regime" if same and kept else "not confirmed",
        what=f"{counts['pairs']} walks on `fast` and on `full` feet (biped, G1; level and 10 mm bars; impedance and "
        f"torque mode; fresh seeds): outcome; {', '.join(WALK_FIGURES.values())} in the mean of the "
        f"{counts['walked']} that walk",
        published=f"same outcome; within {100 * ALIKE:.0f} %",
        ours=f"{counts['alike']} of {counts['pairs']} alike; {told} % (slip: {slip} %)",
        n=f"two robots and two modes, {counts['level']} on level ground and {counts['bars']} over a bar in each; "
        f"seeds from {counts['seed']}",
        regime=f"outcome, {', '.join(kept)}; not {', '.join(apart)}" if apart else "",
    )


def _twin(f: Figures) -> Row:
    names = {"stiffness": "stiffness", "arch_lift": "lift", "tension": "tension"}
    off = {word: f[f"twin.{name}"] - 1 for name, word in names.items()}
    return f.row(
        *(f"twin.{name}" for name in names),
        good=max(map(abs, off.values())) < 0.05,
        what="fast twin: stiffness from 20 to 100 N, arch lift and tension of a tendon at 10 degrees, against the "
        "full foot",
        published="still there: within 5 %",
        ours=", ".join(f"{word} {100 * value:+.1f} %" for word, value in off.items()),
    )


def _fast_press(f: Figures) -> Row:
    ratios = f["fast_speed.press"]
    fast = max(value for name, value in ratios.items() if name.startswith("fast,"))
    return f.row(
        "fast_speed.press",
        good=fast >= 20,
        what="fast foot against the released one, pressed on a cylinder, each at its largest step within 1 %, one core",
        published="at least 20 times",
        ours=f"{fast:.0f} times (released foot with the integrator of its file, `implicitfast`; "
        f"{fast / ratios['released, discrete']:.0f} times if it is given `discrete` too)",
        n=f"median of {f['fast_speed.rounds']} turns",
    )


def _talos(f: Figures) -> Row:
    ratios = f["fast_speed.talos"]
    (bare, low, high), (sensed, least, most) = ratios["fast"], ratios["fast, force sensors"]
    beyond = [name for name, end in {"without force sensors": high, "with force sensors": most}.items() if end > 1.5]
    return f.row(
        "fast_speed.talos",
        good=not beyond,
        otherwise="only in a regime" if bare <= 1.5 else "not confirmed",
        what="Talos at 2 ms on fast feet against its rigid ones",
        published="at most 1.5 times",
        ours=f"{bare:.2f} ({low:.2f} to {high:.2f}); {sensed:.2f} ({least:.2f} to {most:.2f}) with force sensors; "
        f"released feet {ratios['released'][0]:.1f}",
        n=f"{f['fast_speed.rounds']} turns, standing and stepping; 95 % intervals by bootstrap over turns",
        regime=f"the interval reaches beyond 1.5 {' and '.join(beyond)}" if beyond else "",
    )
