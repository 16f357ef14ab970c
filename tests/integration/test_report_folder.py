"""Which trace a folder stands for: the one run in it, two levels down at most, and never the sum of several."""
import json
import shutil
import subprocess

import pytest

from support import places
from support.counted import make_another


def pinsight(*words):
    return subprocess.run([places.COMMAND, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    from support.pythons import pythons
    folder = tmp_path_factory.mktemp("runs") / "one"
    python = pythons()[-1] if pythons() else places.missing("a CPython that an extension was built for")
    done = pinsight("run", "--quiet", "-o", folder, "--", python.path, "-c", "def work(): pass\nwork()")
    assert done.returncode == 0, done.stderr
    return folder


def story(folder, *options):
    done = pinsight("report", "-q", "--format", "json", *options, folder)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    del told["trace"]["path"]
    return told


@pytest.mark.parametrize("above", ["", "a", "a/b"])
def test_one_run(run, tmp_path, above):
    """With all that `pinsight run` left beside the trace."""
    shutil.copytree(run, tmp_path / "x" / above / "run")
    top = tmp_path / "x" if above != "a/b" else tmp_path / "x" / "a"
    assert story(top) == story(tmp_path / "x" / above / "run")
    assert story(top)["trace"]["wall_ns"] > 0
    for words in (["dump", "-q", top], ["export", "-q", "--to", "folded", "-o", "-", top], ["diff", top, run]):
        done = pinsight(*words)
        assert done.returncode == 0, (words, done.stderr)


def test_several_runs(run, tmp_path):
    for name in ("first", "second", "deep/third"):
        shutil.copytree(run, tmp_path / name)
    for words in (["report"], ["dump"], ["export", "-o", tmp_path / "out.json"], ["diff", run]):
        done = pinsight(*words, tmp_path)
        assert done.returncode in (1, 2) and done.stdout == ""
        names = ", ".join(str(tmp_path / name) for name in ("deep/third", "first", "second"))
        assert done.stderr == "pinsight: %s has the traces of 3 runs; give one of them: %s\n" % (tmp_path, names)


def test_a_run_in_a_run(run, tmp_path):
    """It is another's."""
    shutil.copytree(run, tmp_path / "outer")
    before = story(tmp_path / "outer")
    shutil.copytree(run, tmp_path / "outer" / "inner")
    assert story(tmp_path / "outer") == before


def test_too_deep(run, tmp_path):
    shutil.copytree(run, tmp_path / "a" / "b" / "c" / "run")
    done = pinsight("report", tmp_path)
    assert done.returncode == 1 and "is not a trace" in done.stderr and done.stdout == ""


def test_many_folders(tmp_path):
    for number in range(4200):
        (tmp_path / str(number)).mkdir()
    done = pinsight("report", tmp_path)
    assert done.returncode == 1 and "has more than 4096 folders" in done.stderr


def test_hosts_of_a_job(run, tmp_path):
    """They are one run."""
    for host in ("node1", "node2"):
        shutil.copytree(run, tmp_path / host)
        make_another(next((tmp_path / host / "trace").iterdir()))
        file = tmp_path / host / "pinsight-run.txt"
        text = file.read_text()
        assert "\none_host no\n" in text
        file.write_text(text.replace("\none_host no\n", "\none_host yes\n"))
    told = story(tmp_path)
    assert told["trace"]["events"] == 2 * story(run)["trace"]["events"]
