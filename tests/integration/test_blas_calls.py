"""Repeated calls of BLAS from one place: a call is recorded in a few instructions only while nothing changes."""
import collections
import json

import pytest

from support import native, places, traces
from support.pythons import pythons

ROUTINES = {number: name for name, number in json.loads((places.ROOT / "src" / "events" / "blas.json").read_text())["enums"]["routine"].items()}
LIBRARY = r"""
#include <setjmp.h>
/* Of 5 elements it never returns. */
double cblas_dasum(int n, double *x, int i) {
    if (n == 5)
        longjmp(*(jmp_buf *)x, 1);
    return n;
}
/* Of 2 elements it never returns; of 3 and 5 it calls another function of BLAS. Of 6 it does, and returns. */
double cblas_ddot(int n, double *x, int i, double *y, int j) {
    jmp_buf here;
    if (n == 2)
        longjmp(*(jmp_buf *)x, 1);
    if (n == 6)
        return setjmp(here) ? 6 : cblas_dasum(5, (double *)here, 1);
    return n == 3 || n == 5 ? cblas_dasum(n, x, i) : NUMBER;
}
"""
USER = "double cblas_ddot(int, double *, int, double *, int);\n" \
       "double use(int n, void *x) { return cblas_ddot(n, x, 1, x, 1); }\n"
# Each word is an action.
PROGRAM = r"""
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const char *modes[] = {"OFF", "STANDBY", "MONITORING", "TRACING"};
static void *user;
static double use(int n, void *x) {
    return ((double (*)(int, void *))dlsym(user, "use"))(n, x);
}
int main(int count, char **words) {
    jmp_buf back;
    double sum = 0;
    for (int i = 1; i < count; i++) {
        const char *word = words[i];
        if (*word == '/') {
            if (user)
                dlclose(user);
            user = dlopen(word, RTLD_NOW | RTLD_LOCAL);
        } else if (!strncmp(word, "jump", 4)) {
            if (!setjmp(back))
                use(word[4] ? 5 : 2, back);
        } else if (word[0] >= '0' && word[0] <= '9') {
            int times = atoi(word), n = strchr(word, 'x') ? atoi(strchr(word, 'x') + 1) : 1;
            for (int one = 0; one < times; one++)
                sum += use(n, &sum);
        } else {
            int (*set_mode)(const char *, int) = (int (*)(const char *, int))dlsym(
                dlopen("libpinsight.so.0", RTLD_NOW | RTLD_NOLOAD), "pinsight_set_mode");
            for (int mode = 0; mode < 4; mode++)
                if (!strcmp(word, modes[mode]) && (!set_mode || set_mode("BLAS", mode)))
                    return 1;
        }
    }
    printf("%g\n", sum);
    return 0;
}
"""
EVERYTHING = "[BLAS]\n    shortest_vector = 0\n"


@pytest.fixture
def act(run_command, tmp_path):
    """Runs actions with a library; gives the run."""
    for number in (1, 2):
        native.build(tmp_path, "libblas-%d.so" % number, LIBRARY, "-DNUMBER=%d" % number)
        native.build(tmp_path, "user-%d.so" % number, USER, "-L%s" % tmp_path, "-l:libblas-%d.so" % number, "-Wl,-rpath,%s" % tmp_path)
    native.build(tmp_path, "program", PROGRAM, "-ldl")

    def run(*actions, rules=EVERYTHING):
        (tmp_path / "rules.ini").write_text(rules)
        words = " ".join("'%s'" % word for word in [tmp_path / "program", tmp_path / "user-1.so", *actions])
        done = run_command("sh", "-c", words, options=["-c", tmp_path / "rules.ini"])
        assert done.rc == 0, done.stderr
        return done
    return run


