"""A rubber sole by finite elements, condensed to springs, pressed and mounted.

The same foot object gives a finite-element body, a MuJoCo model with a few pads on springs, and the error card that
compares the two. Run it:

    python examples/13_solid_foot.py
"""

from __future__ import annotations

import numpy as np

import plantar
from plantar.soft.foot.card import solid_card
from plantar.soft.foot.press import press_mujoco


def main(loads: tuple[float, ...] = (100.0, 200.0, 300.0, 400.0, 500.0), cell: float = 0.014) -> float:
    foot = plantar.feet.SolidFoot(hardness=40.0, cell=cell)
    print(f"rubber of {foot.hardness:g} Shore A: Young's modulus {foot.young / 1e6:.2f} MPa")

    card = solid_card(foot, loads=loads)
    print(f"{card.fe_dof} degrees of freedom by finite elements, {card.dof} condensed")
    for load, fe, condensed in zip(loads, card.fe.depth, card.condensed.depth, strict=True):
        print(f"  {load:4.0f} N: {1e3 * fe:.4f} mm by finite elements, {1e3 * condensed:.4f} mm in MuJoCo")
    print(f"largest difference {100 * card.error:.2f} %, a step {card.step_ratio:.0f} times faster")

    # one field of one dataclass: everything downstream follows
    depths = {h: press_mujoco(foot.with_(hardness=h), loads[-1:]).depth[0] for h in (30.0, 50.0, 70.0)}
    print("depth at the last load:", ", ".join(f"{h:g} Shore A {1e3 * d:.3f} mm" for h, d in depths.items()))

    walker = plantar.robots.mount(plantar.robots.load("biped"), foot.with_(fidelity="fast"))
    print(f"on the biped: {walker.spec.compile().nv} degrees of freedom")
    return float(np.abs(card.condensed.depth / card.fe.depth - 1).max())


if __name__ == "__main__":
    main()
