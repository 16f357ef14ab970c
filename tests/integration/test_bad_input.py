"""Bad input: one clear message with a cure, the program still runs where it can, traces stay readable."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support import places

WORK = "def work():\n    return len('abc')\nfor _ in range(1000): work()\nprint('ran')\n"


def command(*argv, **how):
    how.setdefault("env", dict(os.environ))
    return subprocess.run([places.COMMAND, *[str(word) for word in argv]], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          errors="surrogateescape", timeout=60, **how)


def assert_one_message(text, *mentioned):
    """One line that starts with the program's name, says what, and what to do."""
    lines = [line for line in text.splitlines() if line.strip()]
    messages = [line for line in lines if line.startswith("pinsight: ")]
    assert len(messages) == 1, text
    for word in mentioned:
        assert re.search(word, text, re.I), "%r is not in %r" % (word, text)


@pytest.fixture
def recorded(tmp_path, newest, script):
    """A good trace, to be damaged."""
    folder = tmp_path / "good"
    done = command("run", "-o", folder, "--no-summary", "--", newest.path, script)
    assert done.returncode == 0 and done.stdout == "ran\n"
    return folder


# Words of the command line.

@pytest.mark.parametrize("argv, mentioned", [
    (["run", "--no-such-option", "--", "echo", "ran"], "no-such-option"),
    (["run", "--names", "purple", "--", "echo", "ran"], "purple.*(inline|registry)"),
    (["run", "--events", "function,purple", "--", "echo", "ran"], "purple"),
    (["run", "--domains", "Pyton", "--", "echo", "ran"], "Pyton"),
    (["run", "--buffer-size", "many", "--", "echo", "ran"], "many"),
    (["run", "--max-size", "-5", "--", "echo", "ran"], "-5"),
    (["run", "-o"], "-o"),
    (["run"], "command"),
    (["run", "--"], "command"),
    (["rum", "--", "echo", "ran"], "rum"),
    (["report"], "trace"),
    (["report", "--no-such-option", "x"], "no-such-option"),
    (["report", "--tree", "-xq", "x"], "'-x'"),
    (["report", "--format", "purple", "x"], "purple"),
    (["report", "--sort", "purple", "x"], "purple"),
    (["report", "--by", "purple", "x"], "purple"),
    (["report", "--limit", "few", "x"], "few"),
    (["dump"], "trace"),
    (["dump", "--no-such-option", "x"], "no-such-option"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_wrong_words(argv, mentioned, tmp_path):
    done = command(*argv, cwd=tmp_path)
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert_one_message(done.stderr, mentioned)
    assert os.listdir(tmp_path) == []


def test_wrong_mode_in_the_environment(tmp_path):
    done = command("run", "--", "echo", "ran", env=dict(os.environ, PINSIGHT_TRACE_PYTHON="TRACNG"), cwd=tmp_path)
    assert done.returncode != 0 and done.stdout == ""
    assert_one_message(done.stderr, "TRACNG", "TRACING")


def test_bare_command_and_help():
    bare = command()
    assert "run" in bare.stdout + bare.stderr and "report" in bare.stdout + bare.stderr
    for verb in ([], ["run"], ["report"], ["dump"]):
        done = command(*verb, "--help")
        assert done.returncode == 0 and done.stderr == "" and "pinsight" in done.stdout


@pytest.mark.parametrize("argv", [["--help"], ["--version"], ["help", "run"], ["run", "--help"], ["report", "--help"],
                                  ["dump", "--help"]], ids=" ".join)
def test_help_that_cannot_be_written(argv):
    with open("/dev/full", "w") as full:
        done = subprocess.run([places.COMMAND, *argv], stdout=full, stderr=subprocess.PIPE, encoding="utf-8",
                              timeout=60)
    assert done.returncode == 1
    assert_one_message(done.stderr, "could not be written.*No space left")


# The command that is to be traced.

@pytest.mark.parametrize("program, status", [("/nonexistent/program", 127), ("no-such-program", 127),
                                             ("/etc/passwd", 126), ("/tmp", 126)])
def test_command_that_cannot_start(program, status, tmp_path):
    done = command("run", "-o", tmp_path / "trace", "--", program)
    assert done.returncode == status
    assert done.stdout == ""
    assert_one_message(done.stderr, re.escape(program))


def test_command_that_fails_to_start(tmp_path):
    """Only the kernel finds out: the session is there by then, and nothing of it stays."""
    program = tmp_path / "program"
    program.write_text("#!/nonexistent/interpreter\nprint('ran')\n")
    program.chmod(0o755)
    done = command("run", "-o", tmp_path / "trace", "--", program)
    assert done.returncode == 127
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert_one_message(done.stderr, re.escape(str(program)))
    assert os.listdir(tmp_path) == ["program"]


def test_a_newer_form_of_traces(tmp_path):
    """CTF 2, as babeltrace2 2.1 writes it: nothing is damaged, and there is a way."""
    (tmp_path / "metadata").write_bytes(b'\x1e{"type":"preamble","version":2}\n\x1e{"type":"trace-class"}\n')
    (tmp_path / "stream").write_bytes(bytes(64))
    for verb in ("report", "dump"):
        done = command(verb, tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert_one_message(done.stderr, re.escape(str(tmp_path)), "CTF 2.* not read.*ctf-version")


def test_library_folder_that_is_not_there(tmp_path):
    done = command("run", "--", "true", env=dict(os.environ, PINSIGHT_LIBDIR="/nonexistent/lib"), cwd=tmp_path)
    assert done.returncode == 2
    assert_one_message(done.stderr, "PINSIGHT_LIBDIR names /nonexistent/lib.*No such file")


def test_python_without_an_extension(newest, script, tmp_path):
    """The library folder lacks the extension for this Python: the program runs, and is told why no trace."""
    libdir = tmp_path / "lib"
    shutil.copytree(places.LIBDIR, libdir, symlinks=True)
    for form in "", "-plain":
        (libdir / ("_pinsight_python-%s%s.so" % (newest.short, form))).unlink()
    done = command("run", "-o", tmp_path / "trace", "--", newest.path, script,
                   env=dict(os.environ, PINSIGHT_LIBDIR=str(libdir)))
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert len(re.findall(r"^pinsight: .*%s" % re.escape(newest.short), done.stderr, re.M)) == 1, done.stderr


# The folder for the trace.

def test_output_that_is_not_empty(tmp_path, newest):
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / "precious").write_text("kept")
    done = command("run", "-o", folder, "--", newest.path, "-c", "print('ran')")
    assert done.returncode != 0 and done.stdout == ""
    assert_one_message(done.stderr, re.escape(str(folder)), "empty")
    assert os.listdir(folder) == ["precious"]


@pytest.mark.parametrize("summary", [True, False])
def test_output_with_an_odd_name(tmp_path, newest, summary):
    """The lines that say how to go on can be typed as they are."""
    name = "it's a & b"
    done = command("run", "-o", name, *([] if summary else ["--no-summary"]), "--", newest.path, "-c", "pass", cwd=tmp_path)
    assert done.returncode == 0
    lines = [line.strip() for line in done.stderr.splitlines() if " report " in line]
    assert len(lines) == 1
    for line in lines:
        typed = line.split("  ")[1] if summary else line.split("next: ")[1]
        again = subprocess.run(typed, shell=True, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert (again.returncode, again.stderr) == (0, b""), typed


def test_output_that_is_empty(tmp_path, newest, script):
    folder = tmp_path / "empty"
    folder.mkdir()
    done = command("run", "-o", folder, "--", newest.path, script)
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert command("report", folder).returncode == 0


def test_output_beside_the_current_folder(tmp_path, newest, script):
    """LTTng takes no path with .. in it."""
    (tmp_path / "here").mkdir()
    for typed in ("../out", "./other", "../here/./third/.."):
        done = subprocess.run([str(places.COMMAND), "run", "-o", typed, "--no-summary", "--", newest.path, str(script)],
                              cwd=tmp_path / "here", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert (done.returncode, done.stdout) == (0, b"ran\n"), done.stderr
        assert b"nothing is recorded" not in done.stderr, done.stderr
    assert command("report", tmp_path / "out").returncode == 0


@pytest.mark.parametrize("where", ["/etc/passwd/trace", "/proc/trace"])
def test_output_that_cannot_be_written(where, newest):
    done = command("run", "-o", where, "--", newest.path, "-c", "print('ran')")
    assert done.returncode != 0 and done.stdout == ""
    assert_one_message(done.stderr, re.escape(where))


def test_output_that_fills_up(own_world, tmp_path, newest):
    """A file system of 4 MiB: the program runs to its end, there is a message, and the trace is readable. The
    description of events comes to disk once a second; what fills the disk before that leaves nothing readable."""
    folder = own_world.mount(tmp_path / "small", "size=4m")
    source = tmp_path / "long.py"
    source.write_text("import time\ndef add(x):\n    return x + 1\nadd(1)\ntime.sleep(1.5)\n"
                      "for _ in range(200000): add(1)\nprint('ran')\n")
    done = own_world.run([places.COMMAND, "run", "-o", folder / "trace", "--", newest.path, source], timeout=60)
    said = done.stderr.decode(errors="replace")
    assert (done.returncode, done.stdout) == (0, b"ran\n"), said
    assert re.search("full|space|fill", said, re.I), said
    report = own_world.run([places.COMMAND, "report", folder / "trace", "--format", "json"])
    told = json.loads(report.stdout.decode())
    assert any(function["name"] == "add" for function in told["functions"])
    assert own_world.left_over(10) == {}


# LTTng that is not right.

def broken_daemon(own_world, tmp_path, text):
    if os.getuid() != 0:
        pytest.skip("needs a file system of its own, which root can mount")
    real = shutil.which("lttng-sessiond")
    fake = tmp_path / "lttng-sessiond"
    fake.write_text(text)
    fake.chmod(0o755 if text else 0o644)
    assert own_world.run(["mount", "--bind", fake, os.path.realpath(real)]).returncode == 0


@pytest.mark.parametrize("text", ["", "#!/bin/sh\nexit 1\n", "#!/bin/sh\nexec sleep 100\n"],
                         ids=["not executable", "fails", "hangs"])
@pytest.mark.recorder("lttng")
def test_daemon_that_cannot_start(text, own_world, tmp_path, newest, script):
    """The program does not run untraced in silence: either it runs with a message, or it is not started."""
    broken_daemon(own_world, tmp_path, text)
    done = own_world.run([places.COMMAND, "run", "-o", tmp_path / "trace", "--", newest.path, script], timeout=60)
    said = done.stderr.decode(errors="replace")
    assert_one_message(said, "lttng-sessiond|session daemon")
    assert (done.returncode, done.stdout) == (0, b"ran\n") or (done.returncode != 0 and done.stdout == b"")
    assert own_world.left_over(10) == {}


# Traces.

def test_no_trace(tmp_path):
    done = command("report", tmp_path / "nothing")
    assert done.returncode != 0 and done.stdout == ""
    assert_one_message(done.stderr, "nothing")


def test_empty_folder(tmp_path):
    for verb in ("report", "dump"):
        done = command(verb, tmp_path)
        assert done.returncode != 0 and done.stdout == ""
        assert_one_message(done.stderr, re.escape(str(tmp_path)))


def test_not_a_trace(tmp_path):
    (tmp_path / "metadata").write_bytes(os.urandom(4096))
    (tmp_path / "channel0_0").write_bytes(os.urandom(4096))
    for verb in ("report", "dump"):
        done = command(verb, tmp_path)
        assert done.returncode != 0 and done.stdout == ""
        assert_one_message(done.stderr, re.escape(str(tmp_path)))
    done = command("report", "/etc/passwd")
    assert done.returncode != 0
    assert_one_message(done.stderr, "/etc/passwd")


def test_somebody_elses_trace(tmp_path):
    """A good CTF trace with no event of PInsight's: said so, not shown as an empty table."""
    text = tmp_path / "log"
    text.write_text("[    1.000000] something\n[    2.000000] else\n")
    folder = tmp_path / "trace"
    subprocess.run(["babeltrace2", "--component", "source.text.dmesg", "--params", 'path="%s"' % text,
                    "--component", "sink.ctf.fs", "--params", 'path="%s"' % folder], check=True)
    done = command("report", folder)
    assert done.returncode != 0
    assert_one_message(done.stderr, "PInsight")


def streams(folder):
    return [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names
            if name != "metadata" and "index" not in where and "index" not in name]


def test_cut_off(recorded):
    """The largest stream is cut in mid-packet: an error, and what could be read before it."""
    largest = max(streams(recorded), key=os.path.getsize)
    size = os.path.getsize(largest)
    os.truncate(largest, size - size // 3)
    for index in [os.path.join(where, name) for where, _, names in os.walk(recorded) for name in names
                  if name.endswith(".idx")]:
        os.unlink(index)
    done = command("report", recorded, "--format", "json", "--limit", "0")
    assert done.returncode != 0
    assert_one_message(done.stderr)
    json.loads(done.stdout)
    dumped = command("dump", recorded)
    assert dumped.returncode != 0 and dumped.stderr.startswith("pinsight: ")


def test_metadata_cut_off(recorded):
    metadata = next(os.path.join(where, "metadata") for where, _, names in os.walk(recorded) if "metadata" in names)
    text = Path(metadata).read_bytes()
    os.truncate(metadata, text.index(b"fields", len(text) // 2) + 3)  # not behind a whole description
    done = command("report", recorded)
    assert done.returncode != 0
    # Where half of it is enough to begin with, each stream ends at its first event that is not described.
    lines = done.stderr.splitlines(keepends=True)
    assert_one_message("".join(line for line in lines if "what stands before the damage is reported" not in line), "metadata")


# Names that are not what they should be.

def test_names_that_are_not_utf8(python, tmp_path):
    """A lone surrogate in a file name and in a function's name: traced, readable, and no harm to the program."""
    source = tmp_path / "surrogates.py"
    source.write_text(
        "def plain():\n    return 1\n"
        "odd = plain.__code__.replace(co_name='odd\\udcff', co_filename='/tmp/fi\\udcfele.py')\n"
        "try:\n    odd = odd.replace(co_qualname='odd\\udcff')\nexcept TypeError:\n    pass\n"
        "plain.__code__ = odd\n"
        "for _ in range(10):\n    assert plain() == 1\n"
        "exec(compile('def f():\\n    return 2\\nf()', '/tmp/\\ud800.py', 'exec'))\n"
        "class Bad:\n    pass\nBad.__qualname__ = 'B\\udcff'\nprint('ran')\n", encoding="utf-8")
    for names in ("inline", "registry"):
        folder = tmp_path / names
        done = command("run", "-o", folder, "--names", names, "-q", "--", python.path, source)
        assert (done.returncode, done.stdout, done.stderr) == (0, "ran\n", "")
        report = subprocess.run([places.COMMAND, "report", str(folder), "--format", "json", "--limit", "0"],
                                stdout=subprocess.PIPE, check=True)
        functions = json.loads(report.stdout.decode("utf-8"))["functions"]
        odd = [function for function in functions if function["name"].startswith(("odd", "plain")) and function["calls"] == 10]
        assert len(odd) == 1, functions
        assert subprocess.run(["babeltrace2", "-o", "dummy", str(folder)]).returncode == 0


def test_file_name_that_is_not_utf8(newest, tmp_path):
    source = os.path.join(os.fsencode(tmp_path), b"bad\xffname.py")
    with open(source, "w") as file:
        file.write(WORK)
    done = subprocess.run([places.COMMAND, "run", "-o", str(tmp_path / "trace"), "--", newest.path, source],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (0, b"ran\n")
    told = json.loads(command("report", tmp_path / "trace", "--format", "json").stdout)
    assert any(function["name"] == "work" and function["calls"] == 1000 for function in told["functions"])
