"""`plantar foothold data`: labelled maps for learning."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from plantar.cli.bench.options import numbers, results_folder
from plantar.cli.common import Json, Out, Overwrite, Progress, Seed, emit, run_command, table_text
from plantar.cli.feet.feet import parse_change
from plantar.errors import InvalidInput


@run_command
def data(
    grounds: Annotated[int, typer.Option(help="Random grounds, dealt out over the kinds.")] = 200,
    patches: Annotated[int, typer.Option(help="Maps cut out of each ground.")] = 20,
    kinds: Annotated[str, typer.Option(metavar="A,B,...", help="Kinds of ground; all by default.")] = "",
    sensor: Annotated[
        Literal["depth_camera", "lidar", "none"], typer.Option(help="What sees the maps.")
    ] = "depth_camera",
    sensor_changes: Annotated[
        list[str] | None, typer.Option("--sensor-set", metavar="FIELD=VALUE", help="Change a field of the sensor.")
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="FIELD=VALUE", help="Change a field of the configuration.")
    ] = None,
    foot: Annotated[str, typer.Option(metavar="NAME", help="Foot that the labels are for.")] = "softfoot_q",
    shares: Annotated[str, typer.Option(metavar="A,B,C", help="Shares of train, validation, test.")] = "0.8,0.1,0.1",
    processes: Annotated[int, typer.Option(min=1, help="Processes; the files are the same for any number.")] = 1,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Make a data set: grounds of many kinds, seen by a sensor, labelled by the analytic cost, with a card."""
    from plantar._fields import edited  # noqa: PLC0415  (NumPy is loaded only when needed)
    from plantar.foothold import DatasetConfig, Sensor, SoftSole, load_dataset, make_dataset, sole_of  # noqa: PLC0415

    eyes = {"depth_camera": Sensor.depth_camera, "lidar": Sensor.lidar, "none": Sensor}[sensor]()
    eyes = edited(eyes, dict(parse_change(text) for text in sensor_changes or []))
    sole = sole_of(foot)
    if not isinstance(sole, SoftSole):
        raise InvalidInput(f"--foot {foot!r} is not allowed: data sets are for adaptive feet, give softfoot_q")
    fields: dict[str, Any] = {"grounds": grounds, "patches": patches, "sensor": eyes, "sole": sole, "seed": seed}
    if kinds:
        fields["kinds"] = tuple(kind.strip() for kind in kinds.split(","))
    three = tuple(numbers("--shares", shares))
    if len(three) != 3:
        raise InvalidInput(f"--shares {shares!r} is not allowed: give three numbers that sum to 1")
    config = edited(
        DatasetConfig(shares=(three[0], three[1], three[2]), **fields),
        dict(parse_change(text) for text in changes or []),
    )
    config.splits()
    folder = results_folder(out, "foothold-data", overwrite)
    with Progress(config.grounds, "grounds") as bar:
        path = make_dataset(config, folder, overwrite=True, progress=bar.advance, processes=processes)
    made = load_dataset(path)
    rows = [
        {
            "split": name,
            "maps": f["maps"],
            "grounds": f["grounds"],
            "footholds": f["reasons"]["ok"],
            "unseen": f["unseen"],
        }
        for name, f in made.card["splits"].items()
    ]
    record = {"folder": path, "classes": made.card["classes"], "class_edges": made.edges, "splits": rows}
    text = f"{table_text(rows)}\n\n{made.card['classes']} classes; card: {path / 'README.md'}"
    emit(record, as_json=as_json, text=text)
