"""What a command does is the same under `pinsight run`: its output, its exit status, its signals, its input."""
import os
import pty
import select
import signal
import subprocess
import sys
import time

import pytest

from support import places
from support.pythons import pythons

PY = pythons()[-1].path if pythons() else sys.executable
OLD = pythons()[0].path if pythons() else sys.executable

# name: argv, or a string for `bash -c`; or (that, stdin). $PY and $OLD are the newest and oldest Python.
COMMANDS = {
    "true": ["/bin/true"],
    "false": ["/bin/false"],
    "echo": ["echo", "two words", "--names", "-o", "--"],
    "found in the path": ["printf", "%s\\n", "a"],
    "exit status": "exit 7",
    "not there": ["/nonexistent/command"],
    "not in the path": ["no-such-command-at-all"],
    "not executable": ["/etc/passwd"],
    "a folder": ["/tmp"],
    "standard input": (["cat"], b"first\nsecond\n"),
    "binary through a pipe": ("head -c 100000 | md5sum", bytes(range(256)) * 500),
    "closed input": "cat <&-",
    "closed output": "echo gone >&-",
    "pipe": "seq 1000 | \"$PY\" -c 'import sys; print(sum(map(int, sys.stdin)))'",
    "broken pipe": "\"$PY\" -c 'while True: print(\"y\" * 1000)' 2>/dev/null | head -n 3; echo ${PIPESTATUS[0]}",
    "python": ["$PY", "-c", "print('hello')"],
    "old python": ["$OLD", "-c", "import sys; print(sys.argv, sys.flags.isolated)", "x", "-o"],
    "isolated": ["$PY", "-I", "-S", "-E", "-c", "import sys; print(sys.path)"],
    "a here document": "\"$PY\" - one two <<'END'\nimport sys\nprint(sys.argv, __name__)\nEND",
    "python reading a program from a pipe": (["$PY"], b"import sys\nprint(sys.argv)\nsys.exit(5)\n"),
    "a module": ["$PY", "-m", "json.tool", "--no-such-option"],
    "json.tool": (["$PY", "-m", "json.tool"], b'{"a": [1, 2]}'),
    "sys.exit with a text": ["$PY", "-c", "import sys; sys.exit('a text')"],
    "sys.exit 300": ["$PY", "-c", "import sys; sys.exit(300)"],
    "a traceback": "\"$PY\" -c 'def f(): raise ValueError(5)\nf()' 2>&1",
    "a syntax error": "\"$PY\" -c 'def' 2>&1",
    "os._exit": ["$PY", "-c", "import os; print('lost'); os._exit(9)"],
    "SystemExit in a thread": ["$PY", "-c", "import threading, sys; t = threading.Thread(target=sys.exit);"
                               "t.start(); t.join(); print('on')"],
    "abort": "\"$PY\" -c 'import os; os.abort()' 2>/dev/null",
    "killed by itself": "\"$PY\" -c 'import os; os.kill(os.getpid(), 9)'",
    "the command itself killed": ["$PY", "-c", "import os; os.kill(os.getpid(), 9)"],
    "the command itself terminated": ["sh", "-c", "kill -TERM $$"],
    "segmentation fault": ["$PY", "-c", "import ctypes; ctypes.string_at(0)"],
    "keyboard interrupt": ["$PY", "-c", "import os, signal; os.kill(os.getpid(), signal.SIGINT)"],
    "SIGPIPE is as it was": ["$PY", "-c", "import signal; print(signal.getsignal(signal.SIGPIPE))"],
    "ignored signals": "trap '' USR1; \"$PY\" -c 'import signal; print(signal.getsignal(signal.SIGUSR1))'",
    "signal mask": "grep -E 'Sig(Blk|Ign)' /proc/self/status",
    "limits": "ulimit -a | grep -v pipe",
    "background job": "\"$PY\" -c 'import time; time.sleep(.3); print(1)' & wait; echo 2",
    "exec": "exec \"$PY\" -c 'import os; os.execvp(\"echo\", [\"echo\", \"from\", \"exec\"])'",
    "subprocess": ["$PY", "-c", "import subprocess, sys; print(subprocess.run([sys.executable, '-c',"
                   " 'import sys; sys.exit(4)']).returncode)"],
    "fork": ["$PY", "-c", "import os\npid = os.fork()\nif pid == 0: os._exit(3)\nprint(os.waitpid(pid, 0)[1])"],
    "multiprocessing fork": ["$PY", "multi.py", "fork"],
    "multiprocessing spawn": ["$PY", "multi.py", "spawn"],
    # The last of these only where an OpenMP runtime wants it: pinsight-run(1).
    "environment": "env | grep -v -E '^(LD_PRELOAD|PINSIGHT_|LTTNG_|_=|SHLVL|OMP_TOOL_LIBRARIES|[A-Z]*_INJECTION64_PATH|CU[A-Z]*_NVTX_LEVEL)' | sort",
    "open files": "ls /proc/self/fd | wc -l",
    "working folder": "pwd; ls",
    "a shebang": ["./shebang.py", "x"],
    "a folder with __main__": ["$PY", "app", "x"],
    "sys.path and argv": ["$PY", "paths.py", "x", "-q"],
    "line buffering": "\"$PY\" -u -c 'print(1); import sys; print(2, file=sys.stderr); print(3)' 2>&1",
    "daemon thread at exit": ["$PY", "-c", "import threading, time; threading.Thread(target=time.sleep,"
                              " args=(60,), daemon=True).start(); print('ends')"],
    "own profiler": ["$PY", "-c", "import cProfile; cProfile.run('print(1)', '/dev/null')"],
    "own setprofile": ["$PY", "-c", "import sys\nn = []\nsys.setprofile(lambda *a: n.append(1))\nlen('')\n"
                       "sys.setprofile(None)\nprint(len(n) > 0)"],
    "own settrace": ["$OLD", "-c", "import sys\nn = []\nsys.settrace(lambda *a: n.append(1))\n"
                     "(lambda: 1)()\nsys.settrace(None)\nprint(n)"],
    "recursion error": ["$PY", "-c", "def f(): f()\ntry: f()\nexcept RecursionError: print('deep')"],
    "deep recursion of old": ["$OLD", "-c", "def f(): f()\ntry: f()\nexcept RecursionError: print('deep')"],
}


