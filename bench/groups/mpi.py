"""Messages of 8 bytes between two ranks, Allreduce, mpi4py and a solver: every mode beside no tool and a floor."""

import os
import shutil
import statistics
import subprocess

from groups.floor import discarded
from groups.link import SAME
from harness import WORK, ChildFailed, in_turns
from tools import with_floor

NAME = "mpi"
ABOUT = "two ranks, 8 bytes, Open MPI and MPICH: TRACING beside a bare tool of the same events, STANDBY, a solver"
ONCE = True

RATIO, QUIET = 1.25, 1.02
LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpi.so.12"}  # as mpi4py asks for them
INSTALLED = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}  # as Debian calls them
TURNS = ["none", "control", "OFF", "STANDBY", "MONITORING", "TRACING", "bare", "loop"]
CASES = {"message": "a message", "allreduce": "an Allreduce", "nobody": "a send to MPI_PROC_NULL"}
# For root, and so that a rank that waits spins: a rank has a processor of its own.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl_base_warn_component_unused": "0",
    "OMPI_MCA_mpi_yield_when_idle": "0", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}  # fmt: skip
GRIDS = {"60,20": "60 x 60", "800,2": "800 x 800"}  # short, so that some are not disturbed
SOLVERS = [  # label, options of `pinsight run`, its environment
    ("no tool", None, {}),
    ("no tool, once more (control)", None, {}),
    ("OFF", ["--mode", "OFF"], {}),
    ("STANDBY", ["--mode", "STANDBY"], {}),
    ("MONITORING", ["--mode", "MONITORING"], {}),
    ("TRACING, MPI alone", ["--domains", "mpi"], {}),
    ("TRACING, MPI with Python's lines", [], {"PINSIGHT_TRACE_PYTHON": "OFF"}),
    ("TRACING, MPI and Python", [], {}),
]


def least(times):
    """The least disturbed tenth: a message waits for the other rank, which other work on the machine delays."""
    return sorted(times)[len(times) // 10]


class Flavour:
    def __init__(self, bench, name):
        self.name = name
        self.launcher = shutil.which("mpirun." + name) or (shutil.which("mpirun") if only(bench, name) else None)
        self.program = bench.build / "bench" / "mpi" / ("messages-" + name)
        self.environment = dict(ENVIRONMENT)

    def command(self, *words):
        return [self.launcher, "-n", "2"] + [str(word) for word in words]

    def with_mpi4py(self, bench):
        """Lets mpi4py find the library. False where that is not there."""
        told = subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, text=True, check=False).stdout
        found = [line.split()[-1] for line in told.splitlines() if line.split()[:1] == [INSTALLED[self.name]]]
        if not found:
            return False
        folder = bench.fresh("lib")
        folder.mkdir()
        os.symlink(os.path.realpath(found[0]), folder / LIBRARIES[self.name])
        self.environment.update(
            MPI4PY_MPIABI=self.name, MPI4PY_LIBMPI=str(folder / LIBRARIES[self.name]), LD_LIBRARY_PATH=str(folder)
        )
        return True


def only(bench, name):
    """Was the benchmark built for that flavour alone?"""
    return [path.name for path in (bench.build / "bench" / "mpi").glob("messages-*")] == ["messages-" + name]


def traced(bench, trace, options, words, recorder="file"):
    return [bench.pinsight, "run", "--recorder", recorder, "-q", "--no-summary", "-o", trace] + options + ["--"] + words


def messages(bench, flavour, recorder):
    """One pair of processes: ns of each case and turn, and events that were dropped."""
    trace = bench.fresh("mpi")
    words = flavour.command(flavour.program, 400, 40 if bench.quick else 120)
    command = traced(bench, trace, ["--domains", "mpi"], with_floor(bench, recorder, "mpi", words), recorder)
    try:
        report = bench.child(command, flavour.environment)["report"]
        if "bare" not in report["message"] or "TRACING" not in report["message"]:
            raise ChildFailed("the session or PInsight was not there: turns %s" % ", ".join(report["message"]))
        # The file recorder says no number for what it does not drop; its floor's events are none of a trace's.
        lost = discarded(bench, trace) if recorder == "lttng" else 0
        return {case: {turn: least(ns) for turn, ns in of.items()} for case, of in report.items()}, lost
    finally:
        shutil.rmtree(trace, ignore_errors=True)


