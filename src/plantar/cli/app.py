"""The command `plantar`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

import plantar
from plantar.cli.common import FAILED, ends_in_a_line
from plantar.cli.lazy import group_of
from plantar.cli.terminal import flush_output, print_error
from plantar.errors import InvalidInput

ROOMS = {
    "feet": ("plantar.cli.feet:app", "Feet: list, show, export, reduce, check."),
    "robots": ("plantar.cli.robots:app", "Robots: list, show, mount feet."),
    "bench": ("plantar.cli.bench:app", "Bench: press, compare, sensitivity, windlass, stiffness, calibrate."),
    "ground": (
        "plantar.cli.ground:app",
        "Grounds: contact laws in SI units, fits to measurements, terrain, soil that keeps tracks.",
    ),
    "walk": ("plantar.cli.walk:app", "Walk: one trial, or a study that compares feet."),
    "gait": ("plantar.cli.gait:app", "Gaits through hard and soft contact: fit, compare, optimise."),
    "soft": ("plantar.cli.soft:app", "Soft bodies: finite elements, cables, pressure, contact, inverse."),
    "foothold": ("plantar.cli.foothold:app", "Footholds: cost maps, choices, learned scores, walks that choose."),
    "learn": ("plantar.cli.learn:app", "Learn: train and evaluate policies on soft feet."),
    "design": (
        "plantar.cli.design:design",
        "Search for the foot to build for a robot, its grounds and limits, with reasons and uncertainties.",
    ),
    "sweep": ("plantar.cli.sweep:app", "Sweep: many trials at once; resumable."),
    "view": (
        "plantar.cli.view:view",
        "View a foot, a robot or a run in 3D: in the browser, or as a single page or film to share.",
    ),
    "doctor": (
        "plantar.cli.doctor:doctor",
        "Show what is installed, what each missing extra would add, and whether OpenGL works.",
    ),
}
"""Where each room's commands are, and its line of help; a room is imported when it is named."""

app = typer.Typer(
    cls=group_of(ROOMS),
    rich_markup_mode=None,
    name="plantar",
    help="Soft adaptive feet for legged robots in MuJoCo.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 success, 1 the work failed, 2 the input cannot be used, 130 Ctrl-C, 143 SIGTERM.",
)


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
    """Soft adaptive feet for legged robots in MuJoCo."""


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; a usage error is one line on stderr."""
    code: object = 0
    try:
        with ends_in_a_line():
            _check_letters(sys.argv[1:] if args is None else args)
            code = app(args=args, prog_name="plantar", standalone_mode=False)
            flush_output()
    except typer.TyperException as error:
        return _usage_error(error)
    except typer.Exit as error:
        return error.exit_code
    except SystemExit:  # the reader of the help has closed the pipe
        return 0
    except typer.Abort:
        return FAILED
    return code if isinstance(code, int) else 0


def _check_letters(args: Sequence[str]) -> None:
    """Refuse arguments that are not valid text: reports, tables and the engine could not hold them."""
    for arg in args:
        if any("\ud800" <= letter <= "\udfff" for letter in arg):
            raise InvalidInput(f"{arg[:60]!r} is not valid UTF-8: rename the file, or type it again")


def _usage_error(error: typer.TyperException) -> int:
    message = error.format_message().strip().rstrip(".")
    context = getattr(error, "ctx", None)
    # a group without its command has shown its help instead and has no message
    if message:
        print_error(f"{message}; see `{context.command_path} --help`" if context else message)
    return error.exit_code
