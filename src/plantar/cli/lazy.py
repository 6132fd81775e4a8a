"""Groups of commands whose modules are imported when they are named, so that a command loads only its own room."""

from __future__ import annotations

import builtins
import importlib
from collections.abc import Mapping
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from plantar._opengl import hush_mujoco
from plantar.cli.common import ends_in_a_line, run_command


class LazyGroup(TyperGroup):
    """A group that knows the names and help of its commands, and imports a command only when it is run."""

    table: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """`MODULE:ATTRIBUTE` of each command or group, and the line that stands beside it in the help."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the commands, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import and build a command; None if there is none of that name."""
        if cmd_name not in self.table:
            return None
        with ends_in_a_line():  # an extra that the command needs may be missing
            return build(cmd_name, self.table[cmd_name][0])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the names and their help without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.table.items()])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command by its name; for a mistyped one, list those that exist."""
        if args[0] in self.table or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        ctx.fail(f"No such command {args[0]!r}: choose one of {', '.join(self.table)}")


def build(name: str, place: str) -> Any:
    """The command or group at `MODULE:ATTRIBUTE`: a function becomes a command, a Typer app a group."""
    module, _, attribute = place.partition(":")
    target = getattr(importlib.import_module(module), attribute)
    hush_mujoco()
    if isinstance(target, typer.Typer):
        group = get_group(target)
        group.name = name
        return group
    single = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    single.command(name)(run_command(target))
    return get_command(single)


def group_of(table: Mapping[str, tuple[str, str]]) -> type[LazyGroup]:
    """A class of groups with this table, for `typer.Typer(cls=...)`."""
    return type("Rooms", (LazyGroup,), {"table": table})


def room(package: str, about: str, verbs: Mapping[str, str]) -> typer.Typer:
    """The app of a room.

    Args:
        package: The room's package of commands, `__name__` of the caller.
        about: Help of the room.
        verbs: Help of each verb. `fit-drops` is the function `fit_drops` of the module `fit_drops` in the package,
            `list` the function `list_` of the module `list`, as Python has that name.
    """
    table = {verb: (_place(package, verb), line) for verb, line in verbs.items()}
    return typer.Typer(cls=group_of(table), help=about, rich_markup_mode=None, no_args_is_help=True)


def _place(package: str, verb: str) -> str:
    leaf = verb.replace("-", "_")
    return f"{package}.{leaf}:{leaf}_" if hasattr(builtins, leaf) else f"{package}.{leaf}:{leaf}"
