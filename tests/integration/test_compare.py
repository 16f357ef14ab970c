"""pinsight compare: two commands by turns, a verdict, an exit status for CI."""
import json
import os
import subprocess

import pytest

from support import made, places

MS = 1000000
CATALOGUE = places.ROOT / "examples" / "culprits" / "catalogue"


def compare(*words, cwd=None, **env):
    return subprocess.run([places.COMMAND, "compare", *map(str, words)], cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=500,
                          env=dict(os.environ, COLUMNS="100", LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1", **env))


def version(name, newest, books=4000):
    return ["env", "PYTHONPATH=" + str(CATALOGUE / name), newest.path, str(CATALOGUE / "catalogue.py"), str(books)]


@pytest.mark.storm
def test_a_slower_version(newest, tmp_path):
    done = compare("-n", "5", "--fail-above", "5%", "--format", "json", "--", *version("old", newest), "--to",
                   *version("new", newest), TMPDIR=str(tmp_path))
    assert done.returncode == 3, (done.stdout, done.stderr)
    told = json.loads(done.stdout)
    assert [len(told[side]) for side in "ab"] == [5, 5]
    first = told["rows"][0]
    assert (first["name"], first["verdict"]) == ("key", "more") and 10 < first["relative_ns"]["change_percent"] < 40
    assert 5 < told["change_percent"] < 40 and told["change_ns"] > 0
    assert list(tmp_path.iterdir()) == []
    # It has become faster the other way round.
    done = compare("-n", "3", "--fail-above", "5", "--", *version("new", newest), "--to", *version("old", newest))
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert " % faster than A: most by key (titles.py:16), " in done.stdout, done.stdout


def test_equal_versions(newest):
    done = compare("-n", "3", "--fail-above", "5", "--", *version("old", newest, 2000), "--to",
                   *version("old", newest, 2000))
    assert done.returncode == 0 and "\nNo change. " in done.stdout, done.stdout


def test_traces_are_kept(newest, tmp_path):
    done = compare("-n", "2", "-o", tmp_path / "kept", "--", *version("old", newest, 100), "--to",
                   *version("new", newest, 100))
    assert done.returncode == 0, done.stderr
    kept = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert kept == ["a-1", "a-2", "b-1", "b-2"]
    folders = [tmp_path / "kept" / name for name in kept]
    again = subprocess.run([places.COMMAND, "diff", *map(str, folders[:2]), "--to", *map(str, folders[2:])],
                           stdout=subprocess.PIPE, encoding="utf-8", check=True)
    assert again.stdout.startswith("A  ")
    done = compare("-n", "2", "-o", tmp_path / "kept", "--", "true", "--to", "true")
    assert done.returncode == 1 and "name a new folder with -o" in done.stderr


@pytest.mark.parametrize("words, status, said", [
    (["--", "false", "--to", "true"], 1, "pinsight: false ended with exit status 1: nothing is compared\n"),
    (["--", "sh", "-c", "kill -9 $$", "--to", "true"], 1, "was ended by signal 9 (Killed): nothing is compared\n"),
    (["--", "true"], 2, "with --to between them"), (["--to", "true"], 2, ""), ([], 2, "which commands?"),
    (["--", "true", "--to"], 2, "with --to between them"), (["-n", "0", "--", "true", "--to", "true"], 2, "from 1 to 1000"),
    (["--fail-above", "x", "--", "true", "--to", "true"], 2, "--fail-above takes a share"),
    (["--", "true", "--to", "true"], 1, "there is nothing in it to compare"),
], ids=lambda value: value if isinstance(value, str) else " ".join(value) if isinstance(value, list) else str(value))
def test_what_goes_wrong(words, status, said, tmp_path):
    done = compare(*words, TMPDIR=str(tmp_path))
    assert done.returncode == status and said in done.stderr, (done.returncode, done.stderr)
    assert list(tmp_path.iterdir()) == []


def test_output_of_the_commands(newest):
    words = ["-n", "1", "--", newest.path, "-c", "print('se' + 'en')", "--to", newest.path, "-c", "def f(): pass\nf()"]
    assert "seen" not in compare(*words).stdout
    assert compare("--show-output", *words).stdout.startswith("seen\n")


def made_run(folder, key_ms):
    """A run in which key takes so long, of 100 ms beside it."""
    trace = made.Trace(folder / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.code(2, "key", "/home/u/app.py", 20)
    thread.python(0, "begin", 1)
    thread.function(10 * MS, (10 + key_ms) * MS, 2)
    thread.python((100 + key_ms) * MS, "end", 1)
    return trace.write()


@pytest.mark.parametrize("above, status", [("1", 3), ("99", 0)])
def test_diff_fails_above(tmp_path, above, status):
    old, new = ([made_run(tmp_path / ("%s-%d" % (name, run)), ms + run) for run in range(3)] for name, ms in (("old", 50), ("new", 80)))
    done = subprocess.run([places.COMMAND, "diff", "--fail-above", above, *old, "--to", *new], stdout=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == status, done.stdout
    assert "\nB is 19.9 % slower than A: most by key (app.py:20)" in done.stdout