"""MONITORING: counts beside the oracle's, times beside cProfile's, and no event at all."""
import collections
import json
import subprocess

import pytest

from support import places

COUNTED = ["raising", "recursing", "generating", "managing", "constructing", "decorating", "many_functions",
           "threads_together", "calling_back"]

MONITORED = {"PINSIGHT_TRACE_PYTHON": "MONITORING"}
HEAD = "import time\ndef spin(seconds):\n    end = time.perf_counter() + seconds\n" \
       "    while time.perf_counter() < end:\n        pass\n"

# Ten programs whose functions run longer than a millisecond.
TIMED = {
    "flat": "def a(): spin(.004)\ndef b(): spin(.002)\ndef main():\n    for _ in range(20): a(); b()\n",
    "nested": "def c(): spin(.002)\ndef b():\n    spin(.002); c()\ndef a():\n    spin(.002); b(); c()\n"
              "def main():\n    for _ in range(10): a()\n",
    "recursive": "def down(n):\n    spin(.002)\n    if n: down(n - 1)\n"
                 "def main():\n    for _ in range(5): down(8)\n",
    "mutual": "def even(n):\n    spin(.002)\n    if n: odd(n - 1)\ndef odd(n):\n    spin(.0015)\n"
              "    if n: even(n - 1)\ndef main():\n    for _ in range(5): even(9)\n",
    "sleeping": "def nap(): time.sleep(.003)\ndef main():\n    for _ in range(20): nap()\n",
    "raising": "def fails():\n    spin(.003)\n    raise ValueError\ndef tries():\n    try: fails()\n"
               "    except ValueError: spin(.001)\ndef main():\n    for _ in range(20): tries()\n",
    "generator": "def gives():\n    for _ in range(10):\n        spin(.002)\n        yield\n"
                 "def takes():\n    for _ in gives(): spin(.001)\ndef main():\n    for _ in range(4): takes()\n",
    "methods": "class Thing:\n    def __init__(self): spin(.0015)\n    def work(self): spin(.003)\n"
               "def main():\n    for _ in range(15): Thing().work()\n",
    "callback": "def key(x):\n    spin(.002)\n    return -x\ndef main():\n"
                "    for _ in range(4): sorted(range(10), key=key)\n",
    # Its work is done in C: a loop of Python's, run by 3.11 for two profilers or for one twice, differs by up to 15 %
    # between processes.
    "working": "PRIME = (1 << 1279) - 1\ndef loop(n): return pow(3, (1 << n) - 1, PRIME)\n"
               "def a(): return loop(500)\ndef main():\n    for _ in range(20): a(); loop(700)\n",
}


def profiles(trace):
    """Sums over threads of lexgion_profile: {(kind, name): [calls, inclusive, exclusive]}."""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for event in trace.infos["lexgion_profile"]:
        fields = event.fields
        if fields["domain"] != "Python":  # NumPy's BLAS is counted, too
            continue
        sums[("function", "c_call")[fields["kind"]], fields["name"]][0] += fields["calls"]
        sums[("function", "c_call")[fields["kind"]], fields["name"]][1] += fields["inclusive_ns"]
        sums[("function", "c_call")[fields["kind"]], fields["name"]][2] += fields["exclusive_ns"]
    return sums


def short(python, name):
    return name.rpartition(".")[2] if python.version < (3, 11) else name


@pytest.mark.parametrize("program", COUNTED)
def test_counts_are_the_oracles(one_of_each, program, run_traced, tmp_path):
    """For every function of the program's own files, down to the last call."""
    python = one_of_each
    result = run_traced(python, program, env={"PINSIGHT_TRACE_PYTHON": "MONITORING"})
    trace = result.trace
    assert not trace.threads, "MONITORING records no event"
    output = tmp_path / "oracle.json"
    subprocess.run([python.path, str(places.ORACLE), str(output), str(places.PROGRAMS / (program + ".py"))],
                   check=True, stdout=subprocess.DEVNULL)
    files = {str(places.PROGRAMS / (program + ".py")), "many.py"}
    expected, counted = collections.Counter(), collections.Counter()
    for thread in json.loads(output.read_text())["threads"]:
        for moment in thread["moments"]:
            if moment[0] == "begin" and moment[2] == "start" and moment[3] in files:
                expected[short(python, moment[1])] += 1
    for event in trace.infos["lexgion_profile"]:
        if event.fields["kind"] == 0 and event.fields["filename"] in files:
            counted[short(python, event.fields["name"])] += event.fields["calls"]
    assert len(expected) > 4
    assert counted == expected


