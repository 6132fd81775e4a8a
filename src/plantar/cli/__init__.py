"""The command line: a folder for each room, a thin file for each verb."""

from plantar._opengl import disable_if_absent, use_own_glfw

# a MUJOCO_GL that names an absent library stops `import mujoco` itself; commands must run without OpenGL
disable_if_absent()
use_own_glfw()
