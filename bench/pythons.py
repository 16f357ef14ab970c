"""Which interpreters are measured, and an environment for each with NumPy and the other tools."""

import pathlib
import subprocess
from dataclasses import dataclass, field

PACKAGES = ("numpy", "pandas", "viztracer", "py-spy", "mpi4py", "memray")


@dataclass
class Python:
    """An interpreter: `tag` is 3.12 or 3.13t; `floor` the folder of its floor module."""

    tag: str
    version: str
    base: str
    floor: pathlib.Path
    executable: str = ""
    pyspy: str = ""
    packages: dict = field(default_factory=dict)

    @property
    def number(self):
        return tuple(int(part) for part in self.tag.rstrip("t").split("."))

    @property
    def has_monitoring(self):
        return self.number >= (3, 12)


def built(build):
    """The interpreters that the build in `build` was made for."""
    listed = build / "pythons.txt"
    if not listed.exists():
        raise SystemExit("bench: %s is not there; run `make build` first" % listed)
    found = []
    for line in listed.read_text(encoding="utf-8").splitlines():
        tag, version, executable = line.split("\t")
        found.append(Python(tag, version, executable, build / "bench" / tag, executable))
    return found


def choose(found, wanted, everything):
    """Those named in `wanted` (a tag or a path), else all, else the newest of each mechanism."""
    if wanted:
        chosen = []
        for name in wanted:
            matching = [p for p in found if name in (p.tag, p.version, p.base)]
            if not matching:
                raise SystemExit(
                    "bench: there is no Python '%s' in this build; it has %s"
                    % (name, ", ".join(p.tag for p in found))
                )
            chosen += matching
        return chosen
    plain = [p for p in found if not p.tag.endswith("t")]
    if everything:
        return plain
    chosen = []
    for group in ([p for p in plain if not p.has_monitoring], [p for p in plain if p.has_monitoring]):
        chosen += sorted(group, key=lambda p: p.number)[-1:]
    return chosen


def prepare(python, build, say, offline):
    """Make (once) a virtual environment with what is compared, and look at what it has."""
    folder = build / "bench" / ("venv-" + python.tag)
    executable = folder / "bin" / "python3"
    if not executable.exists():
        made = _call([python.base, "-m", "venv", "--clear", str(folder)])
        if made.returncode:
            say("Python %s: no virtual environment (%s)" % (python.tag, _last_line(made)))
            return
    python.executable = str(executable)
    marks = folder / "bench-installed"
    done = set(marks.read_text(encoding="utf-8").split()) if marks.exists() else set()
    for package in PACKAGES:
        if package in done or offline:
            continue
        say("Python %s: installing %s" % (python.tag, package))
        answer = _call([python.executable, "-m", "pip", "install", "-q", "--only-binary", ":all:", package])
        if answer.returncode:
            say("Python %s: %s cannot be installed (%s)" % (python.tag, package, _last_line(answer)))
        else:
            done.add(package)
    marks.write_text("\n".join(sorted(done)) + "\n", encoding="utf-8")
    listing = _call([python.executable, "-m", "pip", "list", "--format", "freeze"]).stdout
    versions = dict(line.split("==") for line in listing.splitlines() if "==" in line)
    for package in done:
        python.packages[package] = versions.get(package, versions.get(package.replace("-", "_"), "?"))
    python.pyspy = str(folder / "bin" / "py-spy")


def _call(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def _last_line(answer):
    lines = (answer.stderr.strip() or answer.stdout.strip()).splitlines()
    return lines[-1] if lines else "status %d" % answer.returncode
