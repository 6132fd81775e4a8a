"""`plantar sweep`: many trials at once, and how fast that goes here."""

from plantar.cli.lazy import room

app = room(
    __name__,
    "Sweep: many trials at once; resumable.",
    {
        "press": "Press a foot in many ways; a sweep that was stopped goes on when --out names its folder again.",
        "show": "Say how far a sweep is, and print its first rows.",
        "bench": "Time every engine of this machine with every foot, pressed with 100 N on an obstacle.",
    },
)
