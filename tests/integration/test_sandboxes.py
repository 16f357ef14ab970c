"""Programs that forbid themselves system calls or files (seccomp, Landlock): PInsight does nothing that ends them."""
import ctypes
import platform
import subprocess

import pytest

SANDBOX = """
import ctypes, os, platform, struct, sys, threading
def f(x): return x + 1
def work():
    s = 0
    for i in range(40000): s = f(s)
f(1)
work()
libc = ctypes.CDLL(None, use_errno=True)
openat, seccomp = {"x86_64": (257, 317), "aarch64": (56, 277)}[platform.machine()]
# Load the number of the system call; one of them ends the process, all others are allowed.
number = int(sys.argv[2]) if len(sys.argv) > 2 else openat
lines = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x80000000), (0x06, 0, 0, 0x7fff0000)]
text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
class Program(ctypes.Structure): _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_void_p)]
program = Program(len(lines), ctypes.addressof(text))
assert libc.prctl(38, 1, 0, 0, 0) == 0
if sys.argv[1] == "prctl":
    assert libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0
else:
    assert libc.syscall(seccomp, 1, int(sys.argv[1]), ctypes.byref(program)) == 0
work()
if number != 11:  # the end of a thread calls munmap
    thread = threading.Thread(target=work); thread.start(); thread.join()
os.write(1, b"computed")
os._exit(0)
"""


@pytest.mark.parametrize("how", ["prctl", "0", "1"])
def test_a_program_that_forbids_itself_to_open_files(how, newest, run_traced):
    traced = run_traced(newest, SANDBOX, "-q", "--no-summary", arguments=[how], file="sandbox.py")
    assert (traced.stdout, traced.stderr) == ("computed", "")
    told = traced.report()
    if how == "1":  # for all threads
        assert "forbade itself system calls that the recorder needs (seccomp)" in " ".join(traced.report_text().split())
    else:
        assert sum(row["calls"] for row in told["functions"] if row["name"] == "f") == 120001


FORBIDDEN = {"munmap": 11, "read": 0, "geteuid": 107, "rt_sigpending": 127, "clock_gettime": 228, "getpid": 39, "tgkill": 234}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86-64")
@pytest.mark.parametrize("call", [*list(FORBIDDEN)[:1], *(pytest.param(call, marks=pytest.mark.storm) for call in list(FORBIDDEN)[1:])])
@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_a_program_that_forbids_itself_another_call(call, mode, newest, run_traced):
    """One that CPython does not make here, and the recorder does."""
    traced = run_traced(newest, SANDBOX, "-q", "--no-summary", "--mode", mode, arguments=["prctl", str(FORBIDDEN[call])], file="sandbox.py")
    assert (traced.rc, traced.stdout, traced.stderr) == (0, "computed", "")
    told = traced.report()
    if call == "getpid":  # by which PInsight knows its process
        assert "forbade itself system calls that the recorder needs (seccomp)" in " ".join(traced.report_text().split())
    else:
        assert sum(row["calls"] for row in told["functions"] if row["name"] == "f") == (80001 if call == "munmap" else 120001)


CHILDREN = SANDBOX[:SANDBOX.index("work()\nif number")] + """
for _ in range(2):
    child = os.fork()
    if child == 0:
        f(1)
        os._exit(3)
    print(os.WEXITSTATUS(os.waitpid(child, 0)[1]))
"""
# Calls of PInsight's around forks, of its threads, which a forked child would start under the filter, and those with which
# a child describes itself. Without the last ones nothing of a child is recorded.
OF_CHILDREN = {"clone3": 435, "socket": 41, "bind": 49, "fcntl": 72, "rseq": 334, "recvmsg": 47, "getsockname": 51,
               "rt_sigtimedwait": 128}
OF_DESCRIPTION = {"uname": 63, "readlink": 89, "getppid": 110, "faccessat2": 439}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86-64")
@pytest.mark.parametrize("call", [*OF_CHILDREN, *OF_DESCRIPTION])
def test_children_of_a_program_with_a_filter(call, newest, run_traced):
    number = {**OF_CHILDREN, **OF_DESCRIPTION}[call]
    traced = run_traced(newest, CHILDREN, "-q", "--no-summary", arguments=["prctl", str(number)], file="sandbox.py")
    assert (traced.rc, traced.stdout, traced.stderr) == (0, "3\n3\n", "")
    calls = sum(row["calls"] for row in traced.report()["functions"] if row["name"] == "f")
    assert calls == (40001 if call in OF_DESCRIPTION else 40003)
    if call in OF_DESCRIPTION:
        assert "forbade itself system calls that the recorder needs (seccomp)" in " ".join(traced.report_text().split())


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86-64")
@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_a_program_that_forbids_itself_to_block_signals(mode, python, run_traced, tmp_path):
    """Its end and its forks, for which signals wait otherwise."""
    program = tmp_path / "sandbox.py"
    program.write_text(CHILDREN)
    plain = subprocess.run([python.path, program, "prctl", "14"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    if plain.returncode:
        pytest.skip("this Python blocks signals at its end")
    traced = run_traced(python, program, "-q", "--no-summary", "--mode", mode, arguments=["prctl", "14"])
    assert (traced.stdout, traced.stderr) == (plain.stdout, plain.stderr)
    assert "forbade itself system calls that the recorder needs (seccomp)" in " ".join(traced.report_text().split())


LANDLOCK = """
import ctypes, os
def f(x): return x + 1
def work():
    for i in range(100000): f(i)
libc = ctypes.CDLL(None, use_errno=True)
handled = ctypes.c_uint64(0x1fff)  # all that is done with files, and nothing is allowed
rules = libc.syscall(444, ctypes.byref(handled), 8, 0)
assert rules >= 0 and libc.prctl(38, 1, 0, 0, 0) == 0 and libc.syscall(446, rules, 0) == 0
work()
try:
    open("/etc/passwd")
except PermissionError:
    print("no file")
"""


def test_a_program_that_forbids_itself_files(newest, run_traced):
    if ctypes.CDLL(None).syscall(444, None, 0, 1) < 1:
        pytest.skip("this kernel has no Landlock")
    traced = run_traced(newest, LANDLOCK, "-q", "--no-summary")
    assert (traced.stdout, traced.stderr) == ("no file\n", "")
    assert sum(row["calls"] for row in traced.report()["functions"] if row["name"] == "f") == 100000
