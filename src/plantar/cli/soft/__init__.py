"""`plantar soft`: soft bodies by finite elements."""

from plantar.cli.lazy import room

app = room(
    __name__,
    "Soft bodies: finite elements, cables, pressure, contact, inverse.",
    {
        "run": "Run a scene file; write a table, a plot, a film, a report and a series for ParaView.",
        "compare": "Run every state of the reference files and print the largest difference of each; exit 1 above the "
        "tolerance.",
        "robot": "Run one of the seven soft robots: a table, pictures, a film, and size and time beside the published "
        "ones.",
        "reduce": "Reduce a robot or a scene to a few modes and elements; write it with an error card.",
        "mesh": "Close a surface, fill it with tetrahedra and report their quality (docs/soft_mesh.md).",
        "fit": "Fit laws of rubber to a stress-stretch table; choose by held-out error (docs/soft_fit.md).",
        "fit-beam": "Fit Young's modulus to the sag of a clamped beam; the shaft alone predicts the tip.",
        "materials": "List measured rubbers: law, Young's modulus, range of stretch and source.",
        "foot": "Press a solid foot by finite elements and condensed in MuJoCo: the error card of the condensation.",
        "stream": "Send the rows of a table to a board at a fixed rate, then bring it to rest (docs/serial.md).",
    },
)
