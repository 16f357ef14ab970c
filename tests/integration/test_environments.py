"""Children that are given an environment of their own: they are recorded, and see nothing of it."""
import ast
import os
import shutil
import subprocess

import pytest

from support import places
from support.traces import Trace

HEAD = """
import ctypes, os, subprocess, sys
CODE = "import os, sys\\ndef seen_%s(): pass\\nseen_%s()\\nprint(sys.argv[1:], sorted(os.environ.items()))"
libc = ctypes.CDLL(None)
python = os.fsencode(sys.executable)

def code(name):
    return CODE % (name, name)

def say(*what):
    print(*what)
    sys.stdout.flush()

def in_child(name, act, *words):
    say(name)
    if os.fork() == 0:
        act(*words)
        os._exit(99)
    os.wait()

def strings(*texts):
    return (ctypes.c_char_p * (len(texts) + 1))(*texts, None)
"""

# Every way in which libc executes a program, each with an environment that has nothing of ours.
WAYS = HEAD + """
A = {"A": "1"}
for name in ("vfork", "fork"):
    say(name)
    how = {"preexec_fn": lambda: None} if name == "fork" else {"close_fds": True}
    subprocess.run([sys.executable, "-c", code(name), "a b"], env=A, check=True, **how)
say("empty")
subprocess.run([sys.executable, "-c", code("empty")], env={}, check=True)
for spawn in (os.posix_spawn, os.posix_spawnp):
    say(spawn.__name__)
    pid = spawn(sys.executable, [sys.executable, "-c", code(spawn.__name__)], A)
    os.waitpid(pid, 0)
in_child("execve", os.execve, sys.executable, [sys.executable, "-c", code("execve")], A)
in_child("execle", libc.execle, python, python, b"-c", code("execle").encode(), b"x", None, strings(b"A=1"))
in_child("execvpe", libc.execvpe, python, strings(python, b"-c", code("execvpe").encode()), strings(b"A=1"))
in_child("execveat", libc.execveat, -100, python, strings(python, b"-c", code("execveat").encode()), strings(b"A=1"), 0)
in_child("fexecve", libc.fexecve, os.open(python, os.O_RDONLY), strings(python, b"-c", code("fexecve").encode()), strings(b"A=1"))
in_child("nothing", libc.execve, python, strings(python, b"-c", code("nothing").encode()), None)
# With the process's own environment, which was emptied.
libc.clearenv()
in_child("execl", libc.execl, python, python, b"-c", code("execl").encode(), b"1", b"2", None)
in_child("execlp", libc.execlp, python, python, b"-c", code("execlp").encode(), None)
in_child("execv", libc.execv, python, strings(python, b"-c", code("execv").encode(), b""))
in_child("execvp", libc.execvp, python, strings(python, b"-c", code("execvp").encode()))
"""
NAMES = ("vfork", "fork", "empty", "posix_spawn", "posix_spawnp", "execve", "execle", "execvpe", "execveat", "fexecve", "nothing",
         "execl", "execlp", "execv", "execvp")


@pytest.fixture
def run(tmp_path):
    def run(*words, options=(), env=None):
        done = subprocess.run([places.COMMAND, "run", "-q", "--no-summary", "-o", tmp_path / "trace", *options, "--", *map(str, words)],
                              cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=120,
                              env=dict(os.environ, **(env or {})))
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout, Trace(tmp_path / "trace")
    return run


