"""Every command and option of Plantar, found by looking, with hostile values for each."""

from __future__ import annotations

import random
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from plantar.cli import app as cli
from plantar.cli import lazy

from .files import damaged

FLOATS = ("nan", "inf", "-inf", "-1", "0", "1e300", "-1e300", "1e-300", "1e400", "1,5", "", " ", "abc", "0x10", "٣")
INTEGERS = ("-1", "0", "1.5", "1e3", "", "abc", "99999999999999999999", "9" * 400, "-99999999999999999999", "1 0")
TEXTS = (
    "",
    " ",
    ",",
    ",,,",
    "../../evil",
    "/etc/passwd",
    "x" * 5000,
    "足",
    "\u202e",
    "nan",
    "a,b",
    "a:b",
    "%s{}",
    "\udcff",
)
TEXTS += ("$(touch evil)", "-1", "1", "None", "a\nb", "'", "softfoot:", ":fast", "mine.txt", "mine", "foot.json")
NUMBERS = ("", ",", "a", "nan", "inf,1", "1,,2", "1;2", "-1", "0", "1e300", "0,0", "1,1,1,1,1,1,1", "9" * 400, "1:2")
CHANGES = ("", "=", "x", "x=1", "=1", "name=1", "mass=nan", "friction=-1", "friction=[1,2]", "friction={}")
CHANGES += ("friction=null", "a.b.c=1", "mass=1e999", "friction=" + "[" * 50_000, "friction=" + "9" * 5000)
CHANGES += ("size=[1e9,1e9]", "cell=1e-9", "count=100000000000000000000000000", "timestep=NaN", "length=Infinity")
CHANGES += ("seed=-1", "__class__=1", "friction=1=2")
FOLDERS = ("", " ", "mine", "mine.txt", "mine.txt/x", "nowhere", "nowhere/x", "/proc/x", "/dev/null", "x" * 300)
FOLDERS += ("\udcff", "fifo.html", "~nobody-here/x", "mine/../mine", ".", "./", "out/" + "d/" * 200 + "x")

