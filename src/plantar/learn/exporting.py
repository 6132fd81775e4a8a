"""A trained policy as an ONNX file that carries its card."""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import warnings
from pathlib import Path

import onnx
import torch
from rsl_rl.models import MLPModel
from tensordict import TensorDict

from plantar._files import replacing
from plantar._read import DAMAGE
from plantar.errors import InvalidInput
from plantar.learn.card import Card, read_card
from plantar.learn.checkpoint import NETWORKS, read_checkpoint
from plantar.learn.policy import KEY
from plantar.learn.worlds import quietly

SMALL = 1000
"""Numbers of a tensor that keeps its precision in light checkpoints: scales, means and spreads."""


def export(checkpoint: str | Path, path: str | Path) -> Path:
    """Write the policy of a checkpoint as ONNX, including its mean action, observation scaling and card.

    Args:
        checkpoint: `checkpoint.pt` of a training.
        path: File to write.

    Raises:
        InvalidInput: If the checkpoint cannot be read.
    """
    saved = read_checkpoint(checkpoint)
    card = read_card(saved["card"], repr(str(checkpoint)))
    try:
        actor = _actor(saved["learner"]["actor_state_dict"], card)
    except (RuntimeError, *DAMAGE) as error:
        raise InvalidInput(f"{str(checkpoint)!r} holds a different network from its card") from error
    _write(actor, Path(path), saved["card"], saved["iteration"], saved["steps"])
    return Path(path)


def lighten(checkpoint: str | Path, path: str | Path) -> Path:
    """Write a checkpoint small enough to ship, from which `train(start=)` can continue.

    Weights are halved in precision, every tenth row of the history is kept, and the optimiser state is dropped.

    Args:
        checkpoint: `checkpoint.pt` of a training.
        path: File to write.

    Raises:
        InvalidInput: If the checkpoint cannot be read.
    """
    saved = read_checkpoint(checkpoint)
    learner = {
        part: {name: value.half() if value.numel() > SMALL else value for name, value in saved["learner"][part].items()}
        for part in NETWORKS
    }
    history = json.loads(saved["history"])
    kept = [*history[:-1:10], *history[-1:]]
    with replacing(Path(path)) as scratch:
        torch.save({**saved, "learner": learner, "history": json.dumps(kept)}, scratch)
    return Path(path)


def _actor(weights: dict[str, torch.Tensor], card: Card) -> MLPModel:
    seen = TensorDict({"actor": torch.zeros(1, weights["mlp.0.weight"].shape[1])}, batch_size=[1])
    actor = MLPModel(
        seen,
        {"actor": ["actor"]},
        "actor",
        len(card.drives),
        hidden_dims=card.training.hidden,
        activation="elu",
        obs_normalization=True,
        distribution_cfg={"class_name": "GaussianDistribution", "init_std": 1.0, "std_type": "scalar"},
    )
    actor.load_state_dict(weights)
    return actor


def _write(actor: MLPModel, path: Path, card: str, iteration: int, steps: int) -> None:
    network = actor.as_onnx(verbose=False).eval()
    with replacing(path) as scratch, quietly(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network,
            network.get_dummy_inputs(),  # type: ignore[operator]
            str(scratch),
            opset_version=18,
            input_names=network.input_names,  # type: ignore[arg-type]
            output_names=network.output_names,  # type: ignore[arg-type]
            dynamo=False,
        )
        model = onnx.load(str(scratch))
        for key, value in ((KEY, card), ("plantar_iteration", str(iteration)), ("plantar_steps", str(steps))):
            model.metadata_props.add(key=key, value=value)
        onnx.save(model, str(scratch))
