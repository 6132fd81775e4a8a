"""Ground: a contact fitted to measured tosses of a cube, on tosses that it has not seen, beside MuJoCo's defaults."""

from __future__ import annotations

from typing import Literal

import numpy as np

from plantar.ground.fit.contact_space import default_floor
from plantar.ground.fit.motion_fit import fit_motions
from plantar.ground.fit.motion_result import Kind, MotionFit
from plantar.ground.fit.motion_run import compare
from plantar.ground.fit.motions import Motions
from plantar.table import Table
from validation.records import Record, Row, shared

FOLDS, GENERATIONS, FRICTION = 4, 8, 0.18
KINDS: tuple[Kind, ...] = ("position", "rotation")
CONES: tuple[Literal["pyramidal", "elliptic"], ...] = ("pyramidal", "elliptic")


def _motions() -> Motions:
    return Motions.load(shared("data/cube_tosses.npz"))


def cone() -> Record:
    """MuJoCo's default with either cone, nothing fitted."""
    motions = _motions()
    errors = {name: compare(motions, np.arange(len(motions)), default_floor(FRICTION, name)) for name in CONES}
    table = Table(
        {f"{kind}_{name}": float(getattr(errors[name], kind)[i]) for kind in KINDS for name in CONES}
        for i in range(len(motions))
    )
    ground = default_floor(FRICTION, "elliptic").ground
    found = MotionFit(ground=ground, height=0.0, share=0.0, shares=(), parameters=Table([]), motions=table)
    row = Row(
        what=f"cube tosses (ContactNets, friction {FRICTION} given): elliptic default with nothing fitted against "
        "MuJoCo's pyramidal default, position and rotation",
        ours=" and ".join(_less(found, kind, "elliptic", "pyramidal") for kind in KINDS) + " less",
        n=f"{len(motions)} tosses; 95 % by bootstrap over tosses",
        verdict="reported",
        command="`python tools/validate.py ground --only cone`",
    )
    means = {kind: {name: found.mean(kind, name) for name in CONES} for kind in KINDS}
    return Record(title="Tosses of a cube: the cone alone", rows=[row], values={"mean": means})


def tosses() -> Record:
    """The fitted contact against the elliptic default."""
    motions = _motions()
    found = fit_motions(motions, folds=FOLDS, generations=GENERATIONS, friction=FRICTION)
    fitted = {kind: found.reduction(kind) for kind in KINDS}
    better = [kind for kind in KINDS if fitted[kind][1] > 0]
    row = Row(
        what="cube tosses: contact fitted, each toss predicted by a search on the other folds, every choice inside "
        "them, against the elliptic default",
        published="less in both",
        ours=", ".join(f"{kind} {_less(found, kind, 'fitted', 'elliptic')} less" for kind in KINDS)
        + " ([how](ground_fit.md))",
        n=f"{len(motions)} tosses, 95 % by bootstrap over them; {FOLDS} folds, {GENERATIONS} generations of each "
        "search, one run",
        verdict=("not confirmed", "only in a regime", "confirmed")[len(better)],
        regime=f"{better[0]} alone" if len(better) == 1 else "",
        command="`python tools/validate.py ground --only tosses`, `plantar ground fit --motion cube_tosses.npz "
        f"--folds {FOLDS} --generations {GENERATIONS}`",
    )
    means = {kind: {name: found.mean(kind, name) for name in (*CONES, "fitted")} for kind in KINDS}
    values = {"mean": means, "fitted_less_than_elliptic": fitted, "share": found.share, "shares": list(found.shares)}
    return Record(title="Tosses of a cube: a contact fitted", rows=[row], values=values)


def _less(found: MotionFit, kind: Kind, contact: str, base: str) -> str:
    share, low, high = (100 * value for value in found.reduction(kind, contact, base))
    return f"{share:.1f} % ({low:.1f} to {high:.1f})"
