"""The first screen as data: each of its numbers is held against the JSON of the report.

    screen.check(result.stderr, result.report)         # report("--links"): the JSON of `pinsight report --links`
"""
import re

import pytest

UNITS = {"ns": 1, "µs": 1e3, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9}
TIME = r"([\d.,]+) (ns|µs|us|ms|s|min|h)\b(?: (\d\d) (s|min)\b)?"
PLACE = re.compile(r"([^\s/(]+):(\d+)\b")


def ns(text):
    number, unit, rest, smaller = re.fullmatch(TIME, text).groups()
    return float(number.replace(",", "")) * UNITS[unit] + (float(rest) * UNITS[smaller] if rest else 0)


def is_shown_as(text, value):
    """A time has three digits."""
    return abs(ns(text) - value) <= max(1, 0.006 * value)


def times(text):
    return [found.group() for found in re.finditer(TIME, text)]


def values(told):
    """All numbers of a JSON."""
    if isinstance(told, dict):
        told = told.values()
    elif not isinstance(told, list):
        return [told] if isinstance(told, (int, float)) and not isinstance(told, bool) else []
    return [value for part in told for value in values(part)]


def domains(row, key):
    return sum(row[name][key] for name in ("openmp", "mpi", "cuda", "blas"))


def away(row):
    return row.get("python_waiting_ns", 0) + row.get("c_waiting_ns", 0)


def running(row):
    return max(0, row["python_ns"] + row["c_ns"] + row.get("gc_ns", 0) - row.get("gc_ready_ns", 0) - away(row)) + \
        domains(row, "wall_ns") - domains(row, "wall_waiting_ns") - domains(row, "wall_away_ns") - domains(row, "wall_ready_ns")


def waiting(row):
    waited = away(row) - row.get("ready_ns", 0) + domains(row, "wall_waiting_ns") + domains(row, "wall_away_ns")
    return max(0, waited - row.get("resting_ns", 0))


def check_head(lines, told):
    head = next(line for line in lines if re.search(r" process(es)?, \d+ thread", line))
    took = re.search(TIME + r" · CPU " + TIME, head)
    if took:
        wall, processor = took.group().split(" · CPU ")
        assert is_shown_as(wall, told["trace"]["wall_ns"]) and is_shown_as(processor, told["trace"]["processor_ns"])
    cost = re.search("looking cost about (" + TIME + ")", head)
    assert not cost or is_shown_as(cost.group(1), told["trace"]["overhead_ns"])
    processes, threads = re.search(r"(\d+) process(?:es)?, (\d+) threads?", head).groups()
    assert int(processes) == len(told["processes"])
    assert int(threads) == len(told["threads"]) - told["links"]["idle"]["threads"]
    events = re.search(r"([\d,]+) events", head)
    assert not events or int(events.group(1).replace(",", "")) == told["trace"]["events"]


def check_bar(lines, told):
    """The bar has all that was recorded, but for idle threads; its parts add up to it."""
    parts, links = told["bar"]["parts"], told["links"]
    if not parts:
        return
    bar = next(number for number, line in enumerate(lines) if re.match(r"\S+ of " + TIME, line))
    whole = sum(part["ns"] for part in parts)
    assert told["bar"]["whole_ns"] == whole
    assert is_shown_as(re.search(" of (" + TIME + ")", lines[bar]).group(1), whole)
    # The second line may be the last one.
    legend = " ".join(line for line in lines[bar + 1:bar + 4] if re.match(r"\S [A-Z]", line))
    shares = {name: float(share) for name, share in re.findall(r"\S ([A-Z][\w ]*?) <?([\d.]+) %", legend)}
    assert sorted(shares) == sorted(part["name"] for part in parts)
    for part in parts:
        assert shares[part["name"]] == pytest.approx(100 * part["ns"] / whole, abs=0.1), (part, lines[bar:bar + 3])
    # What was counted within recorded calls counts once, see the bar's sources.
    if not any(process_is_mixed(told)):
        idle = links["idle"]
        recorded = links["recorded_ns"] - idle["python_ns"] - idle["c_ns"] + links["native_code_ns"]
        assert whole == pytest.approx(recorded + links["counted"].get("gc", {"self_ns": 0})["self_ns"] + unseen(parts), abs=2)


def unseen(parts):
    return sum(part["ns"] for part in parts if part["name"] == "Not recorded")