BASE: dict[tuple[str, str], list[str]] = {
    ("feet", "show"): ["ball"],
    ("feet", "export"): ["ball", "out"],
    ("feet", "reduce"): ["softfoot", "--presses", "1", "--checks", "1"],
    ("feet", "check"): ["ball"],
    ("feet", "fields"): ["ball"],
    ("robots", "show"): ["biped"],
    ("robots", "mount"): ["biped", "--foot", "ball"],
    ("bench", "press"): ["--loads", "12", "--heights", "0.01", "--positions", "1", "--duration", "0.01"],
    ("bench", "template"): ["out.csv"],
    ("bench", "compare"): ["measured.csv", "--duration", "0.01"],
    ("bench", "sensitivity"): ["measured.csv"],
    ("bench", "windlass"): ["--angles", "10"],
    ("bench", "stiffness"): ["--loads", "10,20"],
    ("bench", "calibrate"): ["measured.csv", "--parameters", "rig.tilt"],
    ("bench", "replay"): ["mine"],
    ("bench", "fields"): ["press"],
    ("ground", "identify"): ["--robot", "biped", "--depth", "0.005"],
    ("ground", "explain"): ["model.xml", "floor", "ball"],
    ("ground", "curve"): ["--depth", "0.005", "--duration", "0.01"],
    ("ground", "fit"): ["press.csv"],
    ("ground", "fit-soil"): ["plates.csv"],
    ("ground", "sense"): ["--steps", "1"],
    ("ground", "fields"): ["bars"],
    ("ground", "terrain"): ["bars"],
    ("ground", "tracks"): ["--material", "dry_sand", "--steps", "1"],
    ("walk", "trial"): ["biped", "--steps", "5"],
    ("walk", "study"): ["biped", "--feet", "own", "--draws", "1", "--steps", "5"],
    ("gait", "solve"): ["--robot", "hopper", "--seconds", "1"],
    ("gait", "sweep"): ["--robot", "hopper", "--speeds", "0.2", "--seconds", "1"],
    ("gait", "fit-drops"): ["drops.csv", "--mass", "0.5"],
    ("gait", "drops"): ["out.csv"],
    ("gait", "compare-contact"): ["--count", "1"],
    ("soft", "run"): ["scene.yaml"],
    ("soft", "compare"): ["foot.json"],
    ("soft", "robot"): ["diamond", "--duration", "0.01"],
    ("soft", "reduce"): ["scene.yaml", "--samples", "1"],
    ("soft", "foot"): ["solid"],
    ("soft", "mesh"): ["cube.stl", "out.vtu", "--size", "0.005"],
    ("soft", "fit"): ["rubber.csv", "--laws", "neo_hookean", "--bootstrap", "0"],
    ("soft", "fit-beam"): ["beam.csv", "--density", "1070"],
    ("soft", "stream"): ["setpoints.csv", "--port", "/dev/null"],
    ("foothold", "map"): ["map.npz"],
    ("foothold", "choose"): ["map.npz", "--nominal", "0,0"],
    ("foothold", "data"): ["--grounds", "2", "--patches", "2"],
    ("foothold", "train"): ["mine", "--steps", "1"],
    ("foothold", "evaluate"): ["--grounds", "2", "--patches", "2"],
    ("foothold", "walk"): ["flat", "--feet", "ball", "--draws", "1", "--choose", "nominal"],
    ("foothold", "press"): ["--mosaics", "1", "--tiles", "1", "--footholds", "1", "--directions", "4"],
    ("foothold", "calibrate"): ["map.npz"],
    ("learn", "train"): ["biped"],
    ("learn", "evaluate"): ["g1_softfoot.onnx", "--feet", "softfoot:fast", "--stiffness", "1", "--levels", "0"],
    ("learn", "play"): ["g1_softfoot.onnx", "--distance", "0.1", "--html", "out.html"],
    ("learn", "export"): ["foot.json"],
    ("design", ""): ["--vary", "radius=0.02..0.04", "--objectives", "mass", "--foot", "ball", "--evaluations", "2"],
    ("view", ""): ["ball", "--port", "0", "--no-browser", "--seconds", "0.1"],
    ("sweep", "press"): ["load=12", "height=0.01", "position=1", "--duration", "0.01"],
    ("sweep", "show"): ["mine"],
    ("sweep", "bench"): ["--foot", "ball", "--fidelity", "full", "--engine", "threads", "--seconds", "0.1"],
}
BASE["learn", "evaluate"] += ["--draws", "1", "--seconds", "0.1", "--processes", "1"]
BASE["design", ""] += ["--batch", "2", "--engine", "threads", "--workers", "1"]
"""What makes each command a quick one; those that are not here need nothing."""
NEED_MORE = {("bench", "replay"), ("foothold", "train"), ("foothold", "calibrate"), ("sweep", "show")}
NEED_MORE |= {("learn", "train"), ("learn", "export"), ("soft", "compare"), ("soft", "stream")}
"""Commands whose line fails for want of what another one writes, of PyTorch, or of a board."""
READ: dict[Any, str] = {
    **dict.fromkeys(("model", "--body", "robot", "--robot", "--released"), "model.xml"),
    **dict.fromkeys(("foot", "--foot", "files", "what"), "foot.json"),
    **dict.fromkeys(("data", "log", "--recorded", ("soft", "stream", "table")), "press.csv"),
    **dict.fromkeys(("--check", ("ground", "fit-soil", "data")), "plates.csv"),
    **dict.fromkeys(("source", "--data", "--on", "--motion", "--physics", "--start", "--reduction"), "map.npz"),
    **dict.fromkeys(("policies", "policy", "checkpoint"), "policy.onnx"),
    **dict.fromkeys(("models", "--network"), "network.onnx"),
    **dict.fromkeys(("scene", "name"), "scene.yaml"),
    **{"--ground": "ground.json", "--terrain": "terrain.json", "--sole": "rig.json"},
    **{
        ("gait", "fit-drops", "data"): "drops.csv",
        ("soft", "fit", "--check"): "rubber.csv",
        ("soft", "fit-beam", "table"): "beam.csv",
        ("soft", "fit-beam", "--check"): "beam.csv",
        "measured": "measured.csv",
        "table": "rubber.csv",
        "surface": "cube.stl",
    },
}
"""A good file for each option and argument that reads one."""
WRITTEN = ("", " ", "mine", "mine.txt", "mine/report", "mine.txt/x", "nowhere", "nowhere/x", "/proc/x", "/dev/null")
WRITTEN += ("x" * 300, "~nobody-here/x", "absent/x", "fifo", "a\nb", "足", "\udcff", "../../evil", "out")
"""Files to write, for options that write one; each with and without the suffix that is expected."""
SUFFIX = {"--html": ".html", "--video": ".mp4", "--picture": ".png", "--to": ".onnx", "--light": ".pt", "path": ".csv"}
SUFFIX |= {"file": ".csv", "out": ".vtu"}


