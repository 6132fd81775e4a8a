"""Commands that take long, with work that is small enough to be cut off a hundred times."""

from __future__ import annotations

PRESSES = ["foot.friction=0.1,0.2,0.3,0.4,0.5", "load=12,24", "height=0.01", "position=1,3", "--duration", "4"]
SOME = ["--loads", "12", "--heights", "0.01", "--positions", "1,2"]
G1 = ["g1_softfoot.onnx", "--robot", "unitree_g1", "--seed", "3"]
WALK = ["--steps", "5", "--rate", "250", "--timestep", "0.002"]
LONG = {
    "gait sweep": ["--robot", "hopper", "--speeds", "0.2,0.3", "--intervals", "4", "--refinements", "0"],
    "sweep press": [*PRESSES, "--workers", "2"],
    "sweep press processes": [*PRESSES, "--workers", "2", "--engine", "processes"],
    "foothold data": ["--grounds", "2", "--patches", "1", "--processes", "1"],
    "foothold data processes": ["--grounds", "2", "--patches", "1", "--processes", "2"],
    "walk study": ["biped", "--feet", "own", "--modes", "torque", "--courses", "flat", "--levels", "1", "--draws", "2"],
    "foothold walk": ["flat", "--feet", "ball", "--draws", "2", "--choose", "nominal", "--distance", "0.05"],
    "bench calibrate": ["measured.csv", "--parameters", "rig.tilt", "--folds", "0", "--foot", "softfoot:fast"],
    "ground identify": ["--robot", "biped", "--depth", "0.005"],
    "ground fit-soil": ["plates.csv"],
    "soft robot": ["diamond", "--film", "0", "--duration", "0.02"],
    "feet reduce": ["softfoot", "--presses", "1", "--checks", "1", "--no-mechanism"],
    "foothold press": ["--mosaics", "1", "--tiles", "1", "--footholds", "2", "--directions", "4"],
    "design": ["--vary", "radius=0.02..0.04", "--objectives", "mass", "--foot", "ball", "--evaluations", "3"],
    "learn evaluate": [*G1, "--feet", "softfoot:fast", "--stiffness", "1", "--levels", "0", "--processes", "1"],
    "learn play": [*G1, "--distance", "0.3", "--html", "page.html", "--overwrite"],
    "soft run": ["scene.yaml", "--duration", "0.1"],
    "soft reduce": ["scene.yaml", "--samples", "4"],
    "soft foot": ["solid", "--load", "20", "--ground", "flat"],
    "walk trial": ["biped", *WALK, "--no-pictures"],
    "gait solve": ["--robot", "hopper", "--intervals", "4", "--refinements", "0"],
    "gait compare-contact": ["--count", "1", "--period", "0.3", "--robot", "leg"],
    "bench press": [*SOME, "--foot", "softfoot:fast"],
    "bench stiffness": ["--loads", "10,20", "--foot", "softfoot:fast"],
    "bench windlass": ["--angles", "10", "--no-beside"],
    "bench compare": ["measured.csv", "--duration", "0.05"],
    "bench sensitivity": ["measured.csv"],
    "foothold evaluate": ["--grounds", "2", "--patches", "2"],
    "ground tracks": ["--material", "dry_sand", "--steps", "1"],
    "ground fit": ["press.csv"],
    "view": ["ball", "--port", "0", "--no-browser", "--seconds", "2"],
}
LONG["walk study"] += [*WALK, "--no-photos", "--processes", "1"]
LONG["foothold walk"] += ["--no-photos", "--processes", "1"]
LONG["design"] += ["--batch", "1", "--engine", "threads", "--workers", "1"]
LONG["learn evaluate"] += ["--draws", "2", "--seconds", "0.1"]
"""Command lines by name; the words of a name after the second tell apart what is run in two ways."""
NO_FOLDER = ("learn play", "view")
"""Commands that write a page or nothing."""
IDLE = ("view",)
"""Commands that wait more than they work: their signals come by the clock."""


def line_of(name: str) -> list[str]:
    """The command line, which writes to `out` where it has a folder."""
    return [*name.split()[:2], *LONG[name], *([] if name in NO_FOLDER else ["--out", "out"])]
