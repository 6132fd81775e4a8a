"""`plantar feet`: which feet there are, what they are made of, and their models as files."""

from plantar.cli.lazy import room

app = room(
    __name__,
    "Feet: list, show, export, reduce, check.",
    {
        "list": "List the available feet.",
        "show": "Show the fields of a foot with units, and the quantities derived from them.",
        "fields": "List the fields of a foot with values, units and meanings; `--set` takes their names.",
        "export": "Write a foot as a model folder that plain MuJoCo opens.",
        "reduce": "Derive and fit the fast twin of a foot, with an error card against the full foot.",
        "check": "Predict the largest stable time step of a foot or model, and say what limits it.",
    },
)