def commands() -> Iterator[tuple[str, str, Any]]:
    """Room, verb and command of everything that can be run."""
    for room, (place, _) in cli.ROOMS.items():
        command = lazy.build(room, place)
        if not hasattr(command, "list_commands"):
            yield room, "", command
            continue
        for verb in command.list_commands(None):
            yield room, verb, command.get_command(None, verb)


def cases(folder: Path) -> Iterator[list[str]]:
    """Every command line: each option and argument of each command with each hostile value."""
    for room, verb, command in commands():
        base = [room, *([verb] if verb else []), *BASE.get((room, verb), [])]
        head = base[: 1 + bool(verb)]
        has_out = any("--out" in p.opts for p in command.params)
        out = ["--out", "out"] if has_out else []
        yield [*base, "--no-such-option"]
        yield [*base, "one", "too", "many", "arguments"]
        yield head
        for param in command.params:
            for value in values((room, verb), param, folder):
                yield _with(base, head, param, value, out)
        if has_out:
            yield from ([*base, "--out", bad] for bad in FOLDERS)


def values(where: tuple[str, str], param: Any, folder: Path) -> Iterator[str]:
    """Hostile values of an option or argument, by what it takes."""
    metavar, name = param.metavar or "", param.opts[0]
    if name == "--out" or getattr(param, "is_flag", False):
        return
    good = READ.get((*where, name)) or READ.get(name)
    if metavar == "FIELD=VALUE" or "=" in metavar:
        yield from CHANGES
    elif name in SUFFIX:
        yield from (f"{text}{suffix}" for text in WRITTEN for suffix in ("", SUFFIX[name]))
    elif good:
        yield from TEXTS
        yield from (str(path) for path in damaged(folder / good, folder))
        yield from sorted({other for other in READ.values() if other != good})
    elif "," in metavar:
        yield from (*NUMBERS, *TEXTS)
    else:
        yield from {float: FLOATS, int: INTEGERS}.get(_kind(param), TEXTS)


def _kind(param: Any) -> Any:
    hint = param.type_descriptor.annotation if param.type_descriptor else str
    if get_origin(hint) in (Union, types.UnionType):
        hint = next(option for option in get_args(hint) if option is not type(None))
    return str if get_origin(hint) is Literal else hint


def _with(base: list[str], head: list[str], param: Any, value: str, out: list[str]) -> list[str]:
    """The base with one value in place of what it has there."""
    args = list(base)
    if param.param_type_name == "argument":
        rest = args[len(head) :]
        options = next((i for i, a in enumerate(rest) if a.startswith("--")), len(rest))
        return [*head, *rest[options:], *out, "--", value, *rest[1:options]]
    if param.opts[0] in args:
        at = args.index(param.opts[0])
        del args[at : at + 2]
    return [*args, *out, f"{param.opts[0]}={value}" if param.opts[0].startswith("--") else f"{param.opts[0]}{value}"]


def some(folder: Path, count: int, seed: int) -> list[list[str]]:
    """A random sample of all command lines."""
    found = list(cases(folder))
    return random.Random(seed).sample(found, min(count, len(found)))