@pytest.fixture
def place(tmp_path):
    """A folder with a few programs in it, to run commands in."""
    folder = tmp_path / "place"
    (folder / "app").mkdir(parents=True)
    (folder / "app" / "__main__.py").write_text("import sys\nprint(sys.argv, __name__, __spec__ is None)\n")
    (folder / "paths.py").write_text("import sys, __main__\nprint(sys.path, sys.argv, __main__.__file__)\n")
    (folder / "multi.py").write_text(
        "import multiprocessing as m, sys\ndef square(x):\n    return x * x\n"
        "if __name__ == '__main__':\n    m.set_start_method(sys.argv[1])\n"
        "    with m.Pool(2) as pool:\n        print(pool.map(square, range(5)))\n")
    script = folder / "shebang.py"
    script.write_text("#!%s\nimport sys\nprint(sys.argv)\nsys.exit(2)\n" % places.plain_path(PY, tmp_path))
    script.chmod(0o755)
    return folder


def words(command):
    if isinstance(command, str):
        return ["bash", "-c", command]
    return [word.replace("$PY", PY).replace("$OLD", OLD) if word in ("$PY", "$OLD") else word for word in command]


def environment():
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PINSIGHT", "PYTEST"))}
    return dict(env, PY=PY, OLD=OLD, PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="0")


def outcome(argv, place, given):
    done = subprocess.run(argv, cwd=place, env=environment(), input=given, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)
    return done


@pytest.mark.parametrize("name", COMMANDS)
def test_command(name, place, tmp_path):
    command = COMMANDS[name]
    given = b""
    if isinstance(command, tuple):
        command, given = command
    argv = words(command)
    try:
        plain = outcome(argv, place, given)
        expected = (plain.returncode if plain.returncode >= 0 else 128 - plain.returncode, plain.stdout)
        killed_by = -plain.returncode if plain.returncode < 0 else None
    except OSError as error:
        expected, killed_by = ({FileNotFoundError: 127}.get(type(error), 126), b""), None
    traced = outcome([places.COMMAND, "run", "-o", str(tmp_path / "trace"), "-q", "--", *argv], place, given)
    status = traced.returncode if traced.returncode >= 0 else 128 - traced.returncode
    assert (status, traced.stdout) == expected, traced.stderr.decode(errors="replace")
    if killed_by is None:
        assert traced.returncode >= 0


