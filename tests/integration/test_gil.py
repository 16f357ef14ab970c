"""Waits for the GIL, beside what a library of the test's own counts of the condition variables behind it."""
import os
import subprocess

import pytest

from support import native, places
from support.sections import command, section_forms, slices

pytestmark = pytest.mark.timed

# Stands behind PInsight's shim and before libc, and knows nothing of the interpreter: how long each condition variable
# was waited for. Those of the GIL lie together.
ORACLE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static struct { uintptr_t cond; unsigned long long ns; long waits; } table[1024];
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}
static void *next(const char *name) {
    void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return found ? found : dlsym(RTLD_NEXT, name);
}
static void add(void *cond, unsigned long long since) {
    unsigned long long took = now() - since;
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < count && table[i].cond != (uintptr_t)cond)
        i++;
    if (i == count && count < 1023)
        table[count++].cond = (uintptr_t)cond;
    table[i].ns += took;
    table[i].waits++;
    pthread_mutex_unlock(&lock);
}
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until) {
    static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    if (!real)
        real = next("pthread_cond_timedwait");
    unsigned long long since = now();
    int result = real(cond, mutex, until);
    add(cond, since);
    return result;
}
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
    static int (*real)(pthread_cond_t *, pthread_mutex_t *);
    if (!real)
        real = next("pthread_cond_wait");
    unsigned long long since = now();
    int result = real(cond, mutex);
    add(cond, since);
    return result;
}
__attribute__((destructor)) static void end(void) {
    FILE *file = getenv("ORACLE") ? fopen(getenv("ORACLE"), "a") : NULL;
    for (int i = 0; file && i < count; i++)
        fprintf(file, "%lx %llu %ld\n", (unsigned long)table[i].cond, table[i].ns, table[i].waits);
    if (file)
        fclose(file);
}
"""

FIGHT = """
import threading, time

def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for number in range(2000):
            number + 1

def fight():
    threads = [threading.Thread(target=spin, args=(.3,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

fight()
"""

# Threads that never want the GIL while another has it: one runs at a time.
TURNS = """
import threading, time

def sleep():
    time.sleep(.02)

for turn in range(3):
    thread = threading.Thread(target=sleep)
    thread.start()
    thread.join()
"""


def gil_report(result, *options):
    return result.report("--gil", *options)["gil"]


@pytest.fixture
def oracle(tmp_path):
    """The library's path, and what it counted: seconds of waits for the GIL."""
    library = native.build(tmp_path, "liboracle.so", ORACLE, "-lpthread", "-ldl")
    counted = tmp_path / "counted"

    def seconds():
        rows = [line.split() for line in (counted.read_text() if counted.exists() else "").splitlines()]
        waits = {int(address, 16): int(ns) for address, ns, _ in rows}
        gil = max(waits, key=lambda address: waits[address], default=0)
        return sum(ns for address, ns in waits.items() if abs(address - gil) < 256) / 1e9
    return {"LD_PRELOAD": str(library), "ORACLE": str(counted)}, seconds


@pytest.mark.needs_gil
@pytest.mark.parametrize("events", ["function,c_call,gil", "gil"])
def test_a_fight_for_the_gil(python, oracle, events, run_traced):
    env, seconds = oracle
    result = run_traced(python, FIGHT, "--events", events, env=env)
    gil = gil_report(result)
    main = gil["gils"][0]
    assert len(gil["gils"]) == 1 and main["gil"] == 0
    assert main["wait_ns"] / 1e9 == pytest.approx(seconds(), rel=.05)
    assert main["wanted_ns"] <= main["wait_ns"] and main["held_ns"] <= main["seen_ns"]
    assert main["held_ns"] > .8 * main["seen_ns"]
    assert sum(row["wait_ns"] for row in gil["functions"]) == main["wait_ns"]
    assert sum(row["held_ns"] for row in gil["functions"]) == main["wait_ns"]
    if events != "gil":
        by_name = {row["name"]: row for row in gil["functions"]}
        assert by_name["spin"]["wait_ns"] > .5 * main["wait_ns"]
        assert by_name["spin"]["held_ns"] > .5 * main["wait_ns"]


def test_no_wait_where_none_was(both_mechanisms, run_traced):
    for python in both_mechanisms:
        result = run_traced(python, "print(sum(map(len, ['a'] * 1000)))")
        assert gil_report(result) == {"gils": [], "functions": []}
        assert "gil_wait" not in command(result, "dump")
        text = command(result, "report", "--gil")
        assert "No thread was seen to wait for the GIL." in text


def test_turns_hardly_wait(one_of_each, oracle, run_traced):
    env, seconds = oracle
    gils = gil_report(run_traced(one_of_each, TURNS, env=env))["gils"]
    assert abs(sum(gil["wait_ns"] for gil in gils) / 1e9 - seconds()) < .002


@pytest.mark.parametrize("options", [["--events", "function,c_call"], ["--mode", "MONITORING"], ["--mode", "STANDBY"]],
                         ids=" ".join)
def test_not_asked_for(one_of_each, options, run_traced):
    assert gil_report(run_traced(one_of_each, FIGHT, *options))["gils"] == []


def test_with_lttng(one_of_each, run_traced):
    main = gil_report(run_traced(one_of_each, FIGHT, "--recorder", "lttng", "--lossless"))["gils"][0]
    assert main["wait_ns"] > .2e9


def test_without_the_shim_nothing_is_seen(one_of_each, run_traced):
    result = run_traced(one_of_each, FIGHT, env={"PINSIGHT_PLAIN": "1"})
    assert gil_report(result)["gils"] == []
    said = "Waits for the GIL and for locks are not seen because of PINSIGHT_PLAIN=1."
    assert said in " ".join(command(result, "report").split())
    result = run_traced(one_of_each, "import sys; print()", env={"PINSIGHT_PLAIN": "1"})
    assert said not in " ".join(command(result, "report").split())


def test_activate_alone(one_of_each, tmp_path):
    program = tmp_path / "alone.py"
    program.write_text("import pinsight\npinsight.activate(output=%r)\n%s" % (str(tmp_path / "trace"), FIGHT))
    subprocess.run([one_of_each.path, str(program)], check=True, env=dict(os.environ, PYTHONPATH=str(places.PACKAGES)))
    said = subprocess.run([places.COMMAND, "report", str(tmp_path / "trace")], stdout=subprocess.PIPE, check=True,
                          universal_newlines=True).stdout
    assert "a process that `pinsight run` did not start" in " ".join(said.split())


def test_forms(newest, run_traced):
    result = run_traced(newest, FIGHT)
    rows = gil_report(result)["functions"]
    section_forms(result, "--gil", rows, "wait_ns", "a thread wanted it that another held", "spin")
    waits = [row for row in slices(result) if row["name"] == "wait: GIL"]
    assert {row["category"] for row in waits} == {"gil"}
    assert sum(int(row["duration_ns"]) for row in waits) == pytest.approx(
        gil_report(result)["gils"][0]["wait_ns"], rel=.01)


FORK = FIGHT + """
import os
child = os.fork()
if not child:
    fight()
    os._exit(0)
os.waitpid(child, 0)
"""


def test_a_forked_child_has_its_own(one_of_each, run_traced):
    gils = gil_report(run_traced(one_of_each, FORK, env={"PYTHONWARNINGS": "ignore"}))["gils"]
    assert len({gil["pid"] for gil in gils}) == 2
    for gil in gils:
        assert gil["wait_ns"] > .2e9
        assert gil["wanted_ns"] < 1e9
