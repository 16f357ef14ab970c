"""Every way in which a Python can be started is traced, without a change to it: interpreter by interpreter.

All ways of one interpreter run below one `pinsight run`; each calls a function of its own, way_<name>, once.
"""
import os
import re
import shutil
import stat
import subprocess
import zipfile

import pytest

from support import places

# name: shell text. $PY is the interpreter, the folder is the current one; file(name) below wrote NAME.py, which calls
# way_NAME() once.
WAYS = {
    "command": "$PY -c 'def way_command(): pass\nway_command()'",
    "script": "$PY script.py",
    "isolated": "$PY -I isolated.py",
    "no_environment": "$PY -E no_environment.py",
    "no_site": "$PY -S no_site.py",
    "nothing": "$PY -I -S -E -s -B nothing.py",
    "optimised": "$PY -OO optimised.py",
    "developer": "$PY -X dev developer.py",
    "debug_malloc": "PYTHONMALLOC=debug $PY debug_malloc.py",
    "module": "PYTHONPATH=. $PY -m module",
    "folder": "$PY folder_app",
    "zip": "$PY zip_app.zip",
    "zipapp": "./zipapp",
    "stdin": "$PY < stdin.py",
    "dash": "cat dash.py | $PY - argument",
    "interactive": "$PY -i interactive.py </dev/null 2>/dev/null",
    "venv": "venv/bin/python venv.py",
    "hash_bang": "./hash_bang",
    "hash_bang_isolated": "./hash_bang_isolated",
    "bash": "bash -c \"$PY bash.py; true\"",
    "env": "env A=1 nice $PY env.py",
    "background": "$PY background.py & wait",
    "exec": "exec $PY exec.py",
    "subprocess": "$PY -c 'import subprocess, sys; sys.exit(subprocess.call([sys.executable, \"subprocess_.py\"]))'",
    "preexec": "$PY -c 'import subprocess, sys; sys.exit(subprocess.call([sys.executable, \"preexec.py\"],"
               " preexec_fn=lambda: None, close_fds=True))'",
    "execv": "$PY -c 'import os, sys; os.execv(sys.executable, [sys.executable, \"execv.py\"])'",
    "posix_spawn": "$PY -c 'import os, sys; os.waitpid(os.posix_spawn(sys.executable,"
                   " [sys.executable, \"posix_spawn.py\"], os.environ), 0)'",
    "system": "$PY -c 'import os, sys; sys.exit(os.system(sys.executable + \" system.py\"))'",
    "spawn": "$PY spawn.py",
    "forkserver": "$PY forkserver.py",
    "fork": "$PY fork.py",
    "forkpty": "$PY forkpty.py",
    "threads_and_fork": "$PY threads_and_fork.py",
}

CHILD = """
import multiprocessing
def way_{name}(): pass
if __name__ == "__main__":
    context = multiprocessing.get_context("{name}")
    process = context.Process(target=way_{name})
    process.start()
    process.join()
    assert process.exitcode == 0, process.exitcode
"""

PROGRAMS = {
    "spawn": CHILD.format(name="spawn"),
    "forkserver": CHILD.format(name="forkserver"),
    "fork": CHILD.format(name="fork"),
    "forkpty": """
import os
def way_forkpty(): pass
pid, terminal = os.forkpty()
if pid == 0:
    way_forkpty()
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
""",
    "threads_and_fork": """
import os, threading, warnings
warnings.simplefilter("ignore")
def way_threads_and_fork(): pass
stop = threading.Event()
def other():
    while not stop.is_set(): stop.wait(0.001)
thread = threading.Thread(target=other)
thread.start()
pid = os.fork()
if pid == 0:
    way_threads_and_fork()
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
stop.set()
thread.join()
""",
}


