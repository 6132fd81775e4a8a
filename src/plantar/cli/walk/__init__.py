"""`plantar walk`: make a robot walk on its feet."""

from plantar.cli.lazy import room

app = room(
    __name__,
    "Walk: one trial, or a study that compares feet.",
    {
        "trial": "Run one walk of a robot: metrics, time series, a photo sequence and a film.",
        "study": "Compare feet and their controls over the same courses: success, paired differences, intervals.",
    },
)
