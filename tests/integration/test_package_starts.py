"""The ways in of the package `pinsight`: python -m pinsight, PINSIGHT=1, PYTHONSTARTUP."""
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

from support import places
from support.listening import clean
from support.pythons import pythons
from support.traces import Trace

# In a session that somebody else made.
pytestmark = pytest.mark.recorder("lttng")

# What the program sees of how it was started.
PROBE = """\
import os, sys
main = sys.modules["__main__"]
print(sys.argv, repr(sys.path[0]), __name__, getattr(main, "__file__", None))
print(getattr(main.__spec__, "name", None), main.__package__, sys.flags, sys.warnoptions, sys._xoptions)
# atexit and gc are built in; the tracer ends with the one, and collections are recorded by the other.
with open(os.environ["PROBE_OUT"], "w") as file:
    print(sys.executable, sys.prefix, sorted(set(sys.modules) - {"atexit", "gc"}), file=file)
def inner(how):
    if how == "raise": raise ValueError(how)
    if how == "exit": sys.exit(3)
    if how == "text": sys.exit("a text")
    if how == "kill": os.kill(os.getpid(), 15)
    if how == "leave": os._exit(9)
    if how == "read": print(sys.stdin.read())
for word in sys.argv[1:]: inner(word)
"""


# python -m pinsight

STARTS = {
    "script": ["probe.py", "a", "-o", "--"],
    "script elsewhere": ["below/probe.py"],
    "absolute": ["$HERE/probe.py", "-q"],
    "module": ["-m", "probe", "a", "-m"],
    "module attached": ["-mprobe"],
    "package": ["-m", "package", "x"],
    "code": ["-c", PROBE, "b", "-c"],
    "folder": ["folder", "y"],
    "zip": ["app.zip", "z"],
    "standard input": ["-", "a"],
    "exit": ["probe.py", "exit"],
    "text": ["probe.py", "text"],
    "traceback": ["probe.py", "raise"],
    "traceback in a module": ["-m", "probe", "raise"],
    "killed": ["probe.py", "kill"],
    "left": ["probe.py", "leave"],
    "not there": ["nothing.py"],
    "no such module": ["-m", "nothing.at.all"],
    "syntax error": ["-c", "def"],
    "reads": ["probe.py", "read"],
}
FLAGS = [[], ["-O"], ["-X", "dev", "-W", "error::UserWarning"], ["-I"], ["-E", "-s", "-u", "-Wdefault"], ["-bBq"]]


