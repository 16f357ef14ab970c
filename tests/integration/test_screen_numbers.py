"""Every number of the first screen is in the JSON of the report."""
import os
import re
import subprocess

import pytest

from support import places

pytestmark = pytest.mark.timed

UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
CULPRITS = places.ROOT / "examples" / "culprits"
TIME = r"([\d.,]+) (ns|µs|ms|s)\b"


def ns(text):
    number, unit = re.fullmatch(TIME, text).groups()
    return float(number.replace(",", "")) * UNITS[unit]


def is_shown_as(text, value):
    """A time has three digits."""
    return abs(ns(text) - value) <= max(1, 0.006 * value)


def domains(row, key):
    return sum(row[name][key] for name in ("openmp", "mpi", "cuda"))


def away(row):
    return row.get("python_waiting_ns", 0) + row.get("c_waiting_ns", 0)


def running(row):
    return (row["python_ns"] + row["c_ns"] + row.get("gc_ns", 0) - away(row) + domains(row, "wall_ns") -
            domains(row, "wall_waiting_ns") - domains(row, "wall_away_ns") - domains(row, "wall_ready_ns"))


def waiting(row):
    waited = away(row) - row.get("ready_ns", 0) + domains(row, "wall_waiting_ns") + domains(row, "wall_away_ns")
    return max(0, waited - row.get("resting_ns", 0))


def check_head(lines, told):
    head = next(line for line in lines if " · CPU " in line)
    wall, processor = re.search(TIME + r" · CPU " + TIME, head).group().split(" · CPU ")
    assert is_shown_as(wall, told["trace"]["wall_ns"]) and is_shown_as(processor, told["trace"]["processor_ns"])
    processes, threads = re.search(r"(\d+) process(?:es)?, (\d+) threads?", head).groups()
    assert int(processes) == len(told["processes"])
    assert int(threads) == len(told["threads"]) - told["links"]["idle"]["threads"]
    events = re.search(r"([\d,]+) events", head)
    assert not events or int(events.group(1).replace(",", "")) == told["trace"]["events"]


def check_bar(lines, told, traced):
    """The bar has all that was recorded, but for idle threads; its parts add up from the same sums. Where calls are
    counted, waits are known of whole threads, and not of functions."""
    links = told["links"]
    bar = next(number for number, line in enumerate(lines) if re.match(r"\S+ of " + TIME, line))
    whole = links["recorded_ns"] - links["idle"]["python_ns"] - links["idle"]["c_ns"] + links["native_code_ns"]
    whole += links["counted"].get("gc", {"self_ns": 0})["self_ns"]
    assert is_shown_as(re.search(" of (" + TIME + ")", lines[bar]).group(1), whole)
    shares = dict((name, float(share)) for name, share in re.findall(r"\S ([A-Z][\w ]*?) <?([\d.]+) %",
                                                                     " ".join(lines[bar + 1:bar + 3])))
    assert sum(part["ns"] for part in told["bar"]["parts"]) == pytest.approx(whole, abs=1)
    for part in told["bar"]["parts"]:
        assert shares[part["name"]] == pytest.approx(100 * part["ns"] / whole, abs=0.1), (part, lines[bar:bar + 3])
    imports = links["imports"]
    start = sum(row["python_ns"] + row["c_ns"] - row.get("ready_ns", 0) for row in imports)
    ran = {"Python": ("python_ns", "python_waiting_ns"), "C": ("c_ns", "c_waiting_ns")}
    for name, (all_ns, waits) in ran.items() if traced else ():
        value = sum(row[all_ns] - row.get(waits, 0) for row in links["functions"])
        assert shares[name] == pytest.approx(100 * value / whole, abs=0.2), (name, lines[bar:bar + 3])
    assert shares["Imports"] == pytest.approx(100 * start / whole, abs=0.1)


