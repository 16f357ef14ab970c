"""Every number of the first screen is in the JSON of the report."""
import os
import re
import subprocess

import pytest

from support import places, screen
from support.screen import TIME, is_shown_as

pytestmark = pytest.mark.timed

CULPRITS = places.ROOT / "examples" / "culprits"


@pytest.mark.parametrize("options", [(), ("--quick",)], ids=["tracing", "quick"])
@pytest.mark.parametrize("program", ["service", "prices"])
def test_numbers(program, options, newest, run_command):
    result = run_command(newest.path, CULPRITS / (program + ".py"), options=options, env={"COLUMNS": "100", "LC_ALL": "C.UTF-8"})
    assert result.rc == 0, result.stderr
    rows, _ = screen.check(result.stderr, result.report)
    assert rows


@pytest.mark.parametrize("options", [(), ("--quick",)], ids=["tracing", "quick"])
def test_own_modules(options, newest, run_command, tmp_path):
    """The line of imports has the user's own modules, without further imports in them. Beside it, the program times them itself."""
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("")
    clock = "import sys, time; t = time.perf_counter_ns()\n"
    (package / "prices.py").write_text(clock + "def table(n):\n    return {i: str(i) for i in range(n)}\nTABLE = table(200000)\n"
                                       "SELF = time.perf_counter_ns() - t\n")
    (package / "orders.py").write_text(clock + "from shop import prices\ntime.sleep(0.3)\nSELF = time.perf_counter_ns() - t - prices.SELF\n")
    program = tmp_path / "program.py"
    program.write_text("from shop import orders\nprint(orders.SELF, orders.prices.SELF)\n")
    result = run_command(newest.path, program, options=options, env={"COLUMNS": "100", "LC_ALL": "C.UTF-8"})
    assert result.rc == 0, result.stderr
    screen.check(result.stderr, result.report)
    orders, prices = map(int, result.stdout.split())
    line = next(line for line in result.stderr.splitlines() if re.match("Imports .*yours", line))
    assert re.search("(; yours|^Imports of yours) " + TIME + ": .*shop.orders " + TIME, line), result.stderr
    own = {row["module"]: row["python_ns"] + row["c_ns"] for row in result.report("--links")["links"]["own_imports"]}
    # The program measures the search for the inner module, too.
    assert 300000000 <= own["shop.orders"] <= orders and 0 < own["shop.prices"] <= prices * 1.01


IDLE = """
import queue, threading
jobs = queue.Queue()
def serve():
    while jobs.get() is not None:
        pass
def compute():
    total = 0
    for number in range(3000000):
        total += number
    return total
thread = threading.Thread(target=serve)
thread.start()
jobs.put(1)
compute()
jobs.put(None)
thread.join()
"""


@pytest.mark.parametrize("options", [(), ("--quick",)], ids=["tracing", "quick"])
def test_idle_threads(options, newest, run_command, tmp_path):
    """A thread that only waits for work is one line at the end, and not the function that took longest."""
    program = tmp_path / "program.py"
    program.write_text(IDLE)
    for _ in range(3):  # on a busy machine it may wait for the GIL, too
        result = run_command(newest.path, program, options=options, env={"COLUMNS": "80", "LC_ALL": "C.UTF-8"})
        table = result.stderr.split("\nYour functions")[1].split("\n\n")[0].splitlines()[2:]
        if table[-1].endswith("(1 idle thread)"):
            break
    assert "compute" in table[0] and table[-1].endswith("(1 idle thread)"), result.stderr
    resting = {row["name"]: row.get("resting_ns", 0) for row in result.report("--links")["links"]["functions"]}
    assert is_shown_as(table[-1].split(" ╌")[0].strip(), sum(resting.values())) and resting["serve"] == max(resting.values())


def section(lines, title):
    at = next(number for number, line in enumerate(lines) if line.startswith(title))
    end = next(number for number in range(at, len(lines) + 1) if number == len(lines) or not lines[number])
    return lines[at + 1:end]


@pytest.mark.parametrize("options", [(), ("--quick",)], ids=["tracing", "quick"])
def test_the_report_begins_with_the_answer(options, newest, run_command):
    """What the first screen says, the report says first: in the same words, and with the same numbers."""
    env = {"COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    result = run_command(newest.path, CULPRITS / "prices.py", options=options, env=env)
    done = subprocess.run([places.COMMAND, "report", "-q", str(result.folder)], stdout=subprocess.PIPE,
                          env=dict(os.environ, **env), encoding="utf-8", check=True)
    shown, report = result.stderr.splitlines(), done.stdout.splitlines()
    head = next(line for line in shown if " · CPU " in line)
    assert report[1] == head or head.startswith(report[1] + " · "), (head, report[:3])
    bar = next(line for line in shown if re.match(r"\S+ of " + TIME, line))
    assert bar in report[:6]
    if any(line.startswith("What stands out") for line in shown):
        assert section(shown, "What stands out") == section(report, "What stands out")
    shown, rows = section(shown, "Your functions"), section(report, "Your functions")
    assert len(shown) > 1
    # The report has more rows, which may be wider: the last column is cut elsewhere.
    assert [row.split()[:9] for row in rows[:2]] == [row.split()[:9] for row in shown[:2]]
    titles = [line.split("  ")[0] for line in report if re.match(r"[A-Z]", line)]
    assert titles.index("Your functions") < titles.index("Modules") < titles.index("Python functions")
