"""`plantar sweep`: many trials at once, and how fast they run on this machine."""

from plantar.cli.lazy import room

app = room(
    __name__,
    "Sweep: many trials at once; resumable.",
    {
        "press": "Press a foot in many ways; an interrupted sweep resumes when --out names its folder again.",
        "show": "Show the progress of a sweep and its first rows.",
        "bench": "Time every engine on this machine with every foot, pressed with 100 N on an obstacle.",
    },
)
