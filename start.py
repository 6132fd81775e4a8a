"""Set Plantar up and run it, with nothing but Python 3.11 or newer.

    python3 start.py bench press      run `plantar bench press`, or any other command
    python3 start.py learn train ...  the same; PyTorch and mjlab are installed first (several gigabytes)
    python3 start.py test             lint, check types and run the tests
    python3 start.py docs             build the documentation's site into site/, with warnings as errors

The first call makes a virtual environment in .venv beside this file (or where the environment
variable PLANTAR_VENV says) and installs Plantar there; later calls only run it. Nothing outside
that folder is changed.
"""

# This file must be readable by any Python 3, so that an old one gets a clear answer.
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent
OLDEST = (3, 11)
RUN_EXTRAS, TEST_EXTRAS, LEARN_EXTRAS, DOCS_EXTRAS = "all", "dev", "all,learn", "all,docs"
LEARNS = (["learn", "train"], ["learn", "export"])
# mjlab asks for an older MuJoCo than it runs with, so that these come without what they ask for
ALONE = {LEARN_EXTRAS: ["mjlab==1.6.0", "mjviser==0.0.14", "rsl-rl-lib==5.4.2"]}
STAMP, LOG = "plantar-installed.txt", "plantar-install.log"
TEST_WORKERS = 4
PIP_WHEEL = re.compile(r"/pip-(\d+(?:\.\d+)*)-py3-none-any\.whl(?:#|$)")
NO_NETWORK = re.compile(
    r"NewConnectionError|NameResolutionError|Temporary failure in name resolution|Network is unreachable"
    r"|ConnectTimeoutError|ReadTimeoutError|Read timed out|Connection refused|ProxyError|Max retries exceeded",
    re.IGNORECASE,
)


class SetupError(Exception):
    """Setting up failed; the message is one line that says what to do."""