def executable(path, text):
    path.write_bytes(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def write_programs(folder, python):
    for name in WAYS:
        text = PROGRAMS.get(name, "def way_{0}(): pass\nway_{0}()\n".format(name))
        file = "subprocess_.py" if name == "subprocess" else name + ".py"
        (folder / file).write_text(text)
    (folder / "folder_app").mkdir()
    shutil.copy(folder / "folder.py", folder / "folder_app" / "__main__.py")
    for name in ("zip", "zipapp"):
        with zipfile.ZipFile(folder / (name + "_app.zip"), "w") as archive:
            archive.write(folder / (name + ".py"), "__main__.py")
    venv = folder / "venv"
    subprocess.run([python, "-m", "venv", "--without-pip", str(venv)], check=True)
    executable(folder / "zipapp", b"#!%s\n" % os.fsencode(python) + (folder / "zipapp_app.zip").read_bytes())
    executable(folder / "hash_bang", b"#!%s\n" % os.fsencode(venv / "bin" / "python")
               + (folder / "hash_bang.py").read_bytes())
    executable(folder / "hash_bang_isolated", b"#!%s -I\n" % os.fsencode(python)
               + (folder / "hash_bang_isolated.py").read_bytes())


def has_extension(python):
    return os.path.exists(places.LIBDIR / ("_pinsight_python-%s.so" % python.short))


def test_every_way_is_traced(run_command, request, tmp_path, any_python):
    if not has_extension(any_python):
        places.missing("the extension for Python %s" % any_python.short)
    work = tmp_path / "work"
    work.mkdir()
    python = places.plain_path(any_python.base, tmp_path)
    write_programs(work, python)
    script = ["unset PYTHONPATH PYTHONDONTWRITEBYTECODE", "PY=%s" % python, "failed="]
    for name, text in WAYS.items():
        script.append("( %s\n) || failed=\"$failed %s:$?\"" % (text, name))
    script.append("echo \"failed:$failed\"")
    result = run_command("bash", "-c", "\n".join(script), options=["--events", "function", "--lossless"],
                         timeout=300, cwd=work)
    assert result.rc == 0, result.stderr
    assert result.stdout.splitlines()[-1:] == ["failed:"], result.stdout + result.stderr
    trace = result.trace
    calls = {name: trace.calls("way_" + name) for name in WAYS}
    assert calls == dict.fromkeys(WAYS, 1)
    for thread in trace.threads:
        wrong = thread.unbalanced()
        if any(moment.name == "way_execv" for moment in thread.moments):
            # os.execv() does not return: what had begun there never ends.
            assert wrong is None or wrong.startswith("never ended: [('begin', '<module>', 'start')]"), wrong
        else:
            assert wrong is None, wrong
    request.node.user_properties.append(
        ("traced", "%s; %s" % (any_python.mechanism, ".".join(map(str, any_python.version)))))


def test_a_child_of_fork_has_events_of_its_own_only(run_traced, python):
    result = run_traced(python, """
import os, warnings
warnings.simplefilter("ignore")
def before(): pass
def parent(): pass
def child(): pass
before()
pid = os.fork()
if pid:
    os.waitpid(pid, 0)
    parent()
    print(os.getpid(), pid)
else:
    child()
    os._exit(0)
""", "--lossless")
    parent, child = map(int, result.stdout.split())
    begun = {(thread.pid, moment.name) for thread in result.trace.threads for moment in thread.moments
             if moment.kind == "begin" and moment.name in ("before", "parent", "child")}
    assert begun == {(parent, "before"), (parent, "parent"), (child, "child")}
    pids = {event.fields["pid"] for event in result.trace.infos["process_info"]}
    assert {parent, child} <= pids


FORK_IN_THREAD = """
import os, sys, threading, time, warnings
warnings.simplefilter("ignore")
def outlives():
    time.sleep(float(sys.argv[1]))
    os.write(1, b"last\\n")
def forks():
    pid = os.fork()
    if pid == 0:
        thread = threading.Thread(target=outlives)
        thread.start()
        if sys.argv[2] == "joined": thread.join()
        return
    status = os.waitpid(pid, 0)[1]
    print("child", status)
thread = threading.Thread(target=forks)
thread.start()
"""


@pytest.mark.parametrize("arguments", [("0", "joined"), ("0", "alone"), ("0.3", "alone")], ids="-".join)
@pytest.mark.parametrize("lossless", ["--lossless", "-q"])
def test_a_child_forked_in_a_thread_ends(run_traced, python, tmp_path, arguments, lossless):
    """Its first thread ends as a thread does, without exit(): the process ends with the last of the program's
    threads, though LTTng's and the tracer's own are still there."""
    program = tmp_path / "forks.py"
    program.write_text(FORK_IN_THREAD)
    alone = subprocess.run([python.path, str(program), *arguments], stdout=subprocess.PIPE, timeout=60)
    result = run_traced(python, program, lossless, arguments=arguments, timeout=60)
    assert (result.rc, result.stdout) == (0, "last\nchild 0\n") == (alone.returncode, alone.stdout.decode())
    assert result.trace.calls("outlives") == 1


@pytest.mark.parametrize("name", ["pinsight-app", "an-app"])
def test_threads_are_not_taken_for_the_tracers_by_their_name(run_command, newest, tmp_path, name):
    """The kernel calls a script's process, and so its threads, after the script."""
    program = tmp_path / name
    program.write_text("#!%s\n%s" % (places.plain_path(newest.path, tmp_path), FORK_IN_THREAD))
    program.chmod(0o755)
    result = run_command(program, "0.5", "alone")
    assert (result.rc, result.stdout) == (0, "last\nchild 0\n")


FORKS = """
import os, sys, threading, warnings
warnings.simplefilter("always")
stop = threading.Event()
if "thread" in sys.argv:
    threading.Thread(target=stop.wait).start()
pid = os.fork()
if pid == 0: os._exit(0)
print(os.waitpid(pid, 0)[1])
stop.set()
"""


@pytest.mark.parametrize("arguments", [(), ("thread",)], ids=["alone", "with a thread"])
def test_a_fork_warns_as_without(run_traced, newest, tmp_path, arguments):
    """CPython 3.12 warns of a fork among threads; those of LTTng are none of the program's."""
    program = tmp_path / "forks.py"
    program.write_text(FORKS)
    alone = subprocess.run([newest.path, str(program), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (b"multi-threaded" in alone.stderr) == (bool(arguments) and newest.version >= (3, 12))
    result = run_traced(newest, program, "-q", arguments=arguments)
    assert result.stdout == alone.stdout.decode() == "0\n"
    number = re.compile(r"pid=\d+")
    assert number.sub("", result.stderr) == number.sub("", alone.stderr.decode())


def test_closing_all_descriptors_leaves_the_tracer_its_own(run_traced, python):
    result = run_traced(python, """
import os
def late(): pass
os.closerange(3, 4096)
for fd in range(3, 64):
    try: os.close(fd)
    except OSError: pass
for number in range(100): late()
print(os.open("/dev/null", os.O_RDONLY) >= 3)
""", "--lossless")
    assert result.stdout == "True\n"
    assert result.trace.calls("late") == 100


def test_not_reached_and_not_harmed(run_command, tmp_path):
    """A static program has no preload. (An emptied environment is in test_environments.)"""
    compiler = shutil.which("gcc")
    if compiler:
        source = tmp_path / "static.c"
        source.write_text("int main(void) { return 7; }\n")
        built = subprocess.run([compiler, "-static", "-o", str(tmp_path / "static"), str(source)])
        if built.returncode == 0:
            assert run_command(tmp_path / "static").rc == 7


def test_nothing_is_said_into_a_file_that_has_the_number_of_stderr(run_command, python, tmp_path):
    """The program has no stderr; the first file that it opens has its number."""
    program = tmp_path / "program.py"
    program.write_text("""
import os, cProfile
file = os.open("out", os.O_RDWR | os.O_CREAT)
with cProfile.Profile():  # one tool too many before 3.12
    sum([1])
if hasattr(os.sys, "monitoring"):
    for number in range(6):
        try: os.sys.monitoring.use_tool_id(number, "mine")
        except ValueError: pass
    import pinsight
    pinsight.set_mode("Python", "OFF")
    for number in range(6):
        try: os.sys.monitoring.use_tool_id(number, "mine")
        except ValueError: pass
    pinsight.set_mode("Python", "TRACING")  # no tool id is left
os.lseek(file, 0, 0)
print(file, os.read(file, 999))
""")
    result = run_command("bash", "-c", '"$0" "$1" 2>&-', python.path, program, env={"PYTHONPATH": str(places.PACKAGES)})
    assert (result.rc, result.stdout) == (0, "2 b''\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_descriptors(run_command, newest, closed):
    program = "import os, sys; os.write(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT), b'mine')"
    result = run_command("bash", "-c", '"$0" -c "$1" out %s; rc=$?; cat out; exit $rc' % closed, newest.path, program)
    assert (result.rc, result.stdout) == (0, "mine")


def library_without(tmp_path, python):
    """A folder with all that is in lib/pinsight but the extension for one Python."""
    folder = tmp_path / "lib"
    folder.mkdir()
    for entry in os.listdir(places.LIBDIR):
        if not entry.startswith(("_pinsight_python-%s.so" % python.short, "_pinsight_python-%s-" % python.short)):
            os.symlink(places.LIBDIR / entry, folder / entry)
    return folder


def test_python_without_its_extension(run_command, tmp_path, python):
    """One message for the whole run, with the cure; the programs run, also where memory is checked."""
    folder = library_without(tmp_path, python)
    words = " ".join("\"$0\" %s -c 'print(%d)';" % (option, place) for place, option in enumerate(["", "-X dev", "-I -S"]))
    result = run_command("bash", "-c", words, python.path, env={"PINSIGHT_LIBDIR": str(folder)})
    assert (result.rc, result.stdout) == (0, "0\n1\n2\n")
    said = [line for line in result.stderr.splitlines() if "no extension for Python" in line]
    assert len(said) == 1, result.stderr
    assert "Python %s" % python.short in said[0] and "make build" in said[0] and str(folder) in said[0]
    # What is missing is said once more, and no other reason is looked for.
    for screen in (result.stderr, result.report_text()):
        assert "Programs of Python %s ran untraced" % python.short in " ".join(screen.split())
        assert "No Python was seen" not in screen


def test_extension_that_cannot_be_loaded(run_command, tmp_path, newest):
    folder = library_without(tmp_path, newest)
    (folder / ("_pinsight_python-%s.so" % newest.short)).write_text("no library\n")
    result = run_command(newest.path, "-X", "dev", "-c", "print(5)", env={"PINSIGHT_LIBDIR": str(folder)})
    assert (result.rc, result.stdout) == (0, "5\n")
    assert result.stderr.count("cannot load the Python extension") == 1
    assert "A Python ran untraced" in result.stderr and "No Python was seen" not in result.stderr


def test_domains_without_python(newest, tmp_path):
    """Nothing of LTTng comes into a process that is not to be traced."""
    preload = places.plain_path(places.LIBDIR / "libpinsight-preload.so", tmp_path)
    done = subprocess.run([newest.path, "-c", "print('liblttng-ust' in open('/proc/self/maps').read())"],
                          stdout=subprocess.PIPE, env=dict(os.environ, LD_PRELOAD=preload, PINSIGHT_DOMAINS="cuda",
                                                           PINSIGHT_LIBDIR=str(places.LIBDIR)))
    assert done.stdout == b"False\n"


def test_preload_needs_libc_only():
    said = subprocess.run(["readelf", "-d", str(places.LIBDIR / "libpinsight-preload.so")], stdout=subprocess.PIPE,
                          check=True).stdout.decode()
    assert set(re.findall(r"NEEDED.*\[(.*)\]", said)) <= {"libc.so.6", "libdl.so.2"}


def test_preload_alone_changes_nothing(newest, tmp_path):
    """Without PINSIGHT_LIBDIR, as when a variable was lost on the way, it does nothing."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("PINSIGHT")}
    env["LD_PRELOAD"] = places.plain_path(places.LIBDIR / "libpinsight-preload.so", tmp_path)
    done = subprocess.run([newest.path, "-X", "dev", "-c", "import os; os.close(os.dup(0)); print(os.getpid() > 0)"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"True\n", b"")
