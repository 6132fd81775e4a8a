"""Files that a robot's model names: none of them can make a command wait for ever."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from plantar import robots
from plantar.errors import InvalidInput

BODY = "<worldbody><body><freejoint/><geom type='mesh' mesh='a'/></body></worldbody>"
SHAPE = "<geometry><mesh filename='pipe'/></geometry>"
MODELS = {
    "included.xml": "<mujoco><include file='pipe'/></mujoco>",
    "mesh.xml": f"<mujoco><asset><mesh name='a' file='pipe'/></asset>{BODY}</mujoco>",
    "device.xml": "<mujoco><include file='/dev/zero'/></mujoco>",
    "robot.urdf": f"<robot name='r'><link name='a'><visual>{SHAPE}</visual></link></robot>",
}


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize("name", MODELS)
def test_a_pipe_in_a_model_is_refused(name: str, tmp_path: Path) -> None:
    """Reading it would wait until somebody writes."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / name).write_text(MODELS[name])
    with pytest.raises(InvalidInput, match="a pipe or device"):
        robots.load(tmp_path / name)