def write_probe(folder):
    for name in ("probe.py", "below/probe.py", "folder/__main__.py", "package/__main__.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(PROBE)
    shutil.make_archive(str(folder / "app"), "zip", folder / "folder")


ADDRESS = re.compile(r"0x[0-9a-f]+|(?<=/)trace-\w+")


def run_probe(words, folder, out):
    env = clean(PROBE_OUT=str(folder / out))
    given = PROBE if "-" in words[-2:] else "given"
    done = subprocess.run(words, cwd=folder, env=env, input=given.encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)
    seen = (folder / out).read_text() if (folder / out).exists() else None
    return done.returncode, ADDRESS.sub("", done.stdout.decode()), ADDRESS.sub("", done.stderr.decode()), seen


@pytest.mark.parametrize("start", STARTS)
def test_the_program_sees_no_difference(installed, tmp_path, newest, start):
    same_with_and_without(installed, tmp_path, newest, [], start)


@pytest.mark.parametrize("flags", FLAGS[1:], ids=" ".join)
def test_interpreter_options_are_kept(installed, tmp_path, end, flags):
    same_with_and_without(installed, tmp_path, end, flags, "script")


def same_with_and_without(installed, tmp_path, python, flags, start):
    write_probe(tmp_path)
    words = [word.replace("$HERE", str(tmp_path)) for word in STARTS[start]]
    path = installed(python)
    alone = run_probe([path, *flags, *words], tmp_path, "alone")
    traced = run_probe([path, *flags, "-m", "pinsight", "-q", "-o", "trace-x", *words], tmp_path, "traced")
    assert traced == alone
    if start == "script":
        assert Trace(tmp_path / "trace-x").calls("inner") == len(words) - 1


@pytest.mark.smoke
def test_summary_and_options(installed, tmp_path, newest):
    (tmp_path / "app.py").write_text("def seen(): return len('abc')\nfor i in range(7): seen()\n")
    done = subprocess.run([installed(newest), "-m", "pinsight", "--events", "function", "--names=registry", "-o",
                           "here", "app.py"], cwd=tmp_path, env=clean(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"seen" in done.stderr
    trace = Trace(tmp_path / "here")
    assert trace.calls("seen") == 7 and trace.counts["begin"] > 0
    assert trace.counts["c_begin"] == trace.counts["c_call_begin"] == 0


WRONG = {
    "no program": [],
    "no program after options": ["-q", "--names", "inline"],
    "unknown option": ["--no-such-option", "probe.py"],
    "unknown letter": ["-qz", "probe.py"],
    "an option of the interpreter": ["-O", "probe.py"],
    "-- and an option": ["--", "-O", "probe.py"],
    "no value": ["-o"],
    "a value too many": ["--lossless=yes", "probe.py"],
    "no module": ["-m"],
    "a wrong value": ["--names", "long", "probe.py"],
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_command_lines(newest, tmp_path, case):
    (tmp_path / "probe.py").write_text("print('ran')")
    done = subprocess.run([newest.path, "-m", "pinsight", *WRONG[case]], cwd=tmp_path, stdin=subprocess.DEVNULL,
                          env=clean(PYTHONPATH=str(places.PACKAGES)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b""), said
    assert said.startswith("pinsight: ") and "Traceback" not in said
    assert os.listdir(tmp_path) == ["probe.py"]


def test_help(newest):
    done = subprocess.run([newest.path, "-m", "pinsight", "--help"], env=clean(PYTHONPATH=str(places.PACKAGES)),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0 and b"python -m pinsight" in done.stdout and b"--lossless" in done.stdout


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_help_that_cannot_be_written(newest, unbuffered):
    with open("/dev/full", "w") as full:
        done = subprocess.run([newest.path, "-m", "pinsight", "--help"], stdout=full, stderr=subprocess.PIPE,
                              env=clean(PYTHONPATH=str(places.PACKAGES), PYTHONUNBUFFERED=unbuffered))
    assert (done.returncode, done.stderr) == (1, b"pinsight: the output could not be written: No space left on device\n")


def command_line_module():
    path = places.PACKAGES / "pinsight" / "_command_line.py"
    sys.path.insert(0, str(places.PACKAGES))
    try:
        return importlib.import_module("pinsight._command_line")
    finally:
        sys.path.remove(str(path.parent.parent))


@pytest.mark.smoke  # of the command, and with either recorder
def test_options_are_those_of_run():
    module = command_line_module()
    said = subprocess.run([places.COMMAND, "run", "--help"], stdout=subprocess.PIPE, check=True).stdout.decode()
    with_value, without = set(), set()
    for line in said.splitlines():
        match = re.match(r" +((?:-\w, )?--[\w-]+)( [A-Z]\S*)?", line)
        if match:
            (with_value if match.group(2) else without).update(match.group(1).split(", "))
    assert with_value - {"-c"} == module.WITH_VALUE  # there -c is the interpreter's: CODE
    assert without - {"-h", "--help"} == module.WITHOUT_VALUE


def test_without_the_command(tmp_path, newest):
    shutil.copytree(places.PACKAGES / "pinsight", tmp_path / "pinsight")
    done = subprocess.run([newest.base, "-m", "pinsight", "-c", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=clean(PYTHONPATH=str(tmp_path), PATH="/nonexistent", HOME=str(tmp_path)))
    assert done.returncode == 127
    assert done.stderr.startswith(b"pinsight: the command `pinsight` is neither")


@pytest.mark.parametrize("words, options", [
    (["python", "-m", "pinsight"], []),
    (["python", "-Im", "pinsight"], ["-I"]),
    (["python", "-X", "dev", "-W", "error", "-O", "-mpinsight"], ["-X", "dev", "-W", "error", "-O"]),
    (["python", "-Wd", "-Xdev", "-BEm", "pinsight"], ["-Wd", "-Xdev", "-BE"]),
    (["python", "--check-hash-based-pycs", "always", "-u", "-m", "pinsight", "-m", "x"],
     ["--check-hash-based-pycs", "always", "-u"]),
])
def test_interpreter_options_are_read(monkeypatch, words, options):
    module = command_line_module()
    monkeypatch.setattr(module, "original_words", lambda: words)
    assert module.interpreter_options() == options


# PINSIGHT=1 and PYTHONSTARTUP

SEEN = "import sys\ndef seen(): pass\nseen()\nprint('pinsight' in sys.modules)\n"


def test_start_up_hook(installed, listening, end):
    """PINSIGHT=1 traces, in isolated mode too; -S leaves out what reads .pth files."""
    traced = {"plain": [], "isolated": ["-I"], "no_environment": ["-E"], "no_user_site": ["-s"]}
    for name, flags in dict(traced, no_site=["-S"]).items():
        result = listening.run(installed(end), *flags, "-c", SEEN.replace("seen", name),
                               env={"PINSIGHT": "1", "PYTHONPATH": ""})
        assert result == (0, "%s\n" % (name in traced), ""), name
    trace = listening.trace()
    assert {name: trace.calls(name) for name in traced} == dict.fromkeys(traced, 1)
    assert trace.calls("no_site") == 0
    trace.assert_balanced()


@pytest.mark.parametrize("value", [None, "", "0", "yes"])
def test_start_up_hook_is_off(installed, newest, value):
    env = clean(**({} if value is None else {"PINSIGHT": value}))
    done = subprocess.run([installed(newest), "-c", SEEN], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"False\n", b"")


def test_start_up_hook_in_children(installed, listening, newest):
    rc, out, said = listening.run(installed(newest), "-c", """
import multiprocessing, subprocess, sys
def in_parent(): pass
if __name__ == "__main__":
    in_parent()
    subprocess.run([sys.executable, "-c", "def in_child(): pass\\nin_child()"], check=True)
    process = multiprocessing.get_context("spawn").Process(target=print)
    process.start()
    process.join()
""", env={"PINSIGHT": "1", "PYTHONPATH": "", "PINSIGHT_EVENTS": "function"})
    assert (rc, out, said) == (0, "\n", "")
    trace = listening.trace()
    assert trace.calls("in_parent") == 1 and trace.calls("in_child") == 1
    assert len({thread.pid for thread in trace.threads}) >= 3


def test_start_up_hook_with_a_wrong_word(installed, newest):
    """It is said, once, and the program runs."""
    done = subprocess.run([installed(newest), "-c", "print('ran')"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=clean(PINSIGHT="1", PINSIGHT_EVENTS="functions"))
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (0, b"ran\n", 1)
    assert done.stderr.startswith(b"pinsight: ") and b"PINSIGHT_EVENTS: unknown event 'functions'" in done.stderr


def test_start_up_hook_under_run(installed, run_command, newest):
    """Both at once: everything is recorded once."""
    result = run_command(installed(newest), "-c", "def seen(): pass\nseen()", env={"PINSIGHT": "1"})
    assert result.rc == 0
    assert result.trace.calls("seen") == 1
    result.trace.assert_balanced()


def test_start_up_hook_without_the_package(tmp_path, newest):
    """The .pth file stays behind when someone deletes the package: nobody is told at each start."""
    venv = tmp_path / "venv"
    subprocess.run([newest.base, "-m", "venv", "--without-pip", str(venv)], check=True)
    path = str(venv / "bin" / "python")
    site = subprocess.run([path, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"],
                          stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    shutil.copy(places.PACKAGES / "pinsight.pth", site)
    done = subprocess.run([path, "-c", "print(5)"], env=clean(PINSIGHT="1"), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"5\n", b"")


def test_interactive_start_up_file(listening, end):
    """PYTHONSTARTUP traces a session, and leaves no name behind in it; a script does not look at it."""
    file = str(places.PACKAGES / "pinsight" / "interactive.py")
    session = b"def seen(): pass\n\nseen()\nprint(sorted(name for name in dir() if name[0] != '_' or 'pins' in name))\n"
    rc, out, _ = listening.run(end.path, "-i", "-q", input=session, stdin=None,
                               env={"PYTHONSTARTUP": file, "PYTHONPATH": "", "PYTHON_BASIC_REPL": "1"})
    assert (rc, out) == (0, "['seen']\n")
    rc, out, said = listening.run(end.path, "-c", "def script(): pass\nscript()",
                                  env={"PYTHONSTARTUP": file, "PYTHONPATH": ""})
    assert (rc, out, said) == (0, "", "")
    trace = listening.trace()
    assert trace.calls("seen") == 1 and trace.calls("script") == 0


def test_interrupt_goes_to_the_program(installed, tmp_path, newest):
    program = tmp_path / "waits.py"
    program.write_text("import time\ntry: print('ready', flush=True); time.sleep(60)\n"
                       "except KeyboardInterrupt: print('interrupted'); raise SystemExit(4)\n")
    process = subprocess.Popen([installed(newest), "-m", "pinsight", "-q", "-o", str(tmp_path / "trace"),
                                str(program)], env=clean(), stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout.readline() == b"ready\n"
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert (process.returncode, out) == (4, b"interrupted\n")


def test_syntax_of_the_oldest_python():
    """Every file of the package compiles with the oldest Python that an extension was built for."""
    oldest = pythons()[0] if pythons() else places.missing("a CPython that an extension was built for")
    files = [str(path) for path in sorted(places.PACKAGES.rglob("*.py"))]
    program = "import sys\nfor file in sys.argv[1:]: compile(open(file).read(), file, 'exec')"
    subprocess.run([oldest.path, "-I", "-c", program, *files], check=True)
