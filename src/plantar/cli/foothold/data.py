"""`plantar foothold data`: labelled maps for learning."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from plantar._fields import edited
from plantar.cli.common import (
    Json,
    Out,
    Overwrite,
    Progress,
    Seed,
    emit,
    numbers,
    parse_changes,
    results_folder,
    table_text,
    words,
)
from plantar.cli.foot_options import FootOption, Set, read_foot
from plantar.errors import InvalidInput
from plantar.foothold import DatasetConfig, Sensor, SoftSole, load_dataset, make_dataset, sole_of


def data(
    grounds: Annotated[int, typer.Option(help="Number of random grounds, spread over the kinds.")] = 200,
    patches: Annotated[int, typer.Option(help="Maps per ground.")] = 20,
    kinds: Annotated[str, typer.Option(metavar="A,B,...", help="Kinds of ground; all by default.")] = "",
    sensor: Annotated[
        Literal["depth_camera", "lidar", "none"], typer.Option(help="Sensor through which the maps are seen.")
    ] = "depth_camera",
    sensor_changes: Annotated[
        list[str] | None, typer.Option("--sensor-set", metavar="FIELD=VALUE", help="Change a field of the sensor.")
    ] = None,
    config_changes: Annotated[
        list[str] | None,
        typer.Option("--config-set", metavar="FIELD=VALUE", help="Change a field of the configuration."),
    ] = None,
    foot: FootOption = "softfoot_q",
    changes: Set = None,
    shares: Annotated[
        str, typer.Option(metavar="A,B,C", help="Fractions for train, validation, test.")
    ] = "0.8,0.1,0.1",
    processes: Annotated[int, typer.Option(min=1, help="Number of processes; the files do not depend on it.")] = 1,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Make a data set: grounds of many kinds, seen by a sensor, labelled by the analytic cost, with a card."""
    eyes = {"depth_camera": Sensor.depth_camera, "lidar": Sensor.lidar, "none": Sensor}[sensor]()
    eyes = edited(eyes, parse_changes("--sensor-set", sensor_changes))
    sole = sole_of(read_foot(foot, changes))
    if not isinstance(sole, SoftSole):
        raise InvalidInput(f"--foot {foot!r} is not allowed: data sets are for adaptive feet, give softfoot_q")
    fields: dict[str, Any] = {"grounds": grounds, "patches": patches, "sensor": eyes, "sole": sole, "seed": seed}
    if kinds:
        fields["kinds"] = words(kinds)
    three = tuple(numbers("--shares", shares))
    if len(three) != 3:
        raise InvalidInput(f"--shares {shares!r} is not allowed: give three numbers that sum to 1")
    config = edited(
        DatasetConfig(shares=(three[0], three[1], three[2]), **fields),
        parse_changes("--config-set", config_changes),
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