def test_every_way(run, tmp_path, newest):
    """The same output as without, and each child's function in the trace."""
    program = tmp_path / "ways.py"
    program.write_text(WAYS)
    plain = subprocess.run([newest.path, program], cwd=tmp_path, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    said, trace = run(newest.path, program)
    assert said == plain.stdout
    assert {name: trace.calls("seen_" + name) for name in NAMES} == dict.fromkeys(NAMES, 1)


def test_through_shells_and_env(run, newest):
    """`env -i`, and shells with nothing of ours that start others in turn."""
    code = "def seen(): pass\nseen()\nimport os; print(sorted(os.environ))"
    script = 'env -i "$0" -c "$1"; env -i sh -c "\\"$0\\" -c \\"\\$1\\"" "$0" "$1"; env -i PATH="$PATH" A=1 nice "$0" -c "$1"'
    said, trace = run("sh", "-c", script, newest.base, code)
    names = [set(ast.literal_eval(line)) - {"LC_CTYPE"} for line in said.splitlines()]
    assert names[0] == set() and names[2] == {"A", "PATH"}
    assert names[1] <= {"PWD", "SHLVL", "_", "OLDPWD"}
    assert trace.calls("seen") == 3


def test_the_children_of_such_a_child(run, newest):
    """By what its own environment has, by another, and by what libc executes itself."""
    inner = "def seen_inner(): pass\nseen_inner()\n"
    code = """
import multiprocessing, os, shlex, subprocess, sys
def seen_outer(): pass
seen_outer()
assert "PINSIGHT_JOIN" not in os.environ and "LD_PRELOAD" not in os.environ
for env in (None, {}, dict(os.environ), dict(os.environ, B="2")):
    subprocess.run([sys.executable, "-c", %r], env=env, check=True)
os.system("%%s -c '%%s'" %% (shlex.quote(sys.executable), %r))
with os.popen("%%s -c '%%s'" %% (shlex.quote(sys.executable), %r)) as pipe:
    pipe.read()
""" % (inner, inner, inner)
    _, trace = run(newest.path, "-c", "import subprocess, sys; subprocess.run([sys.executable, '-c', %r], env={'A': '1'}, check=True)"
                   % code)
    assert (trace.calls("seen_outer"), trace.calls("seen_inner")) == (1, 6)


def test_the_libraries_that_runtimes_open(run, newest):
    """CUDA's driver finds ours by a variable, in the child too; Python does not see that. Another's keeps its place."""
    ask = """
import ctypes, os
libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
print(libc.getenv(b"CUDA_INJECTION64_PATH"), "CUDA_INJECTION64_PATH" in os.environ)
"""
    code = "import subprocess, sys\nfor env in %%s: subprocess.run([sys.executable, '-c', %r], env=env, check=True)" % ask
    said, _ = run(newest.path, "-c", code % "{}, {'A': '1'}, {'CUDA_INJECTION64_PATH': '/opt/other.so'}")
    ours = os.fsencode(str(places.LIBDIR / "libpinsight-cuda.so"))
    assert said.splitlines() == 2 * ["%r False" % ours] + ["b'/opt/other.so' True"]


def test_without_the_domain_no_runtime_is_told(run, newest):
    said, _ = run(newest.path, "-c", "import os; print([name for name in os.environ if 'INJECTION' in name])", options=["--domains", "python"])
    assert said == "[]\n"


def test_a_preload_of_the_programs_own(run, newest):
    """It stays, after ours; the child sees it alone."""
    code = "import os\ndef seen(): pass\nseen()\nprint(os.environ.get('LD_PRELOAD'), [l for l in open('/proc/self/maps') if 'libm.so' in l] != [])"
    said, trace = run(newest.path, "-c", "import subprocess, sys; subprocess.run([sys.executable, '-c', %r], "
                      "env={'LD_PRELOAD': 'libm.so.6'}, check=True)" % code)
    assert said == "libm.so.6 True\n"
    assert trace.calls("seen") == 1


def test_what_a_child_is_told_to_record(run, newest):
    """Variables of PInsight's own that its parent gives it stay."""
    code = "def seen(): pass\nseen()\nimport os; print(sorted(os.environ.items()))"
    said, trace = run(newest.path, "-c", "import subprocess, sys; subprocess.run([sys.executable, '-c', %r], "
                      "env={'PINSIGHT_TRACE_PYTHON': 'MONITORING', 'LC_CTYPE': 'C.UTF-8'}, check=True)" % code)
    assert said == "[('LC_CTYPE', 'C.UTF-8'), ('PINSIGHT_TRACE_PYTHON', 'MONITORING')]\n"
    assert trace.calls("seen") == 0 and len(trace.infos["process_info"]) == 2


@pytest.mark.recorder("file", "lttng")
def test_tools_of_runtimes(run, newest):
    """The variables by which runtimes find our library are there for libraries, and not for Python; a child's own stay."""
    code = "import ctypes, os\nget = ctypes.CDLL(None).getenv\nget.restype = ctypes.c_char_p\n" \
           "for name in %r:\n    print(name, os.path.basename(get(name.encode()) or b'-').decode(), os.environ.get(name))"
    names = ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "CUBLAS_NVTX_LEVEL", "CUDNN_NVTX_LEVEL")
    said, _ = run(newest.path, "-c", "import subprocess, sys; subprocess.run([sys.executable, '-c', %r], "
                  "env={'NVTX_INJECTION64_PATH': '/other.so', 'CUDNN_NVTX_LEVEL': '3'}, check=True)" % (code % (names,)))
    assert said.splitlines() == ["CUDA_INJECTION64_PATH libpinsight-cuda.so None", "NVTX_INJECTION64_PATH other.so /other.so",
                                 "CUBLAS_NVTX_LEVEL 2 None", "CUDNN_NVTX_LEVEL 3 3"]


