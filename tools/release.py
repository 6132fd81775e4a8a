"""Build the wheel and try it as a new user would, in a fresh environment that holds nothing else.

    python tools/release.py

Builds into dist/, looks into the wheel, installs it without extras, builds, presses and exports a foot there, and sees
that a missing extra is one line. Uploads nothing; docs/release.md is the checklist.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = """
import mujoco, plantar
assert "site-packages" in plantar.__file__, plantar.__file__
foot = plantar.feet.SoftFoot(chains=1)
assert plantar.bench.press(foot).column("settled").all()
foot.export("softfoot")
mujoco.MjModel.from_xml_path("softfoot/scene.xml")
"""
"""What the fresh environment must be able to do without any extra."""


def main() -> None:
    """Build, look, install, try."""
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(dist), str(ROOT)], ROOT)
    (wheel,) = dist.glob("plantar-*.whl")
    check_content(wheel)
    with tempfile.TemporaryDirectory() as scratch:
        try_out(wheel, Path(scratch))
        size = sum(path.lstat().st_size for path in Path(scratch).rglob("*"))
        print(f"figure release.environment_bytes = {json.dumps(size)}")
    print(f"figure release.wheel_bytes = {json.dumps(wheel.stat().st_size)}")
    print(f"ready: {wheel.relative_to(ROOT)}, {wheel.stat().st_size / 1e6:.1f} MB")


def check_content(wheel: Path) -> None:
    """Raise unless the wheel holds the package, its data and metadata, and nothing else."""
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        metadata = file.read(next(name for name in names if name.endswith("METADATA"))).decode()
    strange = [name for name in names if not name.startswith(("plantar/", "plantar-"))]
    assert not strange, f"the wheel holds {strange[:3]}"
    for needed in ("plantar/py.typed", "plantar/show/page.html", "plantar/show/report.css"):
        assert needed in names, f"the wheel lacks {needed}"
    for line in ("License-Expression: Apache-2.0", "Requires-Python: >=3.11", "Content-Type: text/markdown"):
        assert line in metadata, f"the metadata lacks {line!r}"


def try_out(wheel: Path, folder: Path) -> None:
    """Install the wheel alone and use it."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run([str(python), "-m", "pip", "install", "--quiet", str(wheel)], folder)
    run([str(python), "-c", SCRIPT], folder)
    run([str(python), "-m", "plantar", "doctor"], folder)
    walk = [str(python), "-m", "plantar", "walk", "trial", "biped"]
    asked = subprocess.run(walk, cwd=folder, capture_output=True, text=True, check=False)
    assert asked.returncode == 1 and "pip install" in asked.stderr and asked.stderr.count("\n") == 1, asked.stderr


def run(command: list[str], folder: Path) -> None:
    """Run a command or stop."""
    subprocess.run(command, cwd=folder, check=True)


if __name__ == "__main__":
    main()
