"""OpenMP programs for tests: how they are built and run, and what they say.

The programs are in tests/openmp. Each counts for itself what it does (counting.h) and prints it, which `Said` takes
apart; what the trace says of it is in openmp_trace. Many programs run in one traced session.
"""
import collections
import fcntl
import functools
import os
import re
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from . import places, traces
from .openmp_trace import NAMES

SOURCES = places.TESTS / "openmp"
BUILT = places.BUILD / "openmp-programs"
COMPILERS = {"clang": ["clang", "-fopenmp", "-fopenmp-version=51"], "gcc": ["gcc", "-fopenmp"]}
OTHER_LIBOMP = os.environ.get("PINSIGHT_TEST_LIBOMP")  # the programs run with it in place of the system's
# A call at a function's end that becomes a jump leaves the runtime the caller's address in place of the construct's.
FLAGS = ["-O1", "-g", "-Wall", "-Wno-unknown-pragmas", "-rdynamic", "-pthread", "-fno-optimize-sibling-calls"]


@functools.lru_cache(maxsize=None)
def libomp():
    """LLVM's libomp as the loader finds it, or PINSIGHT_TEST_LIBOMP; the test is skipped without one."""
    if OTHER_LIBOMP:
        return os.path.realpath(OTHER_LIBOMP)
    for name in ("libomp.so.5", "libomp.so"):
        found = os.popen("clang -print-file-name=%s 2>/dev/null" % name).read().strip()
        if os.path.isabs(found) and os.path.exists(found):
            return os.path.realpath(found)
    places.missing("LLVM's libomp (Debian: libomp-dev)")


