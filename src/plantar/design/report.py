"""Output of a search: report, tables, figures, chosen feet as files, folders and parts lists."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from plantar import feet
from plantar._files import write_config, write_table
from plantar.design.front import usable
from plantar.design.measures import read_curve
from plantar.design.parts import check_parts, parts_list
from plantar.design.plots import plot_curves, plot_feet, plot_front, plot_sensitivity, plot_values
from plantar.design.result import DesignResult
from plantar.design.space import value_of
from plantar.feet.describe import derived
from plantar.show.plots import save
from plantar.show.report import Section, in_words, write_report

SUMMARY = ("course", "level", "foot", "trials", "successes", "share", "low", "high", "slip", "transport", "force_peak")
METHOD = (
    "A polynomial of second order (Legendre polynomials; contrasts for choices) is fitted to the usable feet with a "
    "ridge chosen by leaving one out; squares of its coefficients are shares of the variance over the whole space "
    "(polynomial chaos, Sudret 2008). `predicted` is the share of the spread of left-out feet that it predicts; below "
    "0.5 the shares are not trusted and drawn faintly. `slope` is the change from the low to the high end."
)


def write(folder: Path, result: DesignResult) -> Path:
    """Write everything; returns the report."""
    write_table(folder, "tried", result.rows)
    if result.pressed:
        write_table(folder, "pressed", result.pressed)
    write_config(folder, command="design", **result.problem.record())
    if not result.values:
        text = "\n".join(f"- {count} feet: {reason}" for reason, count in result.broken.items())
        return write_report(folder, "Design", [Section(title="No foot meets all limits", text=text)])
    made = result.feet
    for name, foot in zip(_files(list(made)), made.values(), strict=True):
        feet.save(foot, folder / name, overwrite=True)
    wanted = made["rounded"].with_(fidelity="full")
    wanted.export(folder / "model", overwrite=True)
    write_table(folder, "parts", parts_list(wanted))
    write_table(folder, "front", result.front)
    write_table(folder, "fresh", result.verified)
    write_table(folder, "sensitivity", result.sensitivity or [{"measure": "", "share": None}])
    sections = [
        _front(folder, result),
        _feet(folder, result),
        _price(result),
        *_curves(folder, result),
        *_judged(folder, result),
    ]
    sections += [_fields(folder, result), _parts(wanted), _unknown(result)]
    headline = {
        "feet tried": len(result.rows),
        "meet all limits": len(usable(result.rows)),
        "on the front": len(result.front),
        **({"feet pressed before": len(result.pressed)} if result.pressed else {}),
    }
    return write_report(folder, "Design", sections, summary=_summary(result), headline=headline)


def _files(labels: list[str]) -> list[str]:
    """Names of files for feet; of measures with options only the name is in it, and a number where that is taken."""
    found: list[str] = []
    for label in labels:
        name = label.split(":")[0].replace(" ", "_")
        taken = sum(label.split(":")[0] == other.split(":")[0] for other in labels[: len(found)])
        found.append(f"{name}_{taken + 1}.json" if taken else f"{name}.json")
    return found


def _summary(result: DesignResult) -> str:
    """The question, the foot to build, and the confidence."""
    setting, limits = result.problem.setting, " and ".join(result.problem.limits)
    goals = ", ".join(f"{'least' if goal.better == 'min' else 'most'} {goal.label}" for goal in result.goals)
    where = f" for {setting.robot} on {', '.join(setting.grounds)}" if setting.robot else " on the bench"
    asked = f"{goals}{where}, from {result.problem.space.foot.name}{f', keeping {limits}' if limits else ''}."
    fields = ", ".join(
        f"{k} = {v:.4g}" if isinstance(v, float) else f"{k} = {v}" for k, v in result.values["rounded"].items()
    )
    by = {row["foot"]: row for row in result.verified}
    gains = "; ".join(f"{g.label} {by['rounded'][g.label]:.4g}{_start(by['start'], g.label)}" for g in result.goals)
    if by["start"]["violation"] > 0:
        gains += f"; the start cannot be used, as it {by['start']['reason']}"
    walks = any(goal.asked.measure.level == "walk" for goal in result.goals)
    if result.judgement is not None:
        sure = "of the walks of full feet on fresh draws, chosen less other: " + "; ".join(
            f"{row['against']} {100 * row['difference']:+.0f} % ({100 * row['low']:+.0f} to {100 * row['high']:+.0f})"
            for row in result.judgement.overall
        )
    elif walks:
        walked = setting.draws * len(setting.grounds)
        sure = f"low: means of {walked} walks of fast feet; full ones were not evaluated"
    else:
        sure = "presses are deterministic, so these are the model's own figures; no built foot was pressed"
    return in_words(asked, f"build {fields} (`rounded.json`, parts list below): {gains}.", f"{sure}.")


def _start(row: dict[str, Any], label: str) -> str:
    return f", start {row[label]:.4g}" if math.isfinite(row[label]) else ""


def _front(folder: Path, result: DesignResult) -> Section:
    pictures = [save(plot_front(result), folder / "front.png"), save(plot_values(result), folder / "values.png")]
    text = "No other foot that was tried beats these in one goal without losing in another."
    hidden = {"violation", "reason", *(goal.asked.parts for goal in result.goals)}
    table = [{name: value for name, value in row.items() if name not in hidden} for row in result.front[:40]]
    return Section(title="The front", text=text, table=table, picture=pictures)


def _feet(folder: Path, result: DesignResult) -> Section:
    made = {"start": result.problem.space.foot, **result.feet}
    rows = []
    for label, foot in made.items():
        fields = {d.name: value_of(foot, d.name) for d in result.problem.space.dimensions if d.name != "scale"}
        facts = {k: v for k, v in derived(foot.with_(fidelity="full")).items() if k not in ("sensors", "equalities")}
        rows.append({"foot": label, **fields, **facts})
    picture = save(plot_feet(made), folder / "feet.png")
    text = (
        "`chosen` lies at the knee of the front: nearest to the best of every goal, in units of the spread of all "
        "usable feet. `rounded` is the same in increments that are available; it is the foot of the parts list, "
        "of `rounded.json` and of the folder `model`."
    )
    return Section(title="The feet side by side", text=text, table=rows, picture=picture)


def _price(result: DesignResult) -> Section:
    by = {row["foot"]: row for row in result.verified}
    chosen, near = by["chosen"], by["rounded"]
    rows = []
    for goal in result.goals:
        a, b = chosen[goal.label], near[goal.label]
        worse = goal.sign * (b - a)
        rows.append(
            {"goal": goal.label, "unit": goal.asked.measure.unit, "start": by["start"][goal.label], "chosen": a}
            | {"rounded": b, "price of rounding": worse, "share": worse / abs(a) if a else None}
        )
    text = "All three were measured again, with walks on draws that the search did not use."
    if near["violation"] > 0:
        text += f" **The rounded foot cannot be used: {near['reason']}**; give finer steps."
    return Section(title="The price of available parts", text=text, table=rows)


def _curves(folder: Path, result: DesignResult) -> list[Section]:
    """Wanted curves beside those of the feet, which the shares by which they are off tell."""
    sections = []
    for k, asked in enumerate(goal.asked for goal in result.goals if goal.asked.measure.name == "curve"):
        loads, wanted = read_curve(asked.options["file"])
        rows: list[dict[str, Any]] = []
        parts = str(asked.parts)
        for i, (load, deflection) in enumerate(zip(loads, 1e3 * wanted, strict=True)):
            made = {f"{r['foot']} [mm]": deflection * (1 + r[parts][i]) for r in result.verified if r.get(parts)}
            rows.append({"load [N]": load, "wanted [mm]": float(deflection), **made})
        picture = save(plot_curves(rows), folder / f"curve{k or ''}.png")
        off = [abs(part) for row in result.verified if row["foot"] == "rounded" for part in row.get(parts) or ()]
        text = "The rounded foot was not measured."  # it breaks a limit
        if off:
            text = f"The rounded foot is off by {100 * max(off):.1f} % of the desired deflection at most."
        sections.append(Section(title="The desired curve", text=text, table=rows, picture=picture))
    return sections


def _judged(folder: Path, result: DesignResult) -> list[Section]:
    found = result.judgement
    if found is None:
        return []
    write_table(folder, "judged", found.summary)
    write_table(folder, "judged_pairs", found.pairs)
    shown = [{name: row.get(name) for name in SUMMARY} for row in found.summary]
    text = (
        "Walks on draws that the search never saw, the same for every foot. Shares with Wilson's 95 % interval; pairs "
        "by Bonett and Price with McNemar's exact test: `sure` only where both tell the two apart."
    )
    return [
        Section(title="Confidence: fresh draws", text=text, table=shown),
        Section(title="The chosen foot against the others", table=[*found.pairs, *found.overall]),
    ]


def _fields(folder: Path, result: DesignResult) -> Section:
    drawn = plot_sensitivity(result)
    picture = save(drawn, folder / "sensitivity.png") if drawn is not None else None
    shown = [row for row in result.sensitivity if row["share"] >= 0.01]
    return Section(title="What each field does", text=METHOD, table=shown, picture=picture)


def _parts(foot: feet.Foot) -> Section:
    checks = check_parts(foot)
    wrong = [row["check"] for row in checks if not row["good"]]
    text = "Checked against the compiled model: " + (
        f"**{', '.join(wrong)} not right**." if wrong else f"{len(checks)} of {len(checks)} checks good."
    )
    rows = [{**row, **_for_people(row["value"], row["unit"])} for row in parts_list(foot)]
    return Section(title="Parts list of the rounded foot", text=f"{text} `parts.csv` is in SI units.", table=rows)


def _for_people(value: Any, unit: str) -> dict[str, Any]:
    """A value in the unit that workshops use."""
    scale, name = {"m": (1e3, "mm"), "kg": (1e3, "g"), "rad": (180 / math.pi, "deg"), "Pa": (1e-6, "MPa")}.get(
        unit, (1.0, unit)
    )
    return {"value": value * scale if isinstance(value, float) else value, "unit": name}


def _unknown(result: DesignResult) -> Section:
    """What the search could not determine."""
    lines = [f"{count} feet could not be used: {reason}" for reason, count in result.broken.items()]
    lines += result.problem.space.notes()
    for dimension in result.problem.space.dimensions:
        places = [dimension.place(row[dimension.name]) for row in result.front if row.get(dimension.name) is not None]
        if dimension.kind != "choice" and places and (min(places) < 0.02 or max(places) > 0.98):
            lines.append(f"the front reaches an end of the range of {dimension.name}: a wider one may hold better feet")
    for label in {row["measure"] for row in result.sensitivity if not row["trusted"]}:
        lines.append(f"the effect of the fields on {label} is not reported: too little of its variance is predicted")
    if result.judgement is None and any(goal.asked.measure.level == "walk" for goal in result.goals):
        lines.append("no full foot has walked on fresh draws (`judged`): walks are those of the fast foot")
    lines.append("what the model leaves out: wear, creep of the rubber, play of hinges, strength of the rigid parts")
    return Section(title="What the search could not determine", text="\n".join(f"- {line}" for line in lines))