def main(args: list) -> int:
    """Set up what `args` needs, run it and return its exit code."""
    if not args or args[0] in ("-h", "--help"):
        print((__doc__ or "").strip())
        return 0
    try:
        check_python(sys.version_info[:2])
        python = prepare(extras_for(args))
        if args[0] == "test":
            return run(python, test_commands(args[1:]), ROOT)
        if args[0] == "docs":
            return run(python, [["zensical", "build", "--clean", "--strict", *args[1:]]], ROOT)
        return run(python, [["plantar", *args]], Path.cwd())
    except SetupError as error:
        print(f"start.py: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def extras_for(args: list) -> str:
    """What has to be installed to run `args`."""
    if args[:2] in LEARNS:
        return LEARN_EXTRAS
    return {"test": TEST_EXTRAS, "docs": DOCS_EXTRAS}.get(args[0], RUN_EXTRAS)


def run(python: Path, commands: list, folder: Path) -> int:
    """Run modules one after the other in `folder`, all of them; return the first exit code that is not 0."""
    env = environment(python)
    codes = [subprocess.call([str(python), "-m", *command], env=env, cwd=str(folder)) for command in commands]
    return next((code for code in codes if code), 0)


def test_commands(args: list) -> list:
    """Lint, types and tests; `args` go to pytest."""
    workers = str(min(TEST_WORKERS, os.cpu_count() or 1))
    return [["ruff", "check"], ["pyright"], ["pytest", "-n", workers, *args]]


def check_python(version: tuple) -> None:
    """Raise unless this Python is new enough; name a newer one that is on the path."""
    if version >= OLDEST:
        return
    newer = next((name for name in (f"python3.{minor}" for minor in range(20, 10, -1)) if shutil.which(name)), None)
    advice = f"run `{newer} start.py ...`" if newer else "install Python 3.11 or newer"
    raise SetupError(f"this is Python {version[0]}.{version[1]}, Plantar needs 3.11 or newer: {advice}")


def prepare(extras: str) -> Path:
    """Make the environment hold Plantar with `extras` and return its Python."""
    folder = Path(os.environ.get("PLANTAR_VENV") or ROOT / ".venv").expanduser().resolve()
    python, stamp = python_of(folder), folder / STAMP
    if python.exists() and fingerprint(extras) in read(stamp).split():
        return python
    print(f"start.py: setting up {folder} (once; two to five minutes) ...", file=sys.stderr, flush=True)
    if not works(python):
        make_environment(folder)
    install(folder, ["--editable", f"{ROOT}[{extras}]"])
    if extras in ALONE:
        install(folder, ["--no-deps", *ALONE[extras]])
    # the other extras hold all that a run needs
    done = {RUN_EXTRAS, extras}
    every = (RUN_EXTRAS, TEST_EXTRAS, LEARN_EXTRAS, DOCS_EXTRAS)
    done.update(e for e in every if fingerprint(e) in read(stamp).split())
    stamp.write_text("\n".join(sorted(map(fingerprint, done))), encoding="utf-8")
    return python


def fingerprint(extras: str) -> str:
    """A hash that changes when the installation must be made anew."""
    parts = (extras, str(ROOT), str(sys.version_info[:3]), (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def read(path: Path) -> str:
    """The text of a file, empty if it is not there."""
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def python_of(folder: Path) -> Path:
    """Where a virtual environment keeps its Python."""
    return folder / "Scripts" / "python.exe" if os.name == "nt" else folder / "bin" / "python"


def works(python: Path) -> bool:
    """Whether `python` starts and is new enough; one whose base was removed does not start."""
    code = f"import sys; sys.exit(sys.version_info < {OLDEST!r})"
    try:
        return subprocess.run([str(python), "-c", code], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def environment(python: Path) -> dict:
    """The variables for commands in the environment of `python`, as if it were activated."""
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONHOME", "PYTHONPATH")}
    env["VIRTUAL_ENV"] = str(python.parent.parent)
    env["PATH"] = os.pathsep.join([str(python.parent), env.get("PATH", "")])
    return env


def make_environment(folder: Path) -> None:
    """Make an empty virtual environment, with whatever this machine has for it."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        raise SetupError(f"{folder} holds files and is not a virtual environment: set PLANTAR_VENV to another folder")
    maker = environment_maker()
    done = subprocess.run(
        [sys.executable, "-m", *maker, "--clear", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SetupError(f"cannot make a virtual environment in {folder}: {last_line(done.stdout)}")


def environment_maker() -> list:
    """The module and options that make an environment here; Debian ships Python without ensurepip."""
    if has("venv") and has("ensurepip"):
        return ["venv"]
    if has("venv") and has("pip"):
        return ["venv", "--without-pip"]
    if has("virtualenv"):
        return ["virtualenv", "--quiet"]
    if has("venv"):
        return ["venv", "--without-pip"]  # pip is fetched from the index
    raise SetupError(f"this Python can make no virtual environment: {missing_package()}")


def has(module: str) -> bool:
    """Whether this Python can import `module`."""
    return importlib.util.find_spec(module) is not None


def missing_package() -> str:
    """Which package of the operating system to install."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if shutil.which("apt-get"):
        return f"run `sudo apt-get install python{version}-venv` and try again"
    for tool in ("dnf", "zypper", "apk"):
        if shutil.which(tool):
            return f"install `python3-pip` (Alpine: `py3-pip`) with `{tool}` and try again"
    return f"install the venv and ensurepip modules of Python {version} on {platform.system()} and try again"


def install(folder: Path, what: list) -> None:
    """Install into the environment; the full story goes to a log file there."""
    pip = find_pip(folder)
    options = ["--disable-pip-version-check", "--no-input", *what]
    log = folder / LOG
    with log.open("w", encoding="utf-8") as file:
        work = subprocess.Popen([*pip, "install", *options], stdout=file, stderr=subprocess.STDOUT, cwd=str(ROOT))
        try:
            code = follow(work, log)
        finally:
            work.terminate()
    if code:
        raise SetupError(explain(log.read_text(encoding="utf-8", errors="replace"), log))


def follow(work: subprocess.Popen, log: Path) -> int:
    """Wait for an installation, showing on a terminal what it is doing; return its exit code."""
    start, stream = time.monotonic(), sys.stderr
    while True:
        try:
            code = work.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            code = None
        if stream.isatty():
            width = shutil.get_terminal_size().columns - 1
            lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
            now = next((line.strip() for line in reversed(lines) if line.strip()), "")
            text = f"{time.monotonic() - start:4.0f} s  {now}" if code is None else ""
            stream.write(f"\r{text[:width]:<{width}}" + ("" if text else "\r"))
            stream.flush()
        if code is not None:
            return code


def find_pip(folder: Path) -> list:
    """The command that installs into the environment: its own pip, this Python's, or a fetched one."""
    python = python_of(folder)
    pip = [str(python), "-m", "pip"]
    if subprocess.run([*pip, "--version"], capture_output=True, check=False).returncode == 0:
        return pip
    if has("pip"):
        return [sys.executable, "-m", "pip", "--python", str(python)]
    try:
        return [str(python), str(fetch_pip(folder) / "pip")]
    except (OSError, ValueError) as error:
        raise SetupError(f"no pip here and none to be fetched ({error}): {missing_package()}") from None


def fetch_pip(folder: Path) -> Path:
    """Download pip's wheel from the package index and check its hash; a wheel of pip runs as it is."""
    index = os.environ.get("PIP_INDEX_URL") or "https://pypi.org/simple"
    page_url = index.rstrip("/") + "/pip/"
    with urllib.request.urlopen(page_url, timeout=60) as page:
        links = re.findall(r'href="([^"]+)"', page.read().decode("utf-8"))
    matches = [(PIP_WHEEL.search(link), link) for link in links]
    wheels = [(tuple(map(int, match.group(1).split("."))), link) for match, link in matches if match]
    if not wheels:
        raise ValueError(f"{page_url} lists no pip")
    link, _, digest = max(wheels)[1].partition("#sha256=")
    with urllib.request.urlopen(urllib.parse.urljoin(page_url, link), timeout=60) as file:
        wheel = file.read()
    if digest and hashlib.sha256(wheel).hexdigest() != digest:
        raise ValueError("the pip that came is not the one the index names")
    path = folder / link.rsplit("/", 1)[-1]
    path.write_bytes(wheel)
    return path


def explain(story: str, log: Path) -> str:
    """One line on why pip failed."""
    if NO_NETWORK.search(story):
        return f"cannot reach the package index: check the network (or proxy) and run again; details are in {log}"
    return f"pip failed: {last_line(story)}; details are in {log}"


def last_line(story: str) -> str:
    """The last line that says ERROR, or else the last one."""
    lines = [line.strip() for line in story.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["no output"])[-1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
