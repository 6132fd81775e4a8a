"""`plantar foothold train` and `evaluate`: networks that score footholds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from plantar.cli.bench.options import results_folder
from plantar.cli.common import Json, Out, Overwrite, Progress, Seed, emit, run_command, table_text
from plantar.errors import InvalidInput

SHOWN = ("accuracy", "iou", "feasible_accuracy", "false_feasible", "regret", "infeasible_picks", "none_found")
"""Metrics in the order of the table."""
SHARES = ("accuracy", "iou", "feasible_accuracy", "false_feasible", "infeasible_picks", "none_found")
"""Those that are shares, shown in per cent."""


@run_command
def train(
    data: Annotated[
        Path | None,
        typer.Argument(metavar="[DATA]", help="A folder of `plantar foothold data`; made for --foot if left out."),
    ] = None,
    foot: Annotated[
        str, typer.Option(metavar="NAME", help="Without DATA: any foot, softfoot_q, flat, ball, or its .json file.")
    ] = "softfoot_q",
    grounds: Annotated[int, typer.Option(help="Without DATA: random grounds.")] = 1200,
    patches: Annotated[int, typer.Option(help="Without DATA: maps of each.")] = 40,
    processes: Annotated[int, typer.Option(min=1, help="Without DATA: processes to make maps with.")] = 1,
    kind: Annotated[
        Literal["unet", "erf", "erf_difference", "erf_mrf"],
        typer.Option(help="Ours, or the paper's: ERFNet, with difference weighting, with a random field on top."),
    ] = "unet",
    true: Annotated[bool, typer.Option("--true", help="Train on the true ground, not on what a sensor sees.")] = False,
    physics: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Learn physics too: what `press` wrote, hold.npz of `calibrate`, or physics."
        ),
    ] = None,
    steps: Annotated[int, typer.Option(help="Steps of the optimiser.")] = 4000,
    batch: Annotated[int, typer.Option(help="Maps a step.")] = 256,
    rate: Annotated[float, typer.Option(help="Largest learning rate.")] = 2e-3,
    device: Annotated[Literal["auto", "cpu", "cuda"], typer.Option(help="Where to train.")] = "auto",
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Train a network on a data set and write it as model.onnx, with its history; needs PyTorch."""
    from plantar._extras import require_extra  # noqa: PLC0415
    from plantar._files import write_config, write_table  # noqa: PLC0415
    from plantar.foothold import load_dataset  # noqa: PLC0415

    dataset = None if data is None else load_dataset(data)
    require_extra("train")
    from plantar.foothold.networks.fit import fit_network  # noqa: PLC0415
    from plantar.foothold.networks.kinds import parameters  # noqa: PLC0415
    from plantar.foothold.networks.physics_heads import load_teacher  # noqa: PLC0415
    from plantar.foothold.networks.pictures import plot_history  # noqa: PLC0415
    from plantar.foothold.networks.training import TrainConfig, device_of  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415

    config = TrainConfig(kind=kind, spoiled=not true, steps=steps, batch=batch, rate=rate, seed=seed)
    device_of(device)
    teacher = None if physics is None else load_teacher(physics, foot)
    made = None if dataset is not None else _data_config(foot, grounds, patches, seed)
    if dataset is not None and "validation" not in dataset.card["splits"]:
        raise InvalidInput(f"{str(data)!r} has no validation maps: make more grounds, or larger shares for it")
    folder = results_folder(out, "foothold-train", overwrite)
    if dataset is None:
        dataset = _make_data(made, folder / "data", overwrite, processes)
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


