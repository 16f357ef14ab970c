"""Damaged traces of each kind in every view and export (tests/tools/fuzz_traces.py): shortly in each run, from made traces
and one seed; for PINSIGHT_FUZZ_SECONDS (1800 unless told) from recorded ones in the long run, with a seed of its own
(PINSIGHT_FUZZ_SEED). Where the build with sanitizers is there and as new, it is its command that reads."""
import os
import shutil
import subprocess
import time

import pytest

from support import cuda, everything, mpi, openmp, places
from support.rotation import rotated
from tools import fuzz_traces

RUN_INFO = "command python program.py\nversion 0.1.0\nsession made\nstarted 2026-01-01T00:00:00Z\nnames inline\nevents function\nended 1\n"


def command():
    sanitized = places.BUILD / "asan" / "bin" / "pinsight"
    if sanitized.exists() and sanitized.stat().st_mtime >= os.stat(places.COMMAND).st_mtime:
        return str(sanitized)
    return str(places.COMMAND)


@pytest.fixture(scope="module")
def made_traces(tmp_path_factory):
    """Traces of all domains, with names in events and in tables, in one folder and in one for each process."""
    folder = tmp_path_factory.mktemp("made")
    found = []
    for names in ("inline", "registry"):
        found += [everything.write(folder / ("everything-" + names), names=tuple(everything.SOUND), seed=names, events=600),
                  cuda.Run(folder / ("cuda-" + names), turns=8, names=names).folder]
    for number in range(3):
        everything.write(folder / "apart" / "ust" / "pid" / ("python3-%d-20260101-000000" % (70 + number)), seed=number, events=150,
                         names=tuple(everything.SOUND), processes=1, host="made-%d" % number)
    found.append(folder / "apart")
    for trace in found:
        (trace / "pinsight-run.txt").write_text(RUN_INFO)
    return list(map(str, found))


def fuzz(traces, capsys, *options):
    with capsys.disabled():
        print()
        failed = fuzz_traces.main([*traces, "--command", command(), *options])
    assert not failed, "see above; the tool's --only does one of them again"


def test_a_few_traces(newest, run_command, made_traces, tmp_path, capsys):
    """Some with whole packets missing, which a recorded trace has more of."""
    program = "import threading\ndef f(i): return len(str(i))\ndef work():\n    for i in range(9000): f(i)\n" \
              "thread = threading.Thread(target=work)\nthread.start()\nwork()\nthread.join()\n"
    folder = run_command(newest.path, "-c", program, options=["--no-summary"]).folder
    packed = tmp_path / "packed"
    shutil.copytree(str(folder), str(packed), symlinks=True)
    subprocess.check_call([str(places.COMMAND), "pack", "-q", str(packed)])
    fuzz([str(folder), str(packed), *made_traces], capsys, "--seed", "more", "--count", "12", "--seconds", "6", "--views", "1")


@pytest.mark.storm
def test_made_traces(made_traces, capsys):
    fuzz(made_traces, capsys, "--seed", "short", "--count", "40", "--seconds", "25")


@pytest.fixture
def recorded(newest, run_traced, run_command, tmp_path):
    found = []
    program = "def inner(i):\n    return len(str(i))\ndef work():\n    for i in range(50): inner(i)\nimport gc, json\nwork()\ngc.collect()\n"
    for names in ("inline", "registry"):
        found.append(run_traced(newest, program, "--names", names, "--events", "function,c_call,import,gc",
                                env={"PINSIGHT_ALLOCATIONS": "live"}).folder)
    if shutil.which("clang"):
        found.append(run_command(openmp.build("clang", ["tasks"]) / "tasks", options=["--max-size", "1M"]).folder)
    for flavour in mpi.flavours():
        if flavour.is_there:
            patterns = flavour.compile(places.PROGRAMS / "mpi_patterns.c", tmp_path / repr(flavour))
            found.append(run_command(*flavour.command(2, patterns, "halo"), env=mpi.ENVIRONMENT).folder)
    (tmp_path / "rotated").mkdir()
    return list(map(str, found)) + [str(rotated(newest, tmp_path / "rotated", "registry", ["--recorder", "lttng"]))]


@pytest.mark.long
def test_recorded_traces(recorded, made_traces, capsys, tmp_path):
    fuzz(recorded + made_traces, capsys, "--seconds", os.environ.get("PINSIGHT_FUZZ_SECONDS", "1800"),
         "--seed", os.environ.get("PINSIGHT_FUZZ_SEED", str(int(time.time()))), "--keep", str(tmp_path / "kept"))
