"""`plantar foothold evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, Progress, emit, results_folder, table_text, words
from plantar.cli.show_options import report_on
from plantar.errors import InvalidInput
from plantar.foothold import DatasetConfig, load_dataset
from plantar.foothold.learned import Network
from plantar.foothold.networks.evaluate import SENSORS, config_of
from plantar.foothold.networks.evaluate import evaluate as score
from plantar.foothold.networks.pictures import plot_samples
from plantar.show.plots import save
from plantar.show.report import Section

SHOWN = ("accuracy", "iou", "feasible_accuracy", "false_feasible", "regret", "infeasible_picks", "none_found")
"""Metrics in the order of the table."""
SHARES = ("accuracy", "iou", "feasible_accuracy", "false_feasible", "infeasible_picks", "none_found")
"""Those that are fractions, shown in per cent."""


def evaluate(
    models: Annotated[
        list[str] | None, typer.Argument(metavar="MODEL", help="Model files (.onnx); the shipped one if left out.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="A folder from `plantar foothold data` whose test grounds to use; fresh ones if left out."),
    ] = None,
    sensors: Annotated[str, typer.Option(metavar="A,B,...", help="none, depth_camera, lidar.")] = "none,lidar",
    grounds: Annotated[int, typer.Option(min=2, help="Number of fresh grounds, spread over the kinds.")] = 48,
    patches: Annotated[int, typer.Option(min=1, help="Maps per ground.")] = 10,
    analytic: Annotated[bool, typer.Option(help="Also evaluate the analytic cost, plain and careful.")] = True,
    processes: Annotated[int, typer.Option(min=1, help="Number of processes that make maps.")] = 1,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of fresh grounds; networks were trained on a different one.")
    ] = 1000,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Evaluate networks and the analytic cost on unseen maps behind several sensors, with 95 % intervals."""
    names = words(sensors)
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
        figure = plot_samples(done.samples, config.kinds, config.cell, done.readings)
        pictures.append(save(figure, folder / f"maps_{name}.png"))
    write_table(folder, "scores", rows)
    cards = {name: network.card for name, network in networks.items()}
    write_config(folder, command="foothold evaluate", seed=config.seed, grounds=len(numbers), data=config, models=cards)
    maps = len(numbers) * config.patches
    classes = len(next(iter(networks.values())).card["class_edges"])
    text = f"{table_text([_shown(row) for row in rows])}\n\n{maps} maps of {len(numbers)} grounds, {classes} classes; "
    text += f"95 % intervals over grounds\npictures: {', '.join(str(p) for p in pictures)}"
    said = (
        f"how well {', '.join(networks)} scores footholds behind {', '.join(names)}.",
        "; ".join(f"{row['by']} behind {row['sensor']}: {100 * row['accuracy']:.1f} % right" for row in rows) + ".",
        f"{maps} maps of {len(numbers)} grounds not used in training; 95 % intervals over grounds.",
    )
    sections = [Section(title="Scores", table=[_shown(row) for row in rows], picture=pictures)]
    report = report_on(folder, "Networks that score footholds", said, sections)
    record = {"rows": rows, "maps": maps, "classes": classes, "folder": folder, "report": report}
    emit(record, as_json=as_json, text=f"{text}\nreport: {report}")


def _label(text: str) -> str:
    return Path(text).parent.name + "/" + Path(text).stem if text.endswith(".onnx") else text


def _test_grounds(
    network: Network, data: Path | None, grounds: int, patches: int, seed: int
) -> tuple[DatasetConfig, list[int]]:
    """Configuration and numbers of the grounds to test on."""
    if data is None:
        if seed == config_of(network).seed:
            raise InvalidInput(
                f"--seed {seed} is not allowed: the network was trained on these grounds, give another seed"
            )
        return config_of(network, grounds=grounds, patches=patches, seed=seed), list(range(grounds))
    config = load_dataset(data).config
    numbers = [number for number, split in enumerate(config.splits()) if split == "test"]
    if len(numbers) < 2:
        raise InvalidInput(
            f"{str(data)!r} has fewer than two test grounds: make more grounds, or a larger fraction for tests"
        )
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
