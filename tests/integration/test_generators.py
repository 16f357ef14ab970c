"""Numbers of generators, coroutines and asynchronous generators, beside what the program itself sees of them."""
import collections
import csv
import json
import subprocess

import pytest

from support import places, traces

EVENTS = ["--events", "function,c_call,generator", "--lossless", "--no-summary"]
FUNCTIONS = ("counting", "guarded", "delegating", "waiting", "outer", "streaming")


def recorded(folder):
    """{thread: [(function, number)]} of the program's generators; each stands behind the begin of what it is of."""
    codes, last, found = {}, {}, collections.defaultdict(list)
    for event in traces.events(folder):
        if event.name == "code_info":
            codes[event.vpid, event.fields["code"]] = event.fields
        tid = event.fields.get("tid", event.vtid)
        if event.name in traces.REGISTRY + traces.INLINE:
            last[tid] = event
        if event.name != "generator":
            continue
        code, begin = codes[event.vpid, event.fields["code"]], last.pop(event.vtid)
        if begin.name == "begin":
            assert begin.fields["code_how"] // 4 == event.fields["code"]
        else:
            assert begin.name == "function_begin" and begin.fields["code_id"] == code["code_id"]
        if code["filename"].endswith("taking_turns.py") and code["qualname"] in FUNCTIONS:
            found[event.vtid].append((code["qualname"], event.fields["generator"]))
    return found


class Same:
    """Serial numbers of the program stand for numbers of the trace, one for one."""

    def __init__(self):
        self.numbers, self.serials = {}, {}

    def takes(self, serial, number):
        if serial not in self.numbers and number not in self.serials:
            self.numbers[serial], self.serials[number] = number, serial
        return self.numbers.get(serial) == number and self.serials.get(number) == serial


def assert_same(noted, found):
    """What was noted is what was recorded, up to the numbers' names; what is not certain may lack."""
    same = Same()
    assert set(map(int, noted)) == set(found)
    for thread, notes in noted.items():
        numbers = collections.deque(found[int(thread)])
        for place, (function, serial, certain) in enumerate(notes):
            if numbers and numbers[0][0] == function and same.takes(serial, numbers[0][1]):
                numbers.popleft()
            else:
                assert not certain, "note %d, %s %d: the trace has %s" % (
                    place, function, serial, list(numbers)[:3])
        assert not numbers


def check(python, run_traced, *options, **more):
    result = run_traced(python, "taking_turns", *EVENTS, *options, **more)
    noted, found = json.loads(result.stdout), recorded(result.folder)
    assert_same(noted, found)
    result.trace.assert_balanced()
    not_recorded = result.report("--limit", "1")["not_recorded"]
    assert all(not_recorded[key] == 0 for key in ("lost_frames", "dropped_ends", "discarded_events"))
    return result, found


@pytest.mark.needs_gil
def test_as_the_program_sees_them(python, run_traced, tmp_path):
    result, found = check(python, run_traced)
    assert sum(len(thread) for thread in found.values()) > 2000 and len(found) == 4
    # What views make of them: the same sequence in each thread.
    subprocess.run([places.COMMAND, "export", "--to", "csv", "-q", "-o", str(tmp_path / "a.csv"), str(result.folder)],
                   check=True)
    shown = collections.defaultdict(list)
    with open(tmp_path / "a.csv", newline="", encoding="utf-8") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: (int(row["begin_ns"]), int(row["depth"])))
    for row in rows:
        if row["generator"] != "0":
            assert row["category"] == "python"
        if row["name"] in FUNCTIONS and row["file"].endswith("taking_turns.py"):
            assert row["generator"] != "0"
            shown[int(row["tid"])].append((row["name"], int(row["generator"])))
    assert shown == found


@pytest.mark.recorder("lttng")
@pytest.mark.parametrize("names", ["inline", "registry"])
def test_lttng(one_of_each, names, run_traced):
    check(one_of_each, run_traced, "--names", names)


def test_plain(one_of_each, run_traced):
    check(one_of_each, run_traced, env={"PINSIGHT_PLAIN": "1"})


@pytest.mark.parametrize("options", [[], ["--events", "function,c_call,gil,lock,task"],
                                     ["--events", "function,generator", "--mode", "MONITORING"]], ids=" ".join)
def test_none(one_of_each, options, run_traced):
    """They are off by default, and where calls are counted alone."""
    result = run_traced(one_of_each, "taking_turns", "--no-summary", *options)
    assert not any(event.name == "generator" for event in traces.events(result.folder))


FORKS = """
import os

def counting():
    while True:
        yield

one, other = counting(), counting()
next(one), next(other)
child = os.fork()
if child == 0:
    third = counting()
    next(other), next(one), next(third), next(one), next(other)
    os._exit(0)
os.waitpid(child, 0)
next(one), next(other)
"""


def test_fork(one_of_each, run_traced):
    """In a child those of its parent have new numbers."""
    result = run_traced(one_of_each, FORKS, *EVENTS)
    codes, found = {}, collections.defaultdict(list)
    for event in traces.events(result.folder):
        if event.name == "code_info":
            codes[event.vpid, event.fields["code"]] = event.fields["qualname"]
        if event.name == "generator" and codes[event.vpid, event.fields["code"]] == "counting":
            found[event.vpid].append(event.fields["generator"])
    parent, child = sorted(found.values(), key=len)
    one, other = parent[:2]
    assert parent == [one, other, one, other] and one != other
    other, one, third = child[:3]
    assert child == [other, one, third, one, other] and len(set(child)) == 3


GREENLETS = """
from greenlet import greenlet

def counting(limit):
    for number in range(limit):
        other.switch()
        yield number

def run(limit):
    for number in counting(limit):
        pass
    return limit

def elsewhere():
    for number in counting(0):
        pass
    while True:
        main.switch()

main, other = greenlet(run), greenlet(elsewhere)
main.switch(3)
"""


def test_greenlets(one_of_each, run_traced):
    """A generator that pauses and resumes with its greenlet is the same."""
    result = run_traced(one_of_each, GREENLETS, *EVENTS, packages=["greenlet"])
    codes, found = {}, []
    for event in traces.events(result.folder):
        if event.name == "code_info":
            codes[event.fields["code"]] = event.fields["qualname"]
        if event.name == "generator" and codes[event.fields["code"]] == "counting":
            found.append(event.fields["generator"])
    first, second = sorted(set(found))
    assert found.count(second) == 1
    # A start, three resumptions, and three switches back.
    assert found.count(first) == 7


def test_dump(newest, run_traced):
    """An event behind the begin, as any other."""
    result = run_traced(newest, FORKS, *EVENTS)
    done = subprocess.run([places.COMMAND, "dump", str(result.folder), "--format", "json"], stdout=subprocess.PIPE, check=True)
    told = [json.loads(line) for line in done.stdout.decode().splitlines()]
    mine = [place for place, event in enumerate(told) if event["event"] == "generator"]
    assert mine
    for place in mine:
        before, event = told[place - 1], told[place]
        assert before["event"] == "function_begin" and before["tid"] == event["tid"]
        assert set(event["fields"]) == {"code", "generator"}
