"""`plantar foothold train`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import typer

from plantar._extras import require_extra
from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, Progress, Seed, emit, results_folder, table_text
from plantar.cli.foot_options import FootOption, Set, read_foot
from plantar.errors import InvalidInput
from plantar.feet import Foot, SoftFootQ
from plantar.foothold import Dataset, DatasetConfig, ElevationMap, SoftSole, load_dataset, make_dataset, sole_of
from plantar.foothold.physics.rig import PushRig, footprint
from plantar.show.plots import save


def train(
    data: Annotated[
        Path | None,
        typer.Argument(metavar="DATA", help="A folder from `plantar foothold data`; made for --foot if left out."),
    ] = None,
    foot: FootOption = "softfoot_q",
    changes: Set = None,
    grounds: Annotated[int, typer.Option(help="Without DATA: number of random grounds.")] = 1200,
    patches: Annotated[int, typer.Option(help="Without DATA: maps per ground.")] = 40,
    processes: Annotated[int, typer.Option(min=1, help="Without DATA: number of processes that make maps.")] = 1,
    kind: Annotated[
        Literal["unet", "erf", "erf_difference", "erf_mrf"],
        typer.Option(
            help="Our network, or the paper's: ERFNet, with difference weighting, with a random field on top."
        ),
    ] = "unet",
    true: Annotated[bool, typer.Option("--true", help="Train on the true ground, not on what a sensor sees.")] = False,
    physics: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Also learn physics: output of `press`, hold.npz from `calibrate`, or physics."
        ),
    ] = None,
    steps: Annotated[int, typer.Option(help="Steps of the optimiser.")] = 4000,
    batch: Annotated[int, typer.Option(help="Maps per step.")] = 256,
    rate: Annotated[float, typer.Option(help="Largest learning rate.")] = 2e-3,
    device: Annotated[Literal["auto", "cpu", "cuda"], typer.Option(help="Where to train.")] = "auto",
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Train a network on a data set and write it as model.onnx, with its history; needs PyTorch."""
    dataset = None if data is None else load_dataset(data)
    require_extra("train")
    from plantar.foothold.networks.fit import fit_network  # noqa: PLC0415  (PyTorch; its help is there without)
    from plantar.foothold.networks.kinds import parameters  # noqa: PLC0415
    from plantar.foothold.networks.physics_heads import load_teacher  # noqa: PLC0415
    from plantar.foothold.networks.pictures import plot_history  # noqa: PLC0415
    from plantar.foothold.networks.training import TrainConfig, device_of  # noqa: PLC0415

    config = TrainConfig(kind=kind, spoiled=not true, steps=steps, batch=batch, rate=rate, seed=seed)
    device_of(device)
    one = read_foot(foot, changes)
    teacher = None if physics is None else load_teacher(physics, one.name)
    wanted = dataset.config if dataset is not None else _data_config(one, grounds, patches, seed)
    if dataset is not None and "validation" not in dataset.card["splits"]:
        raise InvalidInput(
            f"{str(data)!r} has no validation maps: make more grounds, or a larger fraction for validation"
        )
    folder = results_folder(out, "foothold-train", overwrite)
    if dataset is None:
        dataset = _make_data(wanted, folder / "data", overwrite, processes)
    model = folder / "model.onnx"
    with Progress(config.steps, "steps") as bar:
        done = fit_network(dataset, config, model, device=device, physics=teacher, progress=bar.advance)
    write_table(folder, "history", done.history)
    picture = save(plot_history(done.history), folder / "history.png")
    write_config(folder, command="foothold train", seed=seed, training=config, data=dataset.config)
    count = parameters(done.network)
    record = {"model": model, "accuracy": done.accuracy, "parameters": count, "history": done.history}
    text = (
        f"{table_text(done.history)}\n\n{kind}, {count} parameters: validation accuracy {100 * done.accuracy:.2f} %\n"
        f"model: {model}\npicture: {picture}\nnext: plantar foothold evaluate {model} --data {dataset.folder}"
    )
    emit({**record, "picture": picture, "folder": folder}, as_json=as_json, text=text)


def _data_config(foot: Foot, grounds: int, patches: int, seed: int) -> DatasetConfig:
    """Data configuration for any foot: its outline is its sole, unless it defines one."""
    if isinstance(foot, SoftFootQ):
        sole = sole_of(foot)
    else:
        flat = ElevationMap(heights=np.zeros((30, 30)), cell=0.02, origin=(-0.29, -0.29))
        length, width = (2 * half for half in footprint(PushRig().model(foot, flat)))
        sole = SoftSole(length=length, width=width, height=foot.sole_height)
    config = DatasetConfig(grounds=grounds, patches=patches, sole=sole, seed=seed)
    if "validation" not in config.splits():
        raise InvalidInput(f"--grounds {grounds} is not allowed: none would be left for validation, give 24 or more")
    return config


def _make_data(config: DatasetConfig, folder: Path, overwrite: bool, processes: int) -> Dataset:
    with Progress(config.grounds, "grounds") as bar:
        return load_dataset(
            make_dataset(config, folder, overwrite=overwrite, progress=bar.advance, processes=processes)
        )
