"""Threads that C starts and that call Python, while the thread that started them waits in C: each call of theirs is recorded."""
import collections
import subprocess

import pytest

from support import native

SOURCE = """
#include <pthread.h>

typedef int (*callback)(int);

struct work {
    callback call;
    int count;
};

static void *run(void *data) {
    const struct work *work = data;
    for (int i = 0; i < work->count; i++)
        work->call(i);
    return 0;
}

void many(callback call, int count, int threads) {
    pthread_t all[64];
    struct work work = {call, count};
    for (int i = 0; i < threads; i++)
        pthread_create(&all[i], 0, run, &work);
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], 0);
}
"""

PROGRAM = """
import ctypes, sys, threading, time

library = ctypes.CDLL(sys.argv[1])
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)

def leaf(n):
    return n

def long_one(n):
    for i in range(1000):
        leaf(i)
    return 0

def short_one(n):
    return leaf(n)

def overlapping(n):
    time.sleep(0.0001)
    return leaf(n)

def tick():
    time.sleep(0.001)

library.many(kind(long_one), 1, 4)
library.many(kind(short_one), 100, 4)
# Another thread runs Python now and then.
call = kind(overlapping)
starter = threading.Thread(target=library.many, args=(call, 50, 4))
starter.start()
while starter.is_alive():
    tick()
"""

CALLS = {"long_one": 4, "short_one": 400, "overlapping": 200, "leaf": 4600}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("threads-of-c")
    (folder / "many.c").write_text(SOURCE)
    subprocess.run([native.COMPILER, "-shared", "-fPIC", "-o", folder / "libmany.so", folder / "many.c", "-lpthread"],
                   check=True)
    return folder / "libmany.so"


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_each_call_is_there(python, run_traced, library, mode):
    traced = run_traced(python, PROGRAM, "--mode", mode, arguments=[library], file="threads.py")
    report = traced.report()
    calls = collections.Counter()
    for function in report["functions"]:
        calls[function["name"]] += function["calls"]
    assert {name: calls[name] for name in CALLS} == CALLS
    assert not report["not_recorded"]["lost_frames"] and not report["not_recorded"]["dropped_ends"]