def compile_one(compiler, source, target, extra=()):
    """Compiles if the sources are newer; gives what the compiler says where it fails, else None."""
    newest = max(path.stat().st_mtime for path in (source, *SOURCES.glob("*.h")))
    if target.exists() and target.stat().st_mtime > newest:
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    made = target.with_suffix(".new")
    done = subprocess.run([*COMPILERS[compiler], *FLAGS, *extra, str(source), "-o", str(made)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        return done.stdout.decode(errors="replace")
    os.replace(made, target)
    return None


def build(compiler, names):
    """Builds tests/openmp/NAME.c for each name; gives the folder with the programs."""
    if not shutil.which(COMPILERS[compiler][0]):
        places.missing(COMPILERS[compiler][0])
    if compiler == "clang":
        libomp()
    folder = BUILT / compiler
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(pool.map(lambda name: compile_one(compiler, SOURCES / (name + ".c"), folder / name), names))
    failed = [text for text in said if text]
    assert not failed, failed[0]
    return folder


def build_program_as_library(name):
    """Builds tests/openmp/NAME.c as a shared library whose main() is run_program(); gives its path."""
    return build_library(name, "clang", "program-", ["-Dmain=run_program"])


def build_library(name, compiler="clang", prefix="", flags=()):
    """Builds tests/openmp/NAME.c as a shared library; gives its path."""
    if not shutil.which(COMPILERS[compiler][0]):
        places.missing(COMPILERS[compiler][0])
    if compiler == "clang":
        libomp()
    target = BUILT / compiler / ("lib%s%s.so" % (prefix, name))
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target.parent / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = compile_one(compiler, SOURCES / (name + ".c"), target, ["-shared", "-fPIC", *flags])
    assert said is None, said
    return target


def program_and_library(folder, source, library, link=()):
    """Builds a file of tests/programs twice with clang: as a program, and with -DLIBRARY as the library `library`;
    gives both paths. `link` is for the program."""
    clang = shutil.which("clang")
    if not clang:
        places.missing("clang")
    program = folder / source.stem
    words = [clang, "-g", "-O1", "-fopenmp", str(source)]
    done = subprocess.run([*words, *link, "-o", str(program)], stderr=subprocess.PIPE, encoding="utf-8")
    if done.returncode:
        places.missing("clang with libomp: " + done.stderr)
    subprocess.run([*words, "-fPIC", "-shared", "-DLIBRARY", "-o", str(folder / library)], check=True)
    return program, folder / library


def environment(name):
    """What a program's first lines ask for: Environment: NAME=VALUE."""
    head = (SOURCES / (name + ".c")).read_text().split("#include")[0]
    return re.findall(r"Environment: (\w+=\w+)", head)


def script(output, commands):
    """Text of a shell script that runs commands {label: (settings, words)} one after the other and keeps what each
    says in files LABEL.out, .err and .rc."""
    lines = ["ulimit -c 0"]
    for label, (settings, words) in commands.items():
        settings = " ".join(settings)
        if OTHER_LIBOMP:
            settings += ' LD_LIBRARY_PATH="%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"' % os.path.dirname(libomp())
        where = shlex.quote(str(output / label))
        lines.append("env %s timeout -k 5 60 %s >%s.out 2>%s.err </dev/null" %
                     (settings, " ".join(shlex.quote(str(word)) for word in words), where, where))
        lines.append("echo $? >%s.rc" % where)
    return "\n".join(lines) + "\n"


def run_once(tmp_path_factory, tag, make, options=()):
    """Runs a script, whose text make(folder) gives, traced and once for all tests with the same recorder, also when
    pytest has many workers; gives the folder, with the trace in `trace`."""
    base = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        base = base.parent
    folder = base / ("openmp-%s-%s" % (tag, os.environ.get("PINSIGHT_RECORDER", "file")))
    folder.mkdir(exist_ok=True)
    with open(str(folder) + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "over").exists():
            text = folder / "script"
            text.write_text(make(folder))
            done = subprocess.run(
                [places.COMMAND, "run", "-o", str(folder / "trace"), "--domains", "openmp", "--lossless",
                 "--no-summary", *options, "--", "sh", str(text)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            (folder / "over").write_bytes(done.stderr + b"\n%d" % done.returncode)
    said = (folder / "over").read_text(errors="replace")
    assert said.endswith("\n0"), said
    return folder


@functools.lru_cache(maxsize=None)
def recorded_in(trace):
    """{pid: [event]} of OpenMP's events in a trace."""
    found = collections.defaultdict(list)
    for event in traces.events(trace):
        if event.name in NAMES:
            found[event.vpid].append(event)
    return found


def all_said(text):
    """What a program and those that it forked or became printed, as a list of Said."""
    parts = re.split(r"(?m)^(?=pid )", text)
    if len(parts) == 1:
        return [Said(text)]
    parts[1] = parts[0] + parts[1]  # what it said before its report
    return [Said(part) for part in parts[1:]]


class Said:
    """What a program printed."""

    def __init__(self, text):
        self.pid = None
        self.done = False
        self.counts = collections.Counter()
        self.lines = collections.defaultdict(collections.Counter)
        self.members = collections.Counter()
        self.notes = collections.defaultdict(list)
        for line in text.splitlines():
            words = line.split()
            if words[:1] == ["pid"]:
                self.pid = int(words[1])
            elif words[:1] == ["count"]:
                self.counts[words[1]] += int(words[2])
            elif words[:1] == ["line"]:
                self.lines[words[1]][int(words[2])] += int(words[3])
            elif words[:1] == ["member"]:
                tid, _level, number, size = map(int, words[1:])
                self.members[tid, number, size] += 1
            elif words[:1] == ["note"]:
                self.notes[words[1]].append(words[2:])
            elif words[:1] == ["done"]:
                self.done = True


def lacked_processors(report):
    """Whether threads wanted a processor and had none for longer than any team waits for its last member on average.
    Who has no processor is late, too, and nothing may stand out then."""
    ready = sum(row.get("ready_ns", 0) for row in report["threads"])
    return ready > max([row["imbalance_ns"] / row["threads"] for row in report["regions"] if row["threads"]], default=0)