@pytest.mark.parametrize("who", ["option", "variable", "child"])
def test_where_the_user_says_no(who, run, newest):
    code = "def seen(): pass\nseen()\nimport os; print(open('/proc/self/environ').read().count('PINSIGHT_'))"
    env = {"PINSIGHT_LEAVE_ENVIRONMENTS": "1"}
    said, trace = run(newest.path, "-c", "import subprocess, sys; subprocess.run([sys.executable, '-c', %r], env=%r, check=True)"
                      % (code, env if who == "child" else {}), options=["--leave-environments"] if who == "option" else [],
                      env=env if who == "variable" else {})
    assert said == "%d\n" % (who == "child")
    assert trace.calls("seen") == 0 and len(trace.infos["process_info"]) == 1


@pytest.mark.storm
def test_long_environments(run, newest):
    """Whose lists do not fit on a stack: the parent does not grow by them, though vfork() shares its memory."""
    code = """
import os, subprocess, sys
many = {"V%05d" % number: "x" for number in range(20000)}
def size():
    return int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
def start():
    done = subprocess.run([sys.executable, "-c", "import os\\ndef seen(): pass\\nseen()\\nprint(len(os.environ))"], env=many,
                          stdout=subprocess.PIPE)
    return int(done.stdout)
found = {start() for _ in range(3)}
before = size()
found |= {start() for _ in range(10)}
print(found - {20000, 20001}, size() - before < 1 << 20)
"""
    said, trace = run(newest.path, "-c", code)
    assert said == "set() True\n"
    assert trace.calls("seen") == 13


def test_a_run_within_a_run(run, newest, tmp_path):
    """Its children are its own, also those with an environment of their own."""
    inner = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'def seen(): pass\\nseen()'], env={}, check=True)"
    code = "import subprocess, sys\ndef outer(): pass\nouter()\nsubprocess.run([%r, 'run', '-q', '--no-summary', '-o', 'inner', '--', " \
           "sys.executable, '-c', %r], env={'PATH': %r}, check=True)" % (str(places.COMMAND), inner, os.environ["PATH"])
    _, trace = run(newest.path, "-c", code)
    assert (trace.calls("outer"), trace.calls("seen")) == (1, 0)
    assert Trace(tmp_path / "inner").calls("seen") == 1


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_a_vfork_in_c(run, newest, tmp_path):
    """The parent's memory is as it was: also errno, and what the child was given."""
    (tmp_path / "vfork.c").write_text(r"""
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words) {
    char *none[] = {"A=1", NULL}, *nothing[] = {"/nowhere", NULL};
    char *argv[] = {words[1], "-c", words[2], NULL};
    for (int i = 0; i < 20; i++) {
        errno = 0;
        pid_t pid = vfork();
        if (pid == 0) {
            execve("/nowhere", nothing, none);
            if (errno != ENOENT)
                _exit(3);
            execve(argv[0], argv, none);
            _exit(2);
        }
        int status;
        waitpid(pid, &status, 0);
        if (status != 0 || strcmp(none[0], "A=1") != 0 || none[1])
            return 1;
    }
    return 0;
}
""")
    subprocess.run(["gcc", "-o", tmp_path / "vfork", tmp_path / "vfork.c"], check=True)
    _, trace = run(tmp_path / "vfork", newest.base, "def seen(): pass\nseen()")
    assert trace.calls("seen") == 20
