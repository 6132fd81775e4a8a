"""The command `plantar`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

import plantar
from plantar.cli.bench import press as bench
from plantar.cli.common import FAILED, Json, print_error, run_command
from plantar.cli.doctor import doctor
from plantar.cli.feet import fast as feet_fast
from plantar.cli.feet import feet
from plantar.cli.foothold import foothold
from plantar.cli.foothold import physics as foothold_physics
from plantar.cli.foothold import train as foothold_train
from plantar.cli.foothold import walk as foothold_walk
from plantar.cli.gait import gait
from plantar.cli.ground import ground
from plantar.cli.robots import robots
from plantar.cli.soft import soft
from plantar.cli.sweep import sweep
from plantar.cli.walk import walk

app = typer.Typer(
    rich_markup_mode=None,
    name="plantar",
    help="Soft adaptive feet of legged robots, in MuJoCo.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 done, 1 the work failed, 2 the input cannot be used.",
)
feet.app.command("reduce")(feet_fast.reduce)
feet.app.command("check")(feet_fast.check)
app.add_typer(feet.app, name="feet")
app.add_typer(robots.app, name="robots")
app.add_typer(bench.app, name="bench")
app.add_typer(ground.app, name="ground")
app.add_typer(walk.app, name="walk")
app.add_typer(gait.app, name="gait")
app.add_typer(soft.app, name="soft")
foothold.app.command("train")(foothold_train.train)
foothold.app.command("evaluate")(foothold_train.evaluate)
foothold.app.command("walk")(foothold_walk.walk)
foothold.app.command("press")(foothold_physics.press)
foothold.app.command("calibrate")(foothold_physics.calibrate)
app.add_typer(foothold.app, name="foothold")
app.add_typer(sweep.app, name="sweep")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"plantar {plantar.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Soft adaptive feet of legged robots, in MuJoCo."""


@app.command("doctor")
@run_command
def _doctor(json: Json = False) -> None:
    """Say what is installed, what each missing extra would unlock, and whether pictures have OpenGL."""
    doctor(as_json=json)


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(args))


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; a usage error is one line on stderr."""
    try:
        code = app(args=args, prog_name="plantar", standalone_mode=False)
    except typer.TyperException as error:
        return _usage_error(error)
    except typer.Abort:
        return FAILED
    return code if isinstance(code, int) else 0


def _usage_error(error: typer.TyperException) -> int:
    message = error.format_message().strip().rstrip(".")
    context = getattr(error, "ctx", None)
    # a group without its command has shown its help instead and has no message
    if message:
        print_error(f"{message}; see `{context.command_path} --help`" if context else message)
    return error.exit_code
