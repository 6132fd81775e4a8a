"""What the commands about grounds write."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def write_identification(
    result: Any, folder: Path, robot: str, feet: list[str] | None, posture: str | None, material: str | None
) -> Path:
    """Write ground.json, contacts, curve, plot and settings; return the path of the ground."""
    from plantar._files import write_config, write_table  # noqa: PLC0415
    from plantar.ground.curve import robot_curve  # noqa: PLC0415
    from plantar.ground.curve_plots import plot_robot  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415

    swept = robot_curve(robot, result.ground, feet=feet, posture=posture, deepest=1.5 * result.depth)
    write_table(folder, "contacts", result.contacts)
    write_table(folder, "curve", swept)
    title = f"{result.robot} on {result.ground.name}"
    save(plot_robot(swept, weight=result.weight, depth=result.depth, title=title), folder / "curve.png")
    settings = {"robot": Path(robot).name, "feet": result.feet, "posture": posture, "material": material}
    write_config(folder, command="ground identify", **settings, result=result.to_dict())
    return result.ground.save(folder / "ground.json")


def summary(name: str, forward: Any, inverse: Any, sunk: float) -> dict[str, Any]:
    """What a law did, in one row."""
    row: dict[str, Any] = {
        "law": name,
        "static_depth": sunk,
        "deepest": None,
        "largest_force": None,
        "rest_depth": None,
    }
    error = 0.0
    for table in (forward, inverse):
        if len(table):
            force, analytic = table.column("force"), table.column("force_law")
            error = max(error, float(abs(force - analytic).max() / force.max()))
    if len(forward):
        row |= {"deepest": float(forward.column("depth").max()), "largest_force": float(forward.column("force").max())}
        row["rest_depth"] = forward[-1]["depth"]
    return {**row, "analytic_error": error}


def write_curves(folder: Path, drop: Any, grounds: Any, law: Any, forward: Any, inverse: Any) -> Path:
    """Write the curves, the plot and the settings; return the path of the plot."""
    from plantar._files import write_config, write_table  # noqa: PLC0415
    from plantar.ground.curve_plots import plot_curves  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415

    for kind, tables in (("forward", forward), ("inverse", inverse)):
        for i, table in enumerate(tables.values(), start=1):
            if len(table):
                write_table(folder, f"{kind}_{i}", table)
    write_config(folder, command="ground curve", drop=drop, grounds=grounds, hunt_crossley=law, order=list(forward))
    title = f"{drop.mass:g} kg {drop.shape}: force against deformation"
    return save(plot_curves(forward, inverse, weight=drop.weight, title=title), folder / "curve.png")
