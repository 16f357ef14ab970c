"""The Pythons that programs are traced under: every CPython of 3.8 and later that is found here."""
import functools
import glob
import json
import os
import shutil
import subprocess
import sys

from .places import BUILD, LIBDIR, missing

ASK = (
    "import importlib.util, json, sys, sysconfig; print(json.dumps({"
    "'version': list(sys.version_info[:3]), 'name': sys.implementation.name,"
    "'executable': getattr(sys, '_base_executable', sys.executable),"
    "'free_threaded': bool(sysconfig.get_config_var('Py_GIL_DISABLED')),"
    "'numpy': 'dist-packages' in (getattr(importlib.util.find_spec('numpy'), 'origin', None) or '')}))"
)

# Set while pytest starts itself again, or its workers, so that they do not look for the Pythons again.
HANDED_ON = "TESTS_PYTHONS"


class Python:
    """One interpreter; `path` is what to start, `base` the installation that it belongs to."""

    def __init__(self, version, path, has_numpy=False, has_gil=True):
        self.version = tuple(version)
        self.short = "%d.%d%s" % (*self.version[:2], "" if has_gil else "t")
        self.has_gil = has_gil
        self.base = path
        self.has_numpy = has_numpy

    @functools.cached_property
    def path(self):
        """A distribution's NumPy may be on OpenMP, of which each run says a line: programs run without it."""
        return self.with_packages() if self.has_numpy else self.base

    @property
    def at_least(self):
        return self.version[:2]

    @property
    def mechanism(self):
        return "sys.monitoring" if self.version >= (3, 12) else "profile function"

    def __repr__(self):
        return self.short

    def with_packages(self, *packages):
        """The path of this Python in a virtual environment under build/ that has `packages`."""
        return environment(self.base, self.short, packages)


def candidates():
    names = ["python3"] + ["python3.%d%s" % (minor, build) for minor in range(8, 20) for build in ("", "t")]
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        for name in names:
            path = os.path.join(folder, name)
            if os.access(path, os.X_OK):
                yield path
    yield "/usr/bin/python3"
    for root in (os.environ.get("PYENV_ROOT"), os.path.expanduser("~/.pyenv")):
        if root:
            yield from sorted(glob.glob(os.path.join(root, "versions", "3.*", "bin", "python3")))
    # tests/pythons
    yield from sorted(glob.glob(str(BUILD / "pythons" / "root" / "usr" / "bin" / "python3.*[0-9]")))
    yield from sorted(glob.glob(str(BUILD / "pythons" / "*t" / "bin" / "python3.*[0-9]t")))


def handed_on():
    """What a process of the tests' found for those that it starts. It is not for programs under trace."""
    told = os.environ.pop(HANDED_ON, None)
    return [Python(**values) for values in json.loads(told)] if told else None


def hand_on():
    os.environ[HANDED_ON] = json.dumps([{"version": python.version, "path": python.base, "has_numpy": python.has_numpy,
                                         "has_gil": python.has_gil} for python in every_python()])


@functools.lru_cache(maxsize=None)
def every_python():
    """All of them, several patches of a version included, as a list of Python."""
    known = handed_on()
    if known is not None:
        return known
    found = {}
    asked = set()
    for path in candidates():
        real = os.path.realpath(path)
        if real in asked:
            continue
        asked.add(real)
        try:
            answer = subprocess.run([path, "-I", "-c", ASK], stdout=subprocess.PIPE, timeout=30,
                                    stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
            told = json.loads(answer.stdout.decode())
            if told["name"] != "cpython" or told["version"] < [3, 8, 0]:
                continue
            base = os.path.realpath(told["executable"])
            python = Python(told["version"], told["executable"], told["numpy"], not told["free_threaded"])
        except (OSError, ValueError, TypeError, KeyError, subprocess.TimeoutExpired):  # no Python, or a broken one
            continue
        asked.add(base)
        found[base] = python
    return sorted(found.values(), key=lambda python: (python.version, python.base))


@functools.lru_cache(maxsize=None)
def pythons():
    """The newest of each X.Y that an extension was built for."""
    newest = {}
    for python in every_python():
        if os.path.exists(LIBDIR / ("_pinsight_python-%s.so" % python.short)):
            newest[python.short] = python
    return list(newest.values())


def headers_without_insides(python, folder):
    """Copies a Python's headers, but for the internal ones, into a new folder. Returns it."""
    ask = "import sysconfig; print(sysconfig.get_path('include'), sysconfig.get_config_h_filename(), sep='\\n')"
    include, config = subprocess.run([python.base, "-c", ask], stdout=subprocess.PIPE, universal_newlines=True,
                                     check=True).stdout.splitlines()
    shutil.copytree(include, folder, ignore=shutil.ignore_patterns("internal"))
    shutil.copy(config, folder / "pyconfig.h")
    return folder


def succeed(*commands, **options):
    """Runs commands up to the first that fails, whose output is shown. Says whether none did."""
    for command in commands:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
        if done.returncode != 0:
            sys.stderr.write(done.stdout.decode(errors="replace"))
            return False
    return True


def filled_by_uv(make, path, packages):
    """Makes an environment in a third of pip's time. Its own cache is the build folder's."""
    uv = os.path.join(os.path.dirname(sys.executable), "uv")
    if packages and not os.path.exists(uv):
        return False
    install = [uv, "pip", "install", "-q", "--compile-bytecode", "--python", str(path), "--only-binary", ":all:", *packages]
    return succeed([*make, "--without-pip"], *([install] if packages else []),
                   env=dict(os.environ, UV_CACHE_DIR=str(BUILD / "uv"), UV_NO_CONFIG="1"))


def filled_by_pip(make, path, packages):
    """Where uv is missing, or finds no index: pip has its own configuration. The environment's pip is made for Pythons
    without one."""
    has_pip = subprocess.run([make[0], "-m", "pip", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    pip = [make[0], "-m", "pip", "--python", str(path)] if has_pip else [str(path), "-m", "pip"]
    return succeed([*make, "--clear", *(["--without-pip"] if has_pip else [])],
                   [*pip, "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:", *packages])


@functools.lru_cache(maxsize=None)
def environment(base, short, packages, system_packages=False):
    """`system_packages`: those of the Python itself are there, too."""
    name = "-".join(("subject", short) + tuple(packages))
    folder = BUILD / "venv" / name
    path = folder / "bin" / "python"
    stamp = folder / "stamp"
    want = base + "\n"
    if stamp.exists() and stamp.read_text() == want and path.exists():
        return str(path)
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = folder.parent / (name + ".lock")
    with open(lock, "w") as held:
        import fcntl

        fcntl.flock(held, fcntl.LOCK_EX)
        if stamp.exists() and stamp.read_text() == want:
            return str(path)
        shutil.rmtree(folder, ignore_errors=True)
        make = [base, "-m", "venv", *(["--system-site-packages"] if system_packages else []), str(folder)]
        if not (filled_by_uv(make, path, packages) or filled_by_pip(make, path, packages)):
            shutil.rmtree(folder, ignore_errors=True)
            missing("a virtual environment of Python %s with %s" % (short, ", ".join(packages)))
        stamp.write_text(want)
    return str(path)
