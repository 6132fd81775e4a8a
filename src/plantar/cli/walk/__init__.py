"""`plantar walk`: let a robot walk on its feet."""

from plantar.cli.lazy import room

app = room(
    __name__,
    "Walk: one trial, or a study that compares feet.",
    {
        "trial": "Let a robot walk once: figures, time series, a photo sequence and a film.",
        "study": "Walk over the same courses with each foot and its controls: success, paired differences, intervals.",
    },
)