def process_is_mixed(told):
    """Where some calls were counted and others traced."""
    rows = told["functions"] + told["c_calls"]
    counted = sum(row.get("counted_calls") or 0 for row in rows)
    yield 0 < counted < sum(row.get("calls") or 0 for row in rows)


def cells(line, ends):
    return [line[begin:end].strip() for begin, end in zip([0] + ends, ends)]


def check_functions(lines, told):
    """Each row of the table is one of the functions, with its numbers. Returns the number of rows."""
    title = next((number for number, line in enumerate(lines) if line.startswith("Your functions")), None)
    if title is None:
        return 0
    heads = re.findall(r"\S+(?: \S+)*", lines[title + 1])
    numbers = heads[:heads.index("function")]
    ends = [lines[title + 1].index(" " + word) + 1 + len(word) for word in numbers]
    name_at = lines[title + 1].index("function")
    marked = "waits %" not in numbers
    worked = told["bar"]["whole_ns"]
    rows, sum_of_shares = 0, 0
    for line in lines[title + 2:]:
        if not line:
            break
        sum_of_shares += float(cells(line, ends)[1].strip(" <╌:"))
        if "(libraries)" in line or re.search(r"\(\d+ idle thread", line):
            continue
        row = dict(zip(numbers, cells(line, ends)))
        took = re.match(TIME, row["own"]).group()
        waits = re.search("[╌:]$", line[:ends[0] + 2].rstrip()) if marked else row["waits %"]
        name = re.split(r"  +", line[name_at:])[0].strip("…")
        found = [each for each in told["links"]["functions"] if name in (each["name"] or "").replace("<locals>.", "")
                 and is_shown_as(took, running(each) + waiting(each))
                 and row.get("calls") in (None, "", "{:,}".format(each["calls"]))]
        assert found, (line, told["links"]["functions"][:12])
        assert any(is_row(each, row, waits, marked, line[name_at:], worked, told) for each in found), (line, found)
        rows += 1
    assert sum_of_shares <= 101, lines[title:]
    return rows


def is_row(each, row, waits, marked, rest, worked, told):
    """Whether all columns are those of a function."""
    all_ns, waited = running(each) + waiting(each), waiting(each)
    place = PLACE.search(rest)
    callers = [call for call in told["links"]["calls"] if (call["function"], call["function_line"]) == (each["name"], each["line"])]
    return all((
        abs(float(row["%"].strip(" <╌:")) - 100 * all_ns / worked) <= 0.11,
        not row.get("total") or is_shown_as(row["total"], each["total_ns"]),
        "mean" not in row or (is_shown_as(row["mean"], each["mean_ns"]) if row["mean"] else not each["calls"]),
        not row.get("longest") or is_shown_as(row["longest"], each["max_ns"]),
        bool(waits) == (waited >= all_ns / 10 and waited > 0) or abs(waited - all_ns / 10) < 1,
        marked or not waits or abs(float(waits) - 100 * waited / all_ns) <= 0.6,
        place is None or int(place.group(2)) == each["line"] or any(call["line"] == int(place.group(2)) for call in callers)))


def sentences(screen):
    """What stands out, each sentence on one line, without the option at its end."""
    part = re.search(r"\nWhat stands out\n(.*?)\n(?:\n|$)", screen, re.S)
    text = re.sub(r"\n   ", " ", part.group(1)) if part else ""
    return [re.sub(r" \(--[\w -]+\)$", "", line[3:]) for line in text.splitlines()]


def means(told):
    """Of all that a JSON has calls of: how long one took, and one of the others than the longest."""
    if isinstance(told, list):
        return [mean for part in told for mean in means(part)]
    if not isinstance(told, dict):
        return []
    found = [mean for part in told.values() for mean in means(part)]
    calls, total = told.get("calls"), told.get("total_ns")
    if calls and total:
        found += [total / calls, (total - (told.get("max_ns") or 0)) / max(1, calls - 1)]
    return found


def imported(row):
    return row["python_ns"] + row["c_ns"] - row.get("ready_ns", 0)


