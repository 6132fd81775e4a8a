"""`plantar ground`: contact laws in SI units, identification, materials, terrains."""

from plantar.cli.lazy import room

app = room(
    __name__,
    "Grounds: contact laws in SI units, fits to measurements, terrain, soil that keeps tracks.",
    {
        "identify": "Find the solref and solimp with which a robot sinks to a given depth; write them as ground.json.",
        "curve": "Plot force against deformation: dropped and at rest, simulated and analytic, Hunt-Crossley beside "
        "it.",
        "explain": "Show which contact parameters win between two geoms, and the stiffness, damping and depth that "
        "result.",
        "materials": "List grounds with published stiffness, Bekker parameters and friction, and their sources.",
        "fit": "Find a ground's parameters from measured forces or recorded motions; write them as ground.json.",
        "fit-soil": "Fit laws of soil to presses, driven wheels or dragged plates; choose one by its held-out error.",
        "sense": "Find the law of the ground and the foot's stiffness from forces and motions of ordinary steps.",
        "terrain": "Make a terrain: scene for MuJoCo, elevation map, picture; without KIND list the kinds and their "
        "fields.",
        "tracks": "Make a robot walk over yielding ground: tracks, loads, energy lost to the ground, pictures.",
        "fields": "List the fields of a terrain with defaults, units and meanings; `--terrain-set` takes their names.",
    },
)