@pytest.mark.parametrize("program", ["many_functions", "arrays"])
def test_c_calls_are_counted(newest, program, run_traced, tmp_path):
    """As many of each kind of call to C as TRACING records."""
    packages = ("numpy",) if program == "arrays" else ()
    monitored = profiles(run_traced(newest, program, env={"PINSIGHT_TRACE_PYTHON": "MONITORING"},
                                    packages=packages).trace)
    traced = collections.Counter()
    for thread in run_traced(newest, program, "--lossless", packages=packages).trace.threads:
        for moment in thread.moments:
            if moment.kind == "c_begin":
                traced["c_call", moment.name] += 1
    some = ["abs"]
    if program == "arrays":
        some = ["numpy.ndarray.sum"]
        if newest.mechanism == "sys.monitoring":
            some += ["numpy.add", "numpy.dot"]  # which older versions do not report
    for name in some:
        assert monitored["c_call", name][0] == traced["c_call", name] > 0, name


@pytest.mark.parametrize("program", TIMED)
@pytest.mark.alone
def test_times_are_cprofiles(one_of_each, program, run_traced, tmp_path):
    """Inclusive times within 5 % of cProfile's.

    From 3.12 on both listen in the same run. Before, there is room for one only: of several runs each the
    shortest counts, as what else runs on the machine can only add. Where that is so much that not even the
    shortest of each half of one tool's runs agree, nothing closer than this can be asked for.
    """
    python = one_of_each
    file = tmp_path / (program + ".py")
    file.write_text(HEAD + TIMED[program] + "if __name__ == '__main__':\n    main()\n")
    saved = tmp_path / "profile"
    together = python.version >= (3, 12)
    ours, theirs = collections.defaultdict(list), collections.defaultdict(list)
    for _ in range(12):
        if together:
            ours.clear()
            theirs.clear()
            result = run_traced(python, ["-m", "cProfile", "-o", saved, file], "-q", env=MONITORED)
        else:
            result = run_traced(python, file, "-q", env=MONITORED)
            subprocess.run([python.path, "-m", "cProfile", "-o", str(saved), str(file)], check=True)
        seen = collections.defaultdict(list)
        for event in result.trace.infos["lexgion_profile"]:
            if event.fields["filename"] == str(file):
                seen[event.fields["lineno"]].append(event.fields["inclusive_ns"] / 1e9)
        for line, times in seen.items():
            ours[line].append(min(times))
        for (name, line, _), cumulative in load_stats(python, saved).items():
            if name == str(file):
                theirs[line].append(cumulative)
        lines = [line for line in theirs if min(theirs[line]) > 0.01]
        assert lines and set(lines) <= set(ours)
        worst = max(abs(min(ours[line]) / min(theirs[line]) - 1) for line in lines)
        if worst <= 0.05:
            return
    unsteady = 0 if together else max(of_itself(ours[line]) + of_itself(theirs[line]) for line in lines)
    assert worst <= 0.05 + unsteady, "%s: inclusive times differ from cProfile's by %.1f %%, and the tools' " \
        "own from run to run by %.1f %%" % (program, 100 * worst, 100 * unsteady)


def of_itself(times):
    """How much the shortest of one half of the runs and that of the other differ, at most."""
    middle = len(times) // 2
    halves = [(times[::2], times[1::2]), (times[:middle], times[middle:])]
    return max(abs(min(one) / min(other) - 1) for one, other in halves)


def load_stats(python, saved):
    """{(file, line, name): cumulative seconds}; read by the Python that wrote it (it is marshalled)."""
    script = ("import json, pstats, sys; s = pstats.Stats(sys.argv[1]).stats;"
              "print(json.dumps([[list(k), v[3]] for k, v in s.items()]))")
    done = subprocess.run([python.path, "-c", script, str(saved)], stdout=subprocess.PIPE, check=True)
    return {tuple(key): cumulative for key, cumulative in json.loads(done.stdout.decode())}


def test_report_shows_profiles(one_of_each, run_traced, tmp_path):
    """The report of a MONITORING run has the same calls and times as its lexgion_profile events."""
    result = run_traced(one_of_each, "recursing", env={"PINSIGHT_TRACE_PYTHON": "MONITORING"})
    summed = profiles(result.trace)
    functions = {function["name"]: function for function in result.report("--limit", "0")["functions"]}
    for name in ("down", "even", "odd", "falling", "main"):
        assert functions[name]["calls"] == summed["function", name][0]
        assert functions[name]["total_ns"] == summed["function", name][1]
        assert functions[name]["self_ns"] == summed["function", name][2]
    assert functions["down"]["calls"] == 5001
