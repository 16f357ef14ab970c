"""What a new user types first: a program's file, wrong names, a report without a trace, the same folder again."""
import os
import re
import signal
import subprocess

import pytest

from support import places, world
from support.traces import Trace

PROGRAM = "import sys\ndef work(): pass\nfor _ in range(5): work()\nprint(sys.argv)\n"


@pytest.fixture
def here(tmp_path, newest):
    """A folder with a program; here(words...) runs `pinsight words...` there, with one Python on PATH."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").write_text('#!/bin/sh\nexec "%s" "$@"\n' % newest.path)
    (tmp_path / "bin" / "python3").chmod(0o755)
    (tmp_path / "app.py").write_text(PROGRAM)

    def run(*words, path=None):
        env = dict(os.environ, PATH=path or "%s:/usr/bin:/bin" % (tmp_path / "bin"), COLUMNS="80")
        return subprocess.run([places.COMMAND, *words], cwd=str(tmp_path), env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    run.folder = tmp_path
    return run


@pytest.mark.parametrize("verb", [["run", "--no-summary"], ["run", "--no-summary", "--"], []], ids=["run", "--", "none"])
def test_a_programs_file(here, verb):
    """It runs in the python3 of PATH, which is said, and its words are its own."""
    done = here(*verb, "app.py", "--quiet", "-x")
    assert (done.returncode, done.stdout) == (0, "['app.py', '--quiet', '-x']\n"), done.stderr
    said = done.stderr.splitlines()[0]
    assert said == "pinsight: app.py runs in %s, the first python3 on PATH" % (here.folder / "bin" / "python3")
    assert Trace(here.folder / "pinsight-app-1").calls("work") == 5


def test_a_quiet_run_says_nothing(here):
    done = here("run", "-q", "app.py")
    assert (done.returncode, done.stderr) == (0, "")


def test_small_numbers(here):
    for number in (1, 2, 3):
        done = here("run", "--no-summary", "-q", "app.py")
        assert done.returncode == 0 and (here.folder / ("pinsight-app-%d" % number)).is_dir()


@pytest.mark.parametrize("executable", [False, True])
@pytest.mark.parametrize("name", ["tool", "./tool", "tool.py"])
def test_the_first_line_names_it(here, name, executable):
    """Its interpreter runs the file, also one that may not be executed, or that is not on PATH."""
    script = here.folder / name
    script.write_text("#!/usr/bin/env python3\n" + PROGRAM)
    script.chmod(0o755 if executable else 0o644)
    done = here("run", "--no-summary", name, "-x")
    assert done.returncode == 0, done.stderr
    assert eval(done.stdout)[1:] == ["-x"] and os.path.basename(eval(done.stdout)[0]) == os.path.basename(name)
    silent = executable and name.startswith("./")
    assert ("tool" in done.stderr and "runs in /usr/bin/env python3, as its first line says" in done.stderr) != silent
    assert Trace(here.folder / "pinsight-tool-1").calls("work") == 5


def test_a_command_of_path_comes_first(here):
    (here.folder / "bin" / "app.py").write_text("#!/bin/sh\necho of PATH\n")
    (here.folder / "bin" / "app.py").chmod(0o755)
    assert here("run", "-q", "app.py").stdout == "of PATH\n"


def test_a_folder_with_a_main(here):
    (here.folder / "pkg").mkdir()
    (here.folder / "pkg" / "__main__.py").write_text(PROGRAM)
    done = here("pkg/")
    assert done.returncode == 0 and Trace(here.folder / "pinsight-pkg-1").calls("work") == 5


def test_a_name_like_an_option(here):
    (here.folder / "-x.py").write_text(PROGRAM)
    done = here("run", "-q", "--", "-x.py")
    assert (done.returncode, done.stdout) == (0, "['./-x.py']\n")


@pytest.mark.parametrize("words, status, said", [
    (["run", "apps.py"], 127, "apps.py: there is no such file here; did you mean app.py?"),
    (["apps.py"], 127, "did you mean app.py?"),
    (["run", "other.py"], 127, "other.py: there is no such file here; check its name"),
    (["run", "./other.py"], 127, "./other.py: there is no such file; check the path"),
    (["run", "bin"], 126, "bin: is a folder, not a command; Python runs one that has a file __main__.py"),
    (["run", "bin/"], 126, "bin/: is a folder"),
    (["run", "data.txt"], 127, "data.txt: the file here is no Python program"),
    (["run", "gone.py"], 127, "gone.py: its first line names /no/python, which is not there"),
    (["run", "./gone.py"], 127, "./gone.py: its first line names /no/python, which is not there"),
    (["run", "env.py"], 127, "env.py: its first line names python9, which is not there"),
    (["run", "./windows"], 127, "./windows: its lines end as those of Windows do"),
    (["run", "-m", "app"], 2, "unknown option '-m'"),
    (["nothing"], 2, "unknown verb 'nothing'"),
])
def test_wrong_names(here, words, status, said):
    """One line says what it is and what helps; nothing is left behind."""
    (here.folder / "data.txt").write_text("data\n")
    for name, first in (("gone.py", "#!/no/python\n"), ("env.py", "#!/usr/bin/env python9\n"),
                        ("windows", "#!/usr/bin/python3\r\n")):
        (here.folder / name).write_text(first)
        (here.folder / name).chmod(0o755)
    done = here(*words)
    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert done.stderr.startswith("pinsight: ") and said in done.stderr and done.stderr.count("\n") == 1
    assert not list(here.folder.glob("pinsight-*"))


def test_no_python_on_path(here):
    done = here("run", "app.py", path="/nowhere")
    assert done.returncode == 127
    assert "there is no python3 on PATH to run it; name one: pinsight run -- /path/to/python3 app.py" in done.stderr


def test_the_newest_trace(here):
    """Of those that began in the same second the one that ended last, whatever they are called."""
    done = here("report")
    assert done.returncode == 2 and "which trace? There is none in this folder" in done.stderr
    for folder in ("one", "b-two", "a-three"):
        assert here("run", "-q", "-o", folder, "app.py").returncode == 0
    done = here("report")
    assert done.returncode == 0 and "work" in done.stdout
    assert done.stderr == "pinsight: a-three, the newest of 3 traces in this folder\n"
    for file in (here.folder / "a-three", here.folder / "one"):
        times = os.stat(str(file / "pinsight-run.txt")).st_mtime_ns + 10 ** 9
        os.utime(str(file / "pinsight-run.txt"), ns=(times, times))
    info = (here.folder / "b-two" / "pinsight-run.txt")
    info.write_text(re.sub(r"(?m)^(started\W*)\d+", r"\g<1>2999", info.read_text()))
    for words in (["report", "--tree"], ["dump"], ["export", "--to", "csv", "-o", "-"], ["view", "--no-open"]):
        done = here(*words)
        assert done.returncode == 0 and "b-two, the newest of 3 traces in this folder" in done.stderr, done.stderr
    assert (here.folder / "b-two.html").exists()


def test_within_a_trace(here):
    here("run", "-q", "-o", "trace", "app.py")
    done = subprocess.run([places.COMMAND, "report"], cwd=str(here.folder / "trace"), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == 0 and "work" in done.stdout and done.stderr == ""


def test_force(here):
    """The trace of an earlier run goes; what is no part of one, and what is still recorded, stays."""
    assert here("run", "-q", "-o", "out", "app.py").returncode == 0
    done = here("run", "-q", "-o", "out", "app.py")
    assert done.returncode == 2 and "is not empty; --force removes a trace that is there" in done.stderr
    assert here("run", "-q", "--force", "-o", "out", "app.py").returncode == 0
    assert Trace(here.folder / "out").calls("work") == 5
    (here.folder / "out" / "notes.txt").write_text("mine")
    done = here("run", "-q", "--force", "-o", "out", "app.py")
    assert done.returncode == 2 and "has notes.txt in it, which is no part of the trace" in done.stderr
    done = here("run", "-q", "--force", "-o", "bin", "app.py")
    assert done.returncode == 2 and "--force removes traces of `pinsight run` alone" in done.stderr
    assert (here.folder / "bin" / "python3").exists()


def test_force_beside_a_run(here, newest):
    waits = subprocess.Popen([places.COMMAND, "run", "-q", "-o", "out", "--", newest.path, "-c",
                              "print('up', flush=True); import time; time.sleep(60)"], cwd=str(here.folder),
                             stdout=subprocess.PIPE)
    try:
        assert waits.stdout.readline() == b"up\n"
        done = here("run", "-q", "--force", "-o", "out", "app.py")
        assert done.returncode == 2 and "is still recorded into" in done.stderr
    finally:
        waits.send_signal(signal.SIGTERM)
        waits.wait()
    assert world.wait_until(lambda: here("run", "-q", "--force", "-o", "out", "app.py").returncode == 0, 20)
    assert Trace(here.folder / "out").calls("work") == 5
