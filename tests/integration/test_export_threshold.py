"""`pinsight export --threshold`: what takes less is left out, and nothing else."""
import collections
import json
import subprocess

import pytest

from support import everything, places


def export(folder, *options):
    done = subprocess.run([places.COMMAND, "export", "-q", "-o", "-", *options, str(folder)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="surrogateescape")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module", params=[1, 2, 3])
def made(request, tmp_path_factory):
    return everything.write(tmp_path_factory.mktemp("made") / "made", request.param, names=("work", "Solver.step", "json"))


def slices(text):
    """Of each thread what began and ended. Not the names: one that comes late is known when a slice is written late."""
    found, stacks = [], collections.defaultdict(list)
    for event in json.loads(text)["traceEvents"]:
        key = event["pid"], event["tid"]
        if event["ph"] == "B":
            stacks[key].append(event)
        elif event["ph"] == "E":
            begin = stacks[key].pop()
            found.append((key, begin["ts"], event["ts"], begin["cat"]))
    assert not any(stacks.values())
    return found


@pytest.mark.parametrize("microseconds", [1, 3, 10])
def test_chrome(made, microseconds):
    """Those that are long enough, and what is around them."""
    all_slices = slices(export(made, "--to", "chrome"))
    kept = slices(export(made, "--to", "chrome", "--threshold", str(microseconds)))
    long_enough = [one for one in all_slices if one[2] - one[1] >= microseconds - 1e-4]
    assert collections.Counter(kept) == collections.Counter(long_enough)
    assert len(kept) < len(all_slices)


def stacks(text):
    found = collections.Counter()
    for line in text.splitlines():
        stack, ns = line.rsplit(" ", 1)
        found[stack] += int(ns)
    return found


@pytest.mark.parametrize("microseconds", [1, 3, 10])
def test_folded(made, microseconds):
    whole, kept = stacks(export(made, "--to", "folded")), stacks(export(made, "--to", "folded", "--threshold", str(microseconds)))
    assert sum(whole.values()) == sum(kept.values()) and len(kept) < len(whole)
    total = collections.Counter()
    for stack, ns in whole.items():
        frames = stack.split(";")
        for depth in range(1, len(frames) + 1):
            total[";".join(frames[:depth])] += ns
    for stack in kept:
        assert total[stack] >= 1000 * microseconds or stack.count(";") <= 1, stack


def test_other_forms(made):
    done = subprocess.run([places.COMMAND, "export", "--to", "csv", "--threshold", "5", "-o", "-", str(made)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 2 and b"--threshold is for --to chrome and --to folded, not csv" in done.stderr
