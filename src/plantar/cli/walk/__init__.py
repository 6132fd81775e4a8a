"""`plantar walk`: let a robot walk on its feet."""

from plantar.cli.lazy import room

app = room(
    __name__,
    "Walk: one trial, or a study of many with feet swapped.",
    {
        "trial": "Let a robot walk once: figures, time series, a photo sequence and a film.",
        "study": "Walk over bars at random places with each foot: success with intervals, figures, and the paper's "
        "claims.",
    },
)