def check_functions(lines, told):
    """Each row of the table is one of the functions, with its numbers."""
    title = next(number for number, line in enumerate(lines) if line.startswith("Your functions"))
    has_waiting = "waits %" in lines[title + 1]
    head = re.split(r" {2,}(?=\S)", lines[title + 1])
    assert head[1:] == ["time", "%"] + ["waits %"] * has_waiting + ["calls", "mean", "longest", "function",
                                                                    "line where most goes"]
    # Numbers end where their heads do.
    ends = [lines[title + 1].index(" " + word) + 1 + len(word) for word in head[1:-2]]
    name_at = lines[title + 1].index("function")
    worked = told["links"]["wall_ns"] - told["links"]["idle"]["wall_ns"]
    rows = 0
    for line in lines[title + 2:]:
        if not line:
            break
        if "(libraries)" in line or "idle thread" in line:
            continue
        took, share, *waits, count, mean, longest = [line[begin:end].strip() for begin, end in zip([0] + ends, ends)]
        name, where = re.split(r"  +", line[name_at:] + "  ")[:2]
        line_of_file = int(re.search(r"\.py:(\d+)", where).group(1))
        count = int(count.replace(",", ""))
        (row,) = [row for row in told["links"]["functions"]
                  if row["calls"] == count and name.strip("…") in (row["name"] or "").replace(".<locals>", "")
                  and is_shown_as(took, running(row) + waiting(row))]
        all_ns = running(row) + waiting(row)
        assert is_shown_as(mean, row["mean_ns"])
        assert is_shown_as(longest, row["max_ns"]) if longest else count == 1 or row["max_ns"] < row["mean_ns"]
        if has_waiting:
            assert waits[0] == "" if waiting(row) < all_ns / 10 else \
                float(waits[0]) == pytest.approx(100 * waiting(row) / all_ns, abs=0.6)
        assert float(share.strip(" <")) == pytest.approx(100 * all_ns / worked, abs=0.11)
        callers = [call for call in told["links"]["calls"] if (call["function"], call["function_line"]) ==
                   (row["name"], row["line"])]
        assert line_of_file == row["line"] or any(call["line"] == line_of_file for call in callers)
        rows += 1
    assert rows


@pytest.mark.parametrize("options", [(), ("--quick",)], ids=["tracing", "quick"])
@pytest.mark.parametrize("program", ["service", "prices"])
def test_numbers(program, options, newest, run_command):
    result = run_command(newest.path, CULPRITS / (program + ".py"), options=options, env={"COLUMNS": "100", "LC_ALL": "C.UTF-8"})
    assert result.rc == 0, result.stderr
    told, lines = result.report("--links"), result.stderr.splitlines()
    check_head(lines, told)
    check_bar(lines, told, not options)
    check_functions(lines, told)
    sentences = re.sub(r"\n   ", " ", result.stderr)
    shown = [row["text"] for row in told["stands_out"]]
    for sentence in re.findall(r"(?m)^ • (.*?)(?: \(--.*\))?$", sentences):
        assert sentence in shown


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
    (row,) = [row for row in result.report("--links")["links"]["functions"] if row["name"] == "serve"]
    assert is_shown_as(table[-1].split(" ╌")[0].strip(), row["resting_ns"])


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
    screen, report = result.stderr.splitlines(), done.stdout.splitlines()
    head = next(line for line in screen if " · CPU " in line)
    assert report[1] == head or head.startswith(report[1] + " · "), (head, report[:3])
    bar = next(line for line in screen if re.match(r"\S+ of " + TIME, line))
    assert bar in report[:6]
    if any(line.startswith("What stands out") for line in screen):
        assert section(screen, "What stands out") == section(report, "What stands out")
    shown, rows = section(screen, "Your functions"), section(report, "Your functions")
    assert len(shown) > 1
    # The report has more rows, which may be wider: the last column is cut elsewhere.
    assert [row.split()[:9] for row in rows[:2]] == [row.split()[:9] for row in shown[:2]]
    titles = [line.split("  ")[0] for line in report if re.match(r"[A-Z]", line)]
    assert titles.index("Your functions") < titles.index("Modules") < titles.index("Python functions")
