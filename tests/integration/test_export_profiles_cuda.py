"""`pinsight export` to profiles: CUDA's calls beneath the Python that made them, and what devices did beside it, in trees
of its own beneath the Python that launched it. On a made trace."""
import collections
import json
import re
import subprocess

import pytest

from support import cuda, places
from support.profiles import annotated, check_speedscope, export, folded, pstats_of, speedscope_stacks

PATHS = {None: (), 1: ("main",), 2: ("main", "step"), 3: ("main", "step", "launch")}


@pytest.fixture(scope="module")
def the_run(tmp_path_factory):
    return cuda.Run(tmp_path_factory.mktemp("cuda") / "made")


def escaped(name):
    return re.sub("[\x00-\x1f]", lambda match: "\\x%02x" % ord(match.group()), name)


def rank(pid):
    return "rank %d (train.py)" % ((pid - 70) // 10)


def devices(run):
    """{(stream, path and what it launched): time}"""
    found = collections.Counter()
    for one in run.works:
        stream = "%s: GPU %d stream %d" % (rank(one.pid), one.device, one.stream)
        found[(stream, *PATHS[one.path], escaped(one.name))] += one.end - one.begin
    return found


def hosts(run):
    """{(rank, path and the call): time}; calls are made in step(), whatever their path says."""
    found = collections.Counter()
    for one in run.calls:
        found[(rank(one.pid), "main", "step", one.name)] += one.end - one.begin
    inside = {pid: sum(one.end - one.begin for one in run.calls if one.pid == pid) for pid in (70, 80)}
    for name, pid, begin, end in run.functions:
        if name == "step":
            found[rank(pid), "main", "step"] += end - begin
            found[rank(pid), "main"] -= end - begin
        else:
            found[rank(pid), "main"] += end - begin
    for pid, time in inside.items():
        found[rank(pid), "main", "step"] -= time
    return found


def test_folded(the_run):
    stacks = folded(export(the_run.folder, "folded", "-q"))
    found = {tuple(re.sub(r" \([^()]*:\d+\)$", "", frame) for frame in stack): time for stack, time in stacks.items()}
    assert found == hosts(the_run) + devices(the_run)
    # One process: no streams of the others.
    stacks = folded(export(the_run.folder, "folded", "-q", "--process", "80"))
    assert {stack[0] for stack in stacks if "GPU" in stack[0]} == {name[0] for name in devices(the_run) if "rank 1" in name[0]}


def test_speedscope(the_run, tmp_path):
    file = json.loads(export(the_run.folder, "speedscope", "-q"))
    check_speedscope(file)
    names = [profile["name"] for profile in file["profiles"]]
    assert names == ["%s: %s" % (rank(pid), what) for pid in (70, 80)
                     for what in ("MainThread", "GPU 0 stream 7", "GPU 0 stream 8", "GPU 1 stream 9")]
    found = collections.Counter()
    for (profile, stack), time in speedscope_stacks(file).items():
        found[(profile.replace(": MainThread", ""), *(frame[2] for frame in stack))] += time
    assert +found == hosts(the_run) + devices(the_run)


def test_callgrind(the_run, tmp_path):
    export(the_run.folder, "callgrind", "-q", output=tmp_path / "out.callgrind")
    own, inclusive = (annotated(tmp_path / "out.callgrind", how, 3) for how in (False, True))
    host, device = sum(hosts(the_run).values()), sum(devices(the_run).values())
    assert own["PROGRAM TOTALS"] == (host, host, device)
    by_name, by_stream = collections.Counter(), collections.Counter()
    for stack, time in devices(the_run).items():
        by_name[stack[-1]] += time
        by_stream[stack[0]] += time
    assert {name: row for name, row in own.items() if name.startswith("device:")} == {
        "device:" + name: (0, 0, time) for name, time in by_name.items()}
    for name, time in by_stream.items():
        assert inclusive["process:" + name] == (0, 0, time)
    total = sum(end - begin for name, _, begin, end in the_run.functions if name == "main")
    launched = sum(one.end - one.begin for one in the_run.works if one.path)
    assert inclusive[cuda.SCRIPT + ":main"] == (total, total, launched)
    # A function that is known from paths only has what was launched in it, and no time of its own.
    within = sum(one.end - one.begin for one in the_run.works if one.path == 3)
    assert inclusive[cuda.LIBRARY + ":launch"] == (0, 0, within)
    assert "CUDA:cudaMemcpyAsync" in own


def test_pstats(the_run, tmp_path):
    """One kind of time: that of threads. The command says what it leaves out."""
    done = subprocess.run([places.COMMAND, "export", "--to", "pstats", "-o", str(tmp_path / "out.pstats"), str(the_run.folder)],
                          stderr=subprocess.PIPE, encoding="utf-8", check=True)
    assert "the work of devices is left out" in done.stderr
    rows = pstats_of(tmp_path / "out.pstats")
    assert sum(row.self_ns for row in rows.values()) == sum(hosts(the_run).values())
    calls = collections.defaultdict(lambda: [0, 0])
    for one in the_run.calls:
        calls["<%s>" % one.name][0] += 1
        calls["<%s>" % one.name][1] += one.end - one.begin
    assert {key[2]: [row.calls, row.total_ns] for key, row in rows.items() if key[0] == "~"} == calls
