"""`plantar foothold`: score an elevation map, choose a foothold, learn from physics, walk."""

from plantar.cli.lazy import room

app = room(
    __name__,
    "Footholds: cost maps, choices, learned scores, walks that choose.",
    {
        "map": "Score every cell of a map as a foothold: cost maps, reasons and a picture.",
        "choose": "Choose the best foothold, c_final = c_f + k d_n, and draw it; exit code 1 if there is none.",
        "data": "Make a data set: grounds of many kinds, seen by a sensor, labelled by the analytic cost, with a card.",
        "train": "Train a network on a data set and write it as model.onnx, with its history; needs PyTorch.",
        "evaluate": "Evaluate networks and the analytic cost on unseen maps behind several sensors, with "
        "95 % intervals.",
        "walk": "Make a quadruped cross rough ground with each foot and chooser: success, slip, collisions, films.",
        "press": "Press a foot on footholds and push it until it slides: slip, holding force, tilt and support as "
        "labels.",
        "calibrate": "Fit the weights of the analytic cost to physics; evaluate every score on unseen kinds of ground.",
    },
)