def test_stderr_of_the_command_is_its_own(place, tmp_path):
    """With -q nothing is added to stderr either."""
    argv = [PY, "-c", "import sys; sys.stderr.write('only this\\n')"]
    traced = outcome([places.COMMAND, "run", "-o", str(tmp_path / "trace"), "-q", "--", *argv], place, b"")
    assert traced.stderr == b"only this\n"


def talk_to_python(words):
    """The status in which it ends."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(PYTHON_BASIC_REPL="1", TERM="dumb")
        os.environ.pop("PYTHONSTARTUP", None)
        os.execv(words[0], words)
    try:
        read_until(terminal, b">>> ")
        os.write(terminal, b"print(6 * 7)\n")
        assert b"42" in read_until(terminal, b"42\r\n>>> ")
        os.write(terminal, b"import time; time.sleep(60)\n")
        time.sleep(1)
        os.write(terminal, b"\x03")
        assert b"KeyboardInterrupt" in read_until(terminal, b"KeyboardInterrupt\r\n>>> ")
        os.write(terminal, b"import sys; sys.exit(3)\n")
        rest = read_until(terminal, None)
        assert b"Traceback" not in rest
    finally:
        status = wait_for(pid)
        os.close(terminal)
    return status


def test_interactive_python(tmp_path):
    """A terminal: the prompt comes, lines are answered as they are typed, and the terminal stays usable. From 3.14 on
    Python by itself dies of a Ctrl-C that came before, whatever it exits with."""
    traced = talk_to_python([places.COMMAND, "run", "-o", str(tmp_path / "trace"), "-q", "--", PY, "-q"])
    assert traced == talk_to_python([PY, "-q"])


def test_interactive_shell_with_jobs(tmp_path):
    """A shell with job control under pinsight run: Ctrl-Z stops a job of it, not pinsight."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(PS1="ready> ", TERM="dumb")
        os.execv(places.COMMAND, [places.COMMAND, "run", "-o", str(tmp_path / "trace"), "-q", "--",
                                  "bash", "--norc", "--noprofile", "-i"])
    try:
        read_until(terminal, b"ready> ")
        os.write(terminal, b"sleep 50\n")
        time.sleep(0.5)
        os.write(terminal, b"\x1a")
        assert b"Stopped" in read_until(terminal, b"ready> ")
        # It asks once; then the kernel ends what is stopped. (A job that is killed meanwhile, it may miss.)
        os.write(terminal, b"exit 6\n")
        assert b"stopped jobs" in read_until(terminal, b"ready> ")
        os.write(terminal, b"exit 6\n")
        read_until(terminal, None)
    finally:
        status = wait_for(pid)
        os.close(terminal)
    assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 6


def read_until(terminal, wanted, seconds=30):
    """Reads until `wanted` comes (None: until the end)."""
    got = b""
    end = time.monotonic() + seconds
    while wanted is None or wanted not in got:
        ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
        assert ready, "nothing more than %r came" % got
        try:
            more = os.read(terminal, 4096)
        except OSError:
            more = b""
        if not more:
            assert wanted is None, "the end came after %r" % got
            return got
        got += more
    return got


def wait_for(pid, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise AssertionError("it did not end")


def test_ctrl_c_with_plain(python, tmp_path):
    """Python dies of the signal by itself, so that a shell's loop ends."""
    program = tmp_path / "program.py"
    program.write_text("import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(1)\n")
    alone = subprocess.run([python.path, str(program)], stderr=subprocess.DEVNULL)
    traced = subprocess.run([places.COMMAND, "run", "-o", str(tmp_path / "trace"), "-q", "--no-summary", "--", python.path,
                             str(program)], stderr=subprocess.PIPE, env=dict(os.environ, PINSIGHT_PLAIN="1"))
    assert alone.returncode == -signal.SIGINT
    assert traced.returncode in (-signal.SIGINT, 128 + signal.SIGINT), traced.stderr.decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGQUIT])
def test_signals_are_passed_on(number, tmp_path):
    """A signal sent to pinsight run reaches the command, and its status comes back."""
    # One that comes just before time.sleep() waits is Python's to notice after it: so it sleeps for short.
    program = ("import signal, sys, time\nsignal.signal(%d, lambda *a: sys.exit(42))\nprint('ready', flush=True)\n"
               "for _ in range(600):\n    time.sleep(0.05)\n" % number)
    process = subprocess.Popen([places.COMMAND, "run", "-o", str(tmp_path / "trace"), "-q", "--", PY, "-c", program],
                               stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(number)
    assert process.wait(20) == 42
    process.stdout.close()