def untraced(bench, flavour):
    """The same without PInsight in the process."""
    report = bench.child(flavour.command(flavour.program, 400, 40), flavour.environment)["report"]
    return {case: least(of["none"]) for case, of in report.items()}


def run_messages(bench, store, flavour, recorder):
    """What PInsight adds to MPI_Send to nobody, in C."""
    runs, plain, lost = [], [], 0
    for number in range(3 if bench.quick else 9):
        bench.say("mpi, %s, %s, messages in C, process %d" % (flavour.name, recorder, number + 1))
        one, dropped = messages(bench, flavour, recorder)
        lost += dropped or 0
        runs.append(one)
        plain.append(untraced(bench, flavour))
    rows = []
    for case, label in CASES.items():
        label = "%s, %s, %s" % (flavour.name, recorder, label)
        ns = {turn: statistics.median(one[case][turn] for one in runs) for turn in TURNS}
        without = statistics.median(one[case] for one in plain)
        for turn, value in ns.items():
            store.value("mpi", "-", label, turn, "ns", value)
        store.value("mpi", "-", label, "without", "ns", without)

        def ratio(of, turn=case):
            return statistics.median(of(one[turn]) for one in runs)

        bare = ratio(lambda one: (one["TRACING"] - one["none"]) / (one["bare"] - one["none"]))
        loop = ratio(lambda one: (one["TRACING"] - one["none"]) / one["loop"])
        # What hides events behind a wait makes the bare tool cheaper than its events; what waits makes it dearer.
        beside = ratio(lambda one: (one["TRACING"] - one["none"]) / max(one["bare"] - one["none"], one["loop"]))
        notes = ["the bare tool %.0f ns, %.2f x; its events in a loop %.0f ns, %.2f x"
                 % (ns["bare"] - ns["none"], bare, ns["loop"], loop)]  # fmt: skip
        if lost:
            notes.append("%d events were dropped, which flatters" % lost)
        store.budget(label + ": TRACING", "-", "<= 1.25 x floor", "%.2f x" % beside, beside <= RATIO, "; ".join(notes))
        quiet = ratio(lambda one: one["STANDBY"] / one["none"])
        control = ratio(lambda one: one["control"] / one["none"])
        note = "%+.1f ns, control %.3f x" % (ns["STANDBY"] - ns["none"], control)
        if case != "nobody":
            store.budget(label + ": STANDBY", "-", "<= 1.02 x no tool", "%.3f x" % quiet, quiet <= QUIET, note)
        rows.append([label, "%.1f" % without] + ["%.1f" % ns[turn] for turn in TURNS] + ["%.2f" % beside, "%.3f" % quiet])
    store.table(
        "8 bytes between two ranks, %s, %s: ns, the least disturbed tenth, median of %d pairs"
        % (flavour.name, recorder, len(runs)),
        ["", "alone"] + TURNS + ["TRACING", "STANDBY"],
        rows,
        "alone = without PInsight; none, control = PMPI functions beside it; bare = a tool that records the same events "
        "and does\n  nothing else; loop = the case's events in C; the floor is what the bare tool adds or its events in the "
        "loop, the larger;\n  the last two columns are ratios",
    )
    return statistics.median(one["nobody"]["TRACING"] - one["nobody"]["OFF"] for one in runs)


