"""`plantar learn`: train policies on soft feet, export and run them."""

from plantar.cli.lazy import room

app = room(
    __name__,
    "Learn: train and evaluate policies on soft feet.",
    {
        "train": "Train a policy for a robot on feet, thousands of worlds at once, or go on with one; needs PyTorch "
        "and mjlab.",
        "evaluate": "Let exported policies walk in plain MuJoCo on the CPU: falls, speed error, cost of transport, "
        "forces, slip.",
        "play": "Let a policy walk once and look at it in three dimensions: in the browser, or as one page or film "
        "to send.",
        "export": "Write the policy of a checkpoint as policy.onnx with its card; needs PyTorch.",
    },
)
