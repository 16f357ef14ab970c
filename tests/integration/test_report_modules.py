"""`pinsight report --by module`: modules of the user's code, and packages of all else."""
import json
import subprocess

import pytest

from support import made, places
from support.pythons import pythons as found_pythons

SITE = "/venv/lib/python3.11/site-packages/"


def modules(folder):
    done = subprocess.run([places.COMMAND, "report", "-q", "--by", "module", "--format", "json", folder], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    return {row["name"]: row for row in json.loads(done.stdout)["modules"]}


def test_packages(tmp_path):
    trace = made.Trace(tmp_path / "made")
    process = trace.process(70)
    thread = process.thread(70)
    for number, file in enumerate(["/home/u/app.py", SITE + "pandas/core/frame.py", SITE + "pandas/io/sql.py", SITE + "six.py",
                                   "/usr/lib/python3.11/asyncio/events.py", "/usr/lib/python3.11/re.py", "<frozen importlib._bootstrap>"], 1):
        process.code(number, "f", file, 10)
    ends = []
    for at, number in enumerate([1, 2, 3, 2, 4]):  # each calls the next
        thread.python(100 * at + 100, "begin", number)
        ends.insert(0, number)
    for at, number in enumerate(ends):
        thread.python(600 + 10 * at, "end", number)
    for at, number in enumerate([5, 6, 7]):
        thread.function(1000 + 100 * at, 1050 + 100 * at, number)
    rows = modules(trace.write())
    told = {name: (row["calls"], row["total_ns"], row["self_ns"]) for name, row in rows.items()}
    # Of pandas 200 to 630, once, however often it is on the stack; in it six, 500 to 600.
    assert told == {"__main__": (1, 540, 110), "pandas": (3, 430, 330), "six": (1, 100, 100), "asyncio": (1, 50, 50), "re": (1, 50, 50),
                    "importlib": (1, 50, 50)}


@pytest.mark.parametrize("python", found_pythons(), ids=str)
def test_program(tmp_path, python):
    """json and its parts are one row, and so are C callables of a package; modules of the user's package stand apart."""
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text("")
    (tmp_path / "app" / "models.py").write_text("import json\n\ndef load():\n    return json.loads(json.dumps([1]))\n")
    (tmp_path / "app" / "views.py").write_text("from app.models import load\n\ndef show():\n    return load()\n")
    (tmp_path / "program.py").write_text("from app.views import show\n\nfor _ in range(3):\n    show()\n")
    done = subprocess.run([places.COMMAND, "run", "-o", "trace", "--", python.path, "program.py"], cwd=tmp_path,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    rows = modules(tmp_path / "trace")
    assert {"__main__", "app.models", "app.views", "json"} <= set(rows)
    assert not [name for name in rows if name and name.startswith("json.")]
    assert rows["app.views"]["calls"] == rows["app.models"]["calls"] == 4  # with the modules' bodies
    assert rows["json"]["calls"] >= 12  # loads, decode, raw_decode; dumps, encode, iterencode
