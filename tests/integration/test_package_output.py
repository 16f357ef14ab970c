"""Recording without `pinsight run`: activate(output=…), PINSIGHT=1 and `python -m pinsight`, by the file recorder."""
import os
import subprocess

import pytest

from support import places
from support.traces import Trace

PROGRAM = """
import sys
sys.path.insert(0, %r)
import pinsight
print(pinsight.activate(ARGUMENTS))
def work(): pass
for _ in range(100): work()
pinsight.deactivate()
""" % str(places.LIBDIR / "python")


def start(python, tmp_path, program, **variables):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PINSIGHT_")}
    path = tmp_path / "app.py"
    path.write_text(program)
    return subprocess.run([python.path, str(path)], cwd=str(tmp_path), env=dict(clean, **variables), timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_a_folder_of_the_programs_own(python, tmp_path):
    done = start(python, tmp_path, PROGRAM.replace("ARGUMENTS", "output='traces'"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"True\n", b"")
    assert Trace(tmp_path / "traces").calls("work") == 100
    report = subprocess.run([places.COMMAND, "report", "traces"], cwd=str(tmp_path), stdout=subprocess.PIPE)
    assert report.returncode == 0 and b"work" in report.stdout


def test_the_environment_says_it(python, installed, tmp_path):
    """PINSIGHT=1 where the package is installed: the program says nothing of PInsight."""
    (tmp_path / "app.py").write_text("def work(): pass\nfor _ in range(100): work()\n")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PINSIGHT_")}
    done = subprocess.run([installed(python), "app.py"], cwd=str(tmp_path), timeout=60, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=dict(clean, PINSIGHT="1", PINSIGHT_OUTPUT=str(tmp_path / "traces")))
    assert (done.returncode, done.stdout) == (0, b"")
    assert Trace(tmp_path / "traces").calls("work") == 100


def test_a_folder_of_its_own_name_is_said(newest, tmp_path):
    done = start(newest, tmp_path, PROGRAM.replace("ARGUMENTS", ""), PINSIGHT_RECORDER="file")
    (folder,) = tmp_path.glob("pinsight-app-*")
    assert done.stderr.decode() == "pinsight: this process records into {0}; next: pinsight report {0}\n".format(
        folder.name)
    assert Trace(folder).calls("work") == 100


def test_children_record_into_the_same_folder(newest, tmp_path):
    program = PROGRAM.replace("ARGUMENTS", "output=None if len(sys.argv) > 1 else 'traces'") + (
        "import subprocess\nif len(sys.argv) == 1:\n"
        "    subprocess.run([sys.executable, __file__, 'child'], check=True)\n")
    done = start(newest, tmp_path, program)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"True\nTrue\n", b"")
    assert Trace(tmp_path / "traces").calls("work") == 200


def test_another_folder_later_is_said(newest, tmp_path):
    program = PROGRAM.replace("ARGUMENTS", "output='one'") + "pinsight.activate(output='two')\n"
    done = start(newest, tmp_path, program)
    assert done.returncode == 0 and not (tmp_path / "two").exists()
    assert b"output='two' has no effect: this process records into " in done.stderr


def test_a_run_has_its_own_folder(own_world, newest, tmp_path):
    path = tmp_path / "app.py"
    path.write_text(PROGRAM.replace("ARGUMENTS", "output='other'"))
    done = own_world.run([places.COMMAND, "run", "--recorder", "file", "-o", tmp_path / "out", "--", newest.path, path],
                         cwd=tmp_path)
    assert done.returncode == 0 and not (tmp_path / "other").exists()
    assert Trace(tmp_path / "out").calls("work") == 100


@pytest.mark.parametrize("words, name", [
    (["python3", "a/app.py", "x"], "app"), (["python3", "-Xdev", "-m", "package.mod", "-c"], "package.mod"),
    (["python3", "-c", "pass"], ""), (["python3", "-W", "error", "b.pyz"], "b"), (["python3", "-mtimeit"], "timeit"),
    (["python3", "-"], ""), (["python3", "."], "")])
def test_names_of_programs(words, name, monkeypatch):
    import sys
    module = places.module(places.ROOT / "python" / "pinsight" / "_output.py")
    monkeypatch.setattr(module, "original_words", lambda: words)
    assert module.program() == (name or os.path.basename(sys.executable))