def begins_of(done):
    """The begins in a trace, each of which is followed by its end."""
    events = [event for event in traces.events(done.folder) if event.name in ("blas_begin", "blas_end")]
    assert [event.name for event in events] == ["blas_begin", "blas_end"] * (len(events) // 2)
    return [event.fields for event in events[::2]]


def test_modes_change_between_calls(act):
    done = act("10", "MONITORING", "20", "TRACING", "30", "STANDBY", "40", "OFF", "50", "TRACING", "60")
    assert done.stdout == "210\n" and len(begins_of(done)) == 10 + 30 + 60
    assert {row["routine"]: row["short_calls"] for row in done.report("--blas")["blas"]["routines"]} == {"ddot": 20}


def test_a_window_and_a_size_limit(act):
    done = act("100", rules=EVERYTHING + "[Lexgion(BLAS:ddot)]\n    max_num_traces = 7\n")
    assert len(begins_of(done)) == 7
    done = act("20x5000", "30x10", "40x5000", rules="[BLAS]\n    shortest_vector = 4096\n")
    assert collections.Counter(fields["m"] for fields in begins_of(done)) == {5000: 60}


def test_a_call_that_ends_by_a_jump(act):
    """It ends at the next call at the latest; those after it are recorded as those before."""
    done = act("5", "jump", "5", "jump", "jump", "5")
    assert done.stdout == "15\n" and len(begins_of(done)) == 18


def test_nested_calls_are_one(act):
    done = act("5x3", "1", "5x3")
    assert done.stdout == "31\n" and len(begins_of(done)) == 11
    assert len({fields["codeptr"] for fields in begins_of(done)}) == 1


NESTED = EVERYTHING + "    nested = on\n"
CALL, WITHIN = [(0, "dot")], [(0, "dot"), (1, "asum")]


def nested_of(done):
    """The depth and the routine of each begin in a trace, whose ends are complete."""
    found, depth = [], 0
    for event in traces.events(done.folder):
        if event.name == "blas_begin":
            found.append((depth, ROUTINES[event.fields["routine"]]))
        depth += {"blas_begin": 1, "blas_end": -1}.get(event.name, 0)
        assert depth >= 0
    assert depth == 0
    return found


def test_nested_calls_that_are_asked_for(act):
    done = act("5x3", "2", "5x3", rules=NESTED)
    assert done.stdout == "32\n" and nested_of(done) == 5 * WITHIN + 2 * CALL + 5 * WITHIN
    rows = {row["routine"]: row for row in done.report("--blas")["blas"]["routines"]}
    assert (rows["ddot"]["nested_calls"], rows["dasum"]["calls"], rows["dasum"]["nested_calls"]) == (0, 10, 10)
    assert rows["ddot"]["self_ns"] == rows["ddot"]["total_ns"] - rows["dasum"]["total_ns"]


def test_nested_calls_that_end_by_a_jump(act):
    """Out of both, and out of the inner one. Each has its end, and calls after it are recorded as those before."""
    done = act("3x3", "jump out of two", "3", "4x6", "3x3", "jump", "1", rules=NESTED)
    assert done.stdout == "46\n"
    assert nested_of(done) == 3 * WITHIN + WITHIN + 3 * CALL + 4 * WITHIN + 3 * WITHIN + CALL + CALL


def test_nested_calls_are_not_counted(act):
    """The time of the call around them contains theirs."""
    done = act("5x3", rules=NESTED.replace("= 0", "= 4000"))
    assert {row["routine"]: row["short_calls"] for row in done.report("--blas")["blas"]["routines"]} == {"ddot": 5}
    done = act("5x3", rules=NESTED + "    trace_mode = MONITORING\n")
    assert {row["routine"]: row["short_calls"] for row in done.report("--blas")["blas"]["routines"]} == {"ddot": 5}


def test_another_library_at_the_same_address(act, tmp_path):
    """The program unloads the one and loads the other, whose function must be called."""
    first, second = tmp_path / "user-1.so", tmp_path / "user-2.so"
    done = act("5", second, "5", first, "5", second, "5")
    assert done.stdout == "30\n" and len(begins_of(done)) == 20
    calls = {row["library"]: row["calls"] for row in done.report("--blas")["blas"]["libraries"]}
    assert calls == {str(tmp_path / ("libblas-%d.so" % number)): 10 for number in (1, 2)}


# Of 4 elements it takes the GIL and leaves it, without a line of Python, once another thread has it and changes the first element.
TAKES_THE_GIL = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
double cblas_ddot(int n, double *x, int i, double *y, int j) {
    volatile double *first = x;
    double before = *first;
    int (*take)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "PyGILState_Ensure");
    void (*leave)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "PyGILState_Release");
    for (int polls = 0; n == 4 && *first == before && polls < 100000; polls++)
        usleep(100);
    if (n == 4)
        leave(take());
    return 1;
}
"""
WAITS = """
import ctypes, sys, threading
use, x = ctypes.CDLL(sys.argv[1]).use, (ctypes.c_double * 9)()
use.restype = ctypes.c_double
sys.setswitchinterval(1e-4)
stop = []

def spin():
    while not stop:
        x[0] += 1

def call(n):
    return use(n, x)

total = sum(call(1) for _ in range(10))  # from the second one on, they are as the last one
thread = threading.Thread(target=spin)
thread.start()
for _ in range(40):
    total += call(4)
stop.append(1)
thread.join()
print(total + sum(call(1) for _ in range(10)))
"""


def test_the_state_of_a_thread_is_hidden_during_a_call(run_command, tmp_path):
    """A wait for the GIL hides it, and the call has its end all the same."""
    python = next((one for one in pythons() if one.version >= (3, 12) and (places.LIBDIR / ("_pinsight_python-%s.so" % one.short)).exists()), None)
    native.build(tmp_path, "libblas-1.so", TAKES_THE_GIL, "-ldl")
    native.build(tmp_path, "user-1.so", USER, "-L%s" % tmp_path, "-l:libblas-1.so", "-Wl,-rpath,%s" % tmp_path)
    (tmp_path / "program.py").write_text(WAITS)
    (tmp_path / "rules.ini").write_text(EVERYTHING)
    words = [(python or places.missing("a CPython 3.12 or later")).path, tmp_path / "program.py", tmp_path / "user-1.so"]
    done = run_command("sh", "-c", " ".join("'%s'" % word for word in words), options=["-c", tmp_path / "rules.ini", "--no-summary"])
    assert done.rc == 0 and done.stdout == "60.0\n", done.stderr
    assert len(begins_of(done)) == 60
