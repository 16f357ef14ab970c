"""Names that are any bytes, in every view and export: what a terminal shows has no control characters, what is written
is UTF-8, and what is JSON is read back."""
import io
import csv
import os
import subprocess

import pytest

from support import everything, places
from tools import fuzz_traces as views


@pytest.fixture(scope="module", params=["inline", "registry"])
def hostile(request, tmp_path_factory):
    folder = everything.write(tmp_path_factory.mktemp("hostile") / "trace", names=tuple(everything.HOSTILE), seed=request.param, events=12000)
    bad = "evil\x1b[31m\u202e\x9b"
    (folder / "pinsight-run.txt").write_bytes("".join(
        "%s %s\n" % (key, bad) for key in ("version", "command", "session", "started", "config", "names", "openmp", "thread_blas",
                                            "openmp_unseen", "events")).encode() + b"ended 1\nconfig \xff\xfe\n")
    return folder


def run(*words):
    done = subprocess.run([places.COMMAND, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120, env=dict(os.environ, LC_ALL="C.UTF-8"))
    assert done.returncode in (0, 1), done
    return done


@pytest.mark.parametrize("words", views.VIEWS, ids=" ".join)
def test_view(hostile, words):
    done = run(*words, hostile)
    assert views.wrong_output(words, done.stdout, done.returncode) is None
    assert views.wrong_text(done.stderr) is None
    assert done.stdout


@pytest.mark.parametrize("form", [form for form in views.FORMS if form not in views.RAW])
def test_export(hostile, form, tmp_path):
    done = run("export", "--to", form, "-o", tmp_path / "exported", hostile)
    assert views.wrong_text(done.stderr) is None
    written = (tmp_path / "exported").read_bytes()
    assert views.wrong_output(["export", "--to", form], written, done.returncode) is None
    assert len(written) > 1000
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(written.decode(), newline="")))
        assert {None} not in [set(row) for row in rows] and all(row["duration_ns"].isdigit() for row in rows)
        assert {"two\nlines", "raw\\xff\\xfe", "\\x1b[31mred\\x1b[0m", "rtl\\xe2\\x80\\xaeevil", "日本"} <= {
            text for row in rows for text in (row["name"], row["file"])}


@pytest.mark.parametrize("words", [[], ["--all"], ["--format", "json"]], ids=" ".join)
def test_diff(hostile, words, tmp_path):
    other = everything.write(tmp_path / "other", seed="other")
    done = run("diff", *words, hostile, other)
    assert views.wrong_output(["diff", *words], done.stdout, done.returncode) is None
    assert views.wrong_text(done.stderr) is None


def test_summary_of_a_run(newest, tmp_path):
    """The run's own screen: names of functions and files, of the command, of threads and of modules."""
    program = tmp_path / "evil\x1b[31m\u202e.py"
    program.write_text(
        "import sys, threading, types\n"
        "def work():\n    return sum(range(1000))\n"
        "work.__code__ = work.__code__.replace(co_name='wo\\x1b[31mrk\\u202e', co_filename='/tmp/f\\x9b\\nile.py')\n"
        "def turn():\n    for _ in range(2000):\n        work()\n"
        "thread = threading.Thread(target=turn, name='th\\x1b]0;x\\x07read')\nthread.start()\nthread.join()\n", encoding="utf-8")
    for options in ([], ["--names", "registry", "--max-size", "1M"]):
        folder = tmp_path / ("trace%d" % len(options))
        done = run("run", "-o", folder, *options, "--", newest.path, program, "arg\x1b[31m")
        assert done.returncode == 0 and b"work" not in done.stdout
        assert views.wrong_text(done.stderr) is None
        assert b"pinsight report" in done.stderr
