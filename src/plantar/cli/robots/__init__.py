"""`plantar robots`: which robots there are, where their feet are, and robots with other feet."""

from plantar.cli.lazy import room

app = room(
    __name__,
    "Robots: list, show, mount feet.",
    {
        "list": "List the built-in robots and the MuJoCo Menagerie robots on this machine.",
        "show": "Show a robot: its legs, ankles and soles, mass and height.",
        "mount": "Put other feet on a robot, report what changed, and write a model folder that plain MuJoCo opens.",
    },
)
