"""The contact of the soles at every friction that a world may draw.

With MuJoCo's pyramidal friction cones the stiffness of a contact depends on its friction; a sole whose friction alone
were drawn would sink in twenty times as deep at 0.3 as at 1. So its contact is computed for each friction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from plantar.feet.contact import realise
from plantar.learn.subject import Subject


class Laws(NamedTuple):
    """Contact parameters of every sole geom at several frictions."""

    friction: np.ndarray
    """Frictions (n,)."""
    solref: np.ndarray | None
    """MuJoCo's reference (n, geoms, 2); None where the soles keep their own whatever the friction."""
    solimp: np.ndarray | None
    """MuJoCo's impedance (n, geoms, 5)."""


def laws_of(subject: Subject, frictions: Sequence[float]) -> Laws:
    """The contact of the subject's soles, in the order of `subject.soles`."""
    values = np.array(frictions, dtype=float)
    foot = subject.foot
    if foot is None or foot.contact is None:
        return Laws(values, None, None)
    spec = subject.spec.copy()
    model = spec.compile()
    by_prefix = {
        prefix: {name: float(model.body_invweight0[model.body(prefix + name).id, 0]) for name in foot.contact_bodies}
        for prefix in subject.prefixes
    }
    geoms = [spec.geom(name) for name in subject.soles]
    solref, solimp = np.zeros((len(values), len(geoms), 2)), np.zeros((len(values), len(geoms), 5))
    for i, friction in enumerate(values):
        for geom in geoms:
            geom.friction[0] = friction
        for prefix, inverse in by_prefix.items():
            realise(spec, foot, foot.contact, inverse, prefix)
        solref[i], solimp[i] = [list(g.solref) for g in geoms], [list(g.solimp) for g in geoms]
    return Laws(values, solref, solimp)
