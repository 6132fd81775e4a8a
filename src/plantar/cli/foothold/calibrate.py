"""`plantar foothold calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar._fields import to_record
from plantar._files import to_json, write_config, write_table, write_text
from plantar.cli.common import Json, Out, Overwrite, Progress, Seed, emit, note, results_folder, table_text, words
from plantar.cli.show_options import report_on
from plantar.errors import InvalidInput
from plantar.foothold import SoftSole
from plantar.foothold.physics import PhysicsData, config_for, load_physics, train
from plantar.foothold.physics.calibrate import calibrate as fit
from plantar.foothold.physics.judge import judge, sole_for
from plantar.foothold.physics.plots import plot_scores
from plantar.show.plots import save
from plantar.show.report import Section


def calibrate(
    source: Annotated[Path, typer.Argument(metavar="DATA", help="Folder or .npz from `plantar foothold press`.")],
    foot: Annotated[
        str | None, typer.Option("--foot", metavar="NAME", help="Name of the foot; taken from the data if left out.")
    ] = None,
    held_out: Annotated[
        str, typer.Option(metavar="A,B,...", help="Kinds held out of the fit and used for evaluation.")
    ] = "waves,stairs,rubble,planks",
    learn: Annotated[bool, typer.Option(help="Also train the learned score (needs PyTorch).")] = False,
    epochs: Annotated[int, typer.Option(help="With --learn: number of passes over the data.")] = 60,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Fit the weights of the analytic cost to physics; evaluate every score on unseen kinds of ground."""
    data = load_physics(source).finite()
    name = foot or data.card.get("foot", "softfoot_q")
    kept, held = _split(data, held_out)
    own = sole_for(name)
    found = fit(data.of_kinds(kept), own) if isinstance(own, SoftSole) else None
    if found is None:
        note(f"{name} has no weights to fit: only the learned score is trained")
    folder = results_folder(out, "foothold-calibrate", overwrite)
    if found is not None:
        write_text(folder / "sole.json", to_json({"kind": "soft", **to_record(found.sole)}, indent=2) + "\n")
    model = None
    if learn:
        settings = config_for(name, data, epochs=epochs, seed=seed)
        with Progress(epochs * settings.networks + settings.passes, "passes") as bar:
            model = train(data.of_kinds(kept), settings, progress=bar.advance, foot=name, fitted_on=kept, held_out=held)
        model.save(folder / "hold.npz")
    judged = judge(data.of_kinds(held), name, found.sole if found else None, model)
    rows, chosen = judged.pop("scores"), judged.pop("picks")
    write_table(folder, "scores", rows)
    if chosen:
        write_table(folder, "picks", chosen)
    picture = save(plot_scores(rows, judged["ceiling"], f"{name} on {', '.join(held)}"), folder / "scores.png")
    facts = {"fitted_on": kept, "held_out": held, **judged}
    write_config(folder, command="foothold calibrate", seed=seed, foot=name, calibration=found, **facts)
    record = {
        "folder": folder,
        **facts,
        "scores": rows,
        "picks": chosen,
        "sole": found.sole if found else None,
        "picture": picture,
    }
    said = (
        f"cost weights with which {name} finds ground that holds.",
        f"fitted on {', '.join(kept)}; the first table evaluates every score on {', '.join(held)}.",
        "the held-out kinds were not used in the fit; the ceiling is set by the noise of the labels: "
        + ", ".join(f"{label} {value:.3f}" for label, value in judged["ceiling"].items())
        + ".",
    )
    sections = [Section(title="Scores on unseen kinds", picture=picture, table=rows)]
    sections += [Section(title="Best foothold of each map", table=chosen)] if chosen else []
    record["report"] = report_on(folder, f"Costs of {name} fitted to physics", said, sections)
    both = table_text(rows) + (f"\n\nbest foothold of each map:\n{table_text(chosen)}" if chosen else "")
    text = f"{both}\n\nceiling set by label noise: " + ", ".join(
        f"{label} {value:.3f}" for label, value in judged["ceiling"].items()
    )
    emit(record, as_json=as_json, text=f"{text}\nreport: {record['report']}")


def _split(data: PhysicsData, held_out: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    held = words(held_out)
    there = tuple(data.kinds[number] for number in sorted(set(data.foothold_kind.tolist())))
    unknown = [kind for kind in held if kind not in there]
    kept = tuple(kind for kind in there if kind not in held)
    if unknown or not held or not kept:
        known = ", ".join(there)
        raise InvalidInput(f"--held-out {held_out!r} is not allowed: give some, not all, of the data's kinds {known}")
    return kept, held