def run_lines(bench, python, store, flavour, in_c):
    """mpi4py: what a call adds there, with Python's lines and without, beside what it adds in C."""
    runs = {"lines": [], "alone": []}
    for _, how in in_turns(1 if bench.quick else 5, runs):
        bench.say("mpi, %s, messages with mpi4py: %s" % (flavour.name, how))
        trace = bench.fresh("mpi")
        words = flavour.command(python.executable, WORK / "messages.py", 400, 40 if bench.quick else 120)
        environment = dict(flavour.environment, PINSIGHT_TRACE_PYTHON="OFF")
        if how == "lines":
            environment["PINSIGHT_BENCH_FLOOR"] = str(python.floor)
        options = ["--domains", "mpi,python" if how == "lines" else "mpi"]
        try:
            report = bench.child(traced(bench, trace, options, words), environment)["report"]
        finally:
            shutil.rmtree(trace, ignore_errors=True)
        runs[how].append({case: {turn: least(ns) for turn, ns in of.items() if ns} for case, of in report.items()})

    def middle(how, case, turn="TRACING", less="OFF"):
        return statistics.median(one[case][turn] - (one[case][less] if less else 0) for one in runs[how])

    link = middle("lines", "link", "same", None)
    rows = []
    for how, label in (("lines", "with Python's lines"), ("alone", "MPI alone")):
        row = [label]
        for case in ("message", "nobody"):
            off, added = middle(how, case, "OFF", None), middle(how, case)
            store.value("mpi", python.version, "%s, mpi4py, %s" % (flavour.name, label), case, "ns", added)
            row += ["%.0f" % off, "%.0f" % added]
        rows.append(row + ["%.0f" % in_c, "%.0f" % link if how == "lines" else "-"])
    store.value("mpi", python.version, "%s, mpi4py" % flavour.name, "link", "ns", link)
    extra, without = middle("lines", "nobody") - in_c, middle("alone", "nobody") - in_c
    store.budget(
        "%s, mpi4py: a call" % flavour.name, python.version, "<= C + %d ns, the link's" % SAME,
        "C + %.0f ns" % extra, extra <= SAME, "the link alone %.0f ns; without it C + %.0f ns" % (link, without),
    )  # fmt: skip
    store.table(
        "8 bytes with mpi4py, %s, Python %s: ns" % (flavour.name, python.version),
        ["", "a message", "TRACING adds", "to nobody", "TRACING adds", "in C it adds", "the link"],
        rows,
        "to nobody = to MPI_PROC_NULL; events between an interpreter's work cost more than in a loop of C's",
    )


def run_solver(bench, python, store, flavour):
    rounds, repeats = (1, 30) if bench.quick else (5, 60)
    seconds = {grid: [[] for _ in SOLVERS] for grid in GRIDS}
    for number, which in in_turns(rounds, range(len(SOLVERS))):
        label, options, more = SOLVERS[which]
        bench.say("mpi, %s, solver, round %d: %s" % (flavour.name, number + 1, label))
        words = flavour.command(python.executable, WORK / "heat.py", repeats, *GRIDS)
        trace = bench.fresh("mpi")
        command = words if options is None else traced(bench, trace, options, words)
        try:
            report = bench.child(command, dict(flavour.environment, **more))["report"]
        finally:
            shutil.rmtree(trace, ignore_errors=True)
        for grid in GRIDS:
            seconds[grid][which].append(least(report[grid]))
    rows = []
    for which, (label, _, _) in enumerate(SOLVERS):
        row = [label]
        for grid in GRIDS:
            base, value = (min(seconds[grid][at]) for at in (0, which))
            store.value("mpi", python.version, "%s, solver %s" % (flavour.name, GRIDS[grid]), label, "s", value)
            row += ["%.2f ms" % (value * 1e3), "%.3f x" % (value / base)]
        rows.append(row)
    columns = [""] + [text for grid in GRIDS.values() for text in (grid, "")]
    store.table(
        "examples/mpi, NumPy and mpi4py on two ranks, %s, Python %s" % (flavour.name, python.version),
        columns,
        rows,
        "%s steps; the least disturbed tenth of %d solutions, best of %d runs"
        % (" and ".join(grid.split(",")[1] for grid in GRIDS), repeats, rounds),
    )


def run(bench, python, store):
    for name in LIBRARIES:
        flavour = Flavour(bench, name)
        if not flavour.launcher or not flavour.program.exists():
            store.failure("mpi, " + name, "its compiler or launcher is not there, or the build is without it")
            continue
        try:
            in_c = run_messages(bench, store, flavour, "file")
            run_messages(bench, store, flavour, "lttng")
            if "mpi4py" not in python.packages or "numpy" not in python.packages:
                store.failure("mpi, %s, mpi4py" % name, "mpi4py or NumPy could not be installed")
            elif not flavour.with_mpi4py(bench):
                store.failure("mpi, %s, mpi4py" % name, "%s was not found" % INSTALLED[name])
            else:
                run_lines(bench, python, store, flavour, in_c)
                run_solver(bench, python, store, flavour)
        except (ChildFailed, KeyError, OSError) as failure:
            store.failure("mpi, " + name, failure)