def check_findings(screen, told, report):
    """A sentence of the screen is a finding's. Its place is the finding's; its times and counts are the finding's, or in
    the tables that the sentence refers to."""
    shown = {row["text"]: row for row in told["stands_out"]}
    for sentence in sentences(screen):
        assert sentence in shown, (sentence, list(shown))
        row = shown[sentence]
        places = PLACE.findall(sentence)
        if row["file"] and places:
            assert any(row["file"].endswith(file.strip("…")) and int(line) == row["line"] for file, line in places), row
        more = report(*("--" + row["option"]).split()) if row["option"] else {}
        collections = sum(each["collections"] for each in more.get("gc", []))
        known = values(told) + values(more) + [collections]
        known += [imported(each) for each in told["links"]["imports"]]
        counts = [int(count.replace(",", "")) for count in re.findall(r"([\d,]+) (?:times|calls)\b", sentence)]
        raised = [int(count.replace(",", "")) for count in re.findall(r"([\d,]+) of [\d,]+ calls", sentence)]
        each = means(told) + means(more) + [row["ns"] / count for count in counts + raised if count]
        shown_times = times(sentence)
        if row["rule"] in ("slow_rank", "slow_worker"):  # of the others a range is shown
            ran = [entry for entry in report("--imbalance")["imbalance"] if entry["name"] and entry["name"] in sentence]
            if " spends about " in sentence:  # without the time in which it had no processor
                assert any(ns(shown_times[0]) <= entry["max_ns"] * 1.01 for entry in ran), (row, ran)
            else:
                assert any(is_shown_as(shown_times[0], entry["max_ns"]) for entry in ran), (row, ran)
            assert all(ns(time) <= ns(shown_times[0]) for time in shown_times), row
            shown_times = []
        for time in shown_times:
            assert any(is_shown_as(time, value) for value in (row["ns"], row.get("within_ns", 0), *known, *each)), (time, row)
        if row["rule"] == "garbage":  # without the collections of imports
            assert counts[0] <= collections, row
            counts = []
        for count in counts:
            assert count in known, (count, row)
    return len(shown)


def check_imports(text, imports):
    """A text such as "388 ms: numpy 366 ms · json 8.88 ms", or none."""
    if not text:
        return
    whole, *parts = re.split(r": | · ", text)
    assert is_shown_as(whole, sum(imports.values())), (text, imports)
    for part in parts:
        time = times(part)[-1]
        assert is_shown_as(time, imports[part[:-len(time)].strip()]), (part, imports)


def check_lines(lines, told):
    """The causes of waiting, and the packages that were imported."""
    for line in lines:
        if line.startswith("Waiting for "):
            waits = {row["cause"]: row["waiting_ns"] for row in told["waits"]}
            for part in line[len("Waiting for "):].split(" · "):
                time = times(part)[-1]
                assert is_shown_as(time, waits[part[:-len(time)].strip()]), (part, waits)
        elif re.match("Imports (of yours )?" + TIME, line):
            libraries, _, own = line[len("Imports "):].partition("; ") if " of yours " not in line else ("", "", line[len("Imports of "):])
            check_imports(libraries, {row["package"] or "others": imported(row) for row in told["links"]["imports"]})
            check_imports(own[len("yours "):], {row["module"]: imported(row) for row in told["links"]["own_imports"]})
        elif re.match(r"MPI \d+ rank", line) and "mpi" in told and "needs TRACING" not in line:
            assert int(line.split()[1]) == len(told["mpi"]["ranks"])
            for time in times(line)[:2]:
                assert any(is_shown_as(time, value) for value in sums_of_ranks(told)), (line, told["mpi"]["ranks"])
        elif "parallel efficiency" in line and "mpi" in told:
            of = told["mpi"]["efficiency"]
            shown = [float(share) for share in re.findall(r"([\d.]+) %", line)]
            assert shown[:3] == pytest.approx([100 * of[key] for key in ("parallel", "load_balance", "communication")], abs=0.06)


def sums_of_ranks(told):
    """Of each number that ranks have, the sum of all."""
    ranks = told["mpi"]["ranks"]
    return [sum(rank[key] for rank in ranks) for key, value in ranks[0].items()
            if key.endswith("_ns") and all(isinstance(rank[key], int) for rank in ranks)]


def check(screen, report):
    """Returns the number of functions and of findings that were compared."""
    lines = screen.splitlines()
    told = report("--links")
    if any(re.match(r"MPI \d+ rank", line) for line in lines):
        told["mpi"] = report("--mpi")["mpi"]
    check_head(lines, told)
    check_bar(lines, told)
    check_lines(lines, told)
    return check_functions(lines, told), check_findings(screen, told, report)
