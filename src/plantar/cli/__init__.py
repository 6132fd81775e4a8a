"""The command line: a folder for each room, a thin file for each verb."""

import logging
import warnings

from plantar._opengl import disable_if_absent, hush_mesa, use_own_glfw

# a MUJOCO_GL that names an absent library stops `import mujoco` itself; commands must run without OpenGL
disable_if_absent()
use_own_glfw()
hush_mesa()
# where libraries keep their caches, and what their own settings are, is no news for somebody who runs a command
logging.getLogger("matplotlib").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", r"\s*Environment variable 'NUMBA_", RuntimeWarning)
