"""Every number of the first screen is in the JSON of the report."""
import re

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
    return away(row) - row.get("ready_ns", 0) + domains(row, "wall_waiting_ns") + domains(row, "wall_away_ns")


def check_head(lines, told):
    head = next(line for line in lines if " · CPU " in line)
    wall, processor = re.search(TIME + r" · CPU " + TIME, head).group().split(" · CPU ")
    assert is_shown_as(wall, told["trace"]["wall_ns"]) and is_shown_as(processor, told["trace"]["processor_ns"])
    processes, threads = re.search(r"(\d+) process(?:es)?, (\d+) threads?", head).groups()
    assert int(processes) == len(told["processes"])
    assert int(threads) == len(told["threads"]) - told["links"]["idle"]["threads"]
    events = re.search(r"([\d,]+) events", head)
    assert not events or int(events.group(1).replace(",", "")) == told["trace"]["events"]


def check_bar(lines, told):
    """The bar has all that was recorded, but for idle threads; its parts add up from the same sums."""
    links = told["links"]
    bar = next(number for number, line in enumerate(lines) if re.match(r"\S+ of " + TIME, line))
    whole = links["recorded_ns"] - links["idle"]["python_ns"] - links["idle"]["c_ns"] + links["native_code_ns"]
    whole += links["counted"].get("gc", {"self_ns": 0})["self_ns"]
    assert is_shown_as(re.search(" of (" + TIME + ")", lines[bar]).group(1), whole)
    shares = dict((name, float(share)) for name, share in re.findall(r"\S ([A-Z][\w ]*?) <?([\d.]+) %",
                                                                     " ".join(lines[bar + 1:bar + 3])))
    imports = links["imports"]
    start = sum(row["python_ns"] + row["c_ns"] - row.get("ready_ns", 0) for row in imports)
    ran = {"Python": ("python_ns", "python_waiting_ns"), "C": ("c_ns", "c_waiting_ns")}
    for name, (all_ns, waits) in ran.items():
        value = sum(row[all_ns] - row.get(waits, 0) for row in links["functions"])
        assert shares[name] == pytest.approx(100 * value / whole, abs=0.2), (name, lines[bar:bar + 3])
    assert shares["Imports"] == pytest.approx(100 * start / whole, abs=0.1)


def check_functions(lines, told):
    """Each row of the table is one of the functions, with its numbers."""
    title = next(number for number, line in enumerate(lines) if line.startswith("Your functions"))
    has_waiting = "waiting" in lines[title + 1]
    worked = told["links"]["wall_ns"] - told["links"]["idle"]["wall_ns"]
    rows = 0
    for line in lines[title + 2:]:
        if not line:
            break
        share, *times, calls, name, where = (re.split(r"  +", line.strip()) + [""])[:5 + has_waiting]
        if "(libraries)" in line:
            continue
        line_of_file = int(re.search(r"\.py:(\d+)", where).group(1))
        count, mean = calls.split(" × ")
        count = int(count.replace(",", ""))
        (row,) = [row for row in told["links"]["functions"]
                  if row["calls"] == count and name.strip("…") in (row["name"] or "").replace(".<locals>", "")
                  and is_shown_as(times[0], running(row))]
        all_ns = running(row) + waiting(row)
        assert is_shown_as(mean, all_ns // count)
        assert not has_waiting or is_shown_as(times[1], waiting(row))
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
    check_bar(lines, told)
    check_functions(lines, told)
    sentences = re.sub(r"\n   ", " ", result.stderr)
    shown = [row["text"] for row in told["stands_out"]]
    for sentence in re.findall(r"(?m)^ • (.*?)(?: \(--.*\))?$", sentences):
        assert sentence in shown
