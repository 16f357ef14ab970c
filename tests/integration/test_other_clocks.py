"""The times of a trace are the machine's, whatever clock a program has: a library that replaces it, or a time namespace."""
import subprocess
import time

import pytest

from support import native

# As faketime does: another year, in which time passes ten times as slowly.
LIBRARY = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (!result && clock != CLOCK_THREAD_CPUTIME_ID && clock != CLOCK_PROCESS_CPUTIME_ID) {
        long long ns = (now->tv_sec * 1000000000LL + now->tv_nsec) / 10;
        now->tv_sec = ns / 1000000000;
        now->tv_nsec = ns % 1000000000;
    }
    return result;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec fine;
    int result = clock_gettime(CLOCK_REALTIME, &fine);
    now->tv_sec = fine.tv_sec;
    now->tv_usec = fine.tv_nsec / 1000;
    return result;
}
"""

# What a nap takes is told by the kernel, which nobody has replaced in the test.
PROGRAM = """
import select

def nap():
    select.select([], [], [], 0.1)

for _ in range(3):
    nap()
"""


def naps(traced):
    report = traced.report()
    nap = next(row for row in report["functions"] if row["name"] == "nap")
    return nap["total_ns"] / 1e9, report["not_recorded"], report


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_a_replaced_clock(newest, run_command, tmp_path, mode):
    (tmp_path / "clock.c").write_text(LIBRARY)
    library = tmp_path / "libother.so"
    subprocess.run([native.COMPILER, "-shared", "-fPIC", "-o", library, tmp_path / "clock.c"], check=True)
    begun = time.monotonic()
    traced = run_command("env", "LD_PRELOAD=%s" % library, newest.path, "-c", PROGRAM, options=["--mode", mode])
    took = time.monotonic() - begun
    assert traced.rc == 0, traced.stderr
    total, not_recorded, _ = naps(traced)
    assert 0.3 <= total <= took
    assert (not_recorded["other_clocks"], not_recorded["other_clock"]) == (1, "libother.so")
    assert "is not the machine's (libother.so)" in traced.stderr


def test_a_time_namespace(newest, run_command):
    apart = ["unshare", "--user", "--map-root-user", "--time", "--monotonic", "86400", "--fork"]
    if subprocess.run([*apart, "true"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("no time namespaces here")
    begun = time.monotonic()
    traced = run_command(newest.path, "-c", "import subprocess, sys\n"
                         "def outside(): subprocess.run(sys.argv[1:], check=True)\noutside()\n",
                         *apart, newest.path, "-c", PROGRAM)
    took = time.monotonic() - begun
    assert traced.rc == 0, traced.stderr
    total, not_recorded, report = naps(traced)
    assert 0.3 <= total <= took
    outside = next(row for row in report["functions"] if row["name"] == "outside")
    assert total <= outside["total_ns"] / 1e9 <= took
    assert (not_recorded["other_clocks"], not_recorded["other_clock"]) == (1, "a time namespace")
