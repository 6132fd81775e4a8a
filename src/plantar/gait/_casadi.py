"""CasADi, imported where it is first needed."""

from __future__ import annotations

from typing import Any

from plantar._extras import require_extra


def casadi() -> Any:
    """The module `casadi`.

    Raises:
        MissingExtra: If the extra `gait` is not installed.
    """
    require_extra("gait")
    import casadi  # noqa: PLC0415

    return casadi
