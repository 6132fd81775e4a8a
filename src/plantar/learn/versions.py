"""Which versions of the underlying packages are compatible, and the message when they are not."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from importlib import metadata
from types import ModuleType

from plantar._arguments import checks_arguments
from plantar._extras import require_extra
from plantar.errors import MissingExtra

PINS = {
    "mjlab": ("1.6", "1.7"),
    "rsl-rl-lib": ("5.4", "5.5"),
    "mujoco": ("4.0", "4.1"),
    "mujoco-warp": ("4.0", "4.1"),
    "warp-lang": ("1.19", "1.20"),
    "torch": ("2.11", "3"),
}
"""By distribution, the first version that was run together with the others, and the first that was not."""
INSTALL = "pip install 'plantar[learn]' && pip install --no-deps mjlab==1.6.0 mjviser==0.0.14 rsl-rl-lib==5.4.2"
"""How to install them: mjlab pins an older MuJoCo than it runs with, so it is installed without dependencies."""


def require_learn(version_of: Callable[[str], str] = metadata.version) -> None:
    """Raise unless every package that learning needs is installed in a compatible version.

    Args:
        version_of: Version of a distribution by its name.

    Raises:
        MissingExtra: One line that names the package, its version, the versions allowed and the command that helps.
    """
    require_extra("learn")
    for name, (first, end) in PINS.items():
        try:
            found = version_of(name)
        except metadata.PackageNotFoundError:
            raise MissingExtra(f"`plantar learn` needs {name} {first}: install with `{INSTALL}`") from None
        if not _number(first) <= _number(found) < _number(end):
            raise MissingExtra(
                f"`plantar learn` needs {name} from {first} to before {end}, not {found}: install with `{INSTALL}`"
            )


@checks_arguments
def load_learn(module: str) -> ModuleType:
    """Import a module that needs PyTorch and mjlab.

    Raises:
        MissingExtra: If a package is missing, including one that mjlab imports.
    """
    require_learn()
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "plantar").startswith("plantar"):
            raise
        raise MissingExtra(f"`plantar learn` needs {error.name}: install with `{INSTALL}`") from error


def _number(version: str) -> tuple[int, ...]:
    """The leading numbers of a version, as many as count."""
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:2])