@run_command
def evaluate(
    models: Annotated[
        list[str] | None, typer.Argument(metavar="[MODEL]...", help="Model files (.onnx); the shipped one if left out.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="A folder of `plantar foothold data`: its test grounds; else fresh ones.")
    ] = None,
    sensors: Annotated[str, typer.Option(metavar="A,B,...", help="none, depth_camera, lidar.")] = "none,lidar",
    grounds: Annotated[int, typer.Option(min=2, help="Fresh grounds, dealt out over the kinds.")] = 48,
    patches: Annotated[int, typer.Option(min=1, help="Maps of each.")] = 10,
    analytic: Annotated[bool, typer.Option(help="Score the analytic cost as well, plain and careful.")] = True,
    processes: Annotated[int, typer.Option(min=1, help="Processes to make maps with.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of fresh grounds; networks were trained on another.")] = 1000,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Score networks and the analytic cost on maps they have not seen, behind several sensors, with 95 % intervals."""
    from plantar._files import write_config, write_table  # noqa: PLC0415
    from plantar.foothold.learned import Network  # noqa: PLC0415
    from plantar.foothold.networks.evaluate import SENSORS  # noqa: PLC0415
    from plantar.foothold.networks.evaluate import evaluate as score  # noqa: PLC0415
    from plantar.foothold.networks.pictures import plot_predictions  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415

    names = [name.strip() for name in sensors.split(",")]
    unknown = [name for name in names if name not in SENSORS]
    if unknown:
        raise InvalidInput(f"--sensors {unknown[0]!r} is not allowed: give some of {', '.join(SENSORS)}")
    networks = {_label(text): Network.load(text) for text in models or ["softfoot_q"]}
    config, numbers = _test_grounds(next(iter(networks.values())), data, grounds, patches, seed)
    folder = results_folder(out, "foothold-evaluate", overwrite)
    rows, pictures = [], []
    for name in names:
        with Progress(len(numbers), f"grounds, {name}") as bar:
            done = score(networks, config, numbers, name, analytic=analytic, processes=processes, progress=bar.advance)
        rows += done.rows()
        figure = plot_predictions(done.samples, done.readings, config.kinds, config.cell)
        pictures.append(save(figure, folder / f"maps_{name}.png"))
    write_table(folder, "scores", rows)
    cards = {name: network.card for name, network in networks.items()}
    write_config(folder, command="foothold evaluate", seed=config.seed, grounds=len(numbers), data=config, models=cards)
    maps = len(numbers) * config.patches
    classes = len(next(iter(networks.values())).card["class_edges"])
    text = f"{table_text([_shown(row) for row in rows])}\n\n{maps} maps of {len(numbers)} grounds, {classes} classes; "
    text += f"95 % intervals over grounds\npictures: {', '.join(str(p) for p in pictures)}"
    emit({"rows": rows, "maps": maps, "classes": classes, "folder": folder}, as_json=as_json, text=text)


def _data_config(foot: str, grounds: int, patches: int, seed: int) -> Any:
    """Configuration of data for any foot: what it covers is its sole, unless it has one of its own."""
    import numpy as np  # noqa: PLC0415

    from plantar.cli.feet.feet import find_foot  # noqa: PLC0415
    from plantar.feet import SoftFootQ  # noqa: PLC0415
    from plantar.foothold import DatasetConfig, ElevationMap, SoftSole, sole_of  # noqa: PLC0415
    from plantar.foothold.physics.rig import PushRig, footprint  # noqa: PLC0415

    body = find_foot(foot)
    if isinstance(body, SoftFootQ):
        sole = sole_of(body)
    else:
        flat = ElevationMap(heights=np.zeros((30, 30)), cell=0.02, origin=(-0.29, -0.29))
        length, width = (2 * half for half in footprint(PushRig().model(body, flat)))
        sole = SoftSole(length=length, width=width, height=body.sole_height)
    config = DatasetConfig(grounds=grounds, patches=patches, sole=sole, seed=seed)
    if "validation" not in config.splits():
        raise InvalidInput(f"--grounds {grounds} is not allowed: none is left for validation, give 24 or more")
    return config


def _make_data(config: Any, folder: Path, overwrite: bool, processes: int) -> Any:
    from plantar.foothold import load_dataset, make_dataset  # noqa: PLC0415

    with Progress(config.grounds, "grounds") as bar:
        return load_dataset(
            make_dataset(config, folder, overwrite=overwrite, progress=bar.advance, processes=processes)
        )


def _label(text: str) -> str:
    return Path(text).parent.name + "/" + Path(text).stem if text.endswith(".onnx") else text


def _test_grounds(network: Any, data: Path | None, grounds: int, patches: int, seed: int) -> tuple[Any, list[int]]:
    """Configuration and numbers of the grounds to test on."""
    from plantar.foothold import load_dataset  # noqa: PLC0415
    from plantar.foothold.networks.evaluate import config_of  # noqa: PLC0415

    if data is None:
        if seed == config_of(network).seed:
            raise InvalidInput(f"--seed {seed} is not allowed: the network was trained on its grounds, give another")
        return config_of(network, grounds=grounds, patches=patches, seed=seed), list(range(grounds))
    config = load_dataset(data).config
    numbers = [number for number, split in enumerate(config.splits()) if split == "test"]
    if len(numbers) < 2:
        raise InvalidInput(f"{str(data)!r} has no two test grounds: make more grounds, or a larger share for tests")
    return config, numbers


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """A row with intervals as text."""
    out: dict[str, Any] = {"sensor": row["sensor"], "by": row["by"]}
    for name in SHOWN:
        mean, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
        scale = 100 if name in SHARES else 1
        head = f"{name} %" if name in SHARES else name
        out[head.replace("_", " ")] = f"{scale * mean:.2f} ({scale * low:.2f}-{scale * high:.2f})"
    return out
