"""Prints the list of runs, the trend of a function, and the difference of runs."""
import difflib
import json
import math
import os
import sys

from . import _sql, _store, _trend

# The measure of a function in a run, from its calls, its total time and its self time.
_MEASURES = {"self": lambda calls, total, own: own, "total": lambda calls, total, own: total,
             "calls": lambda calls, total, own: calls, "mean": lambda calls, total, own: own / calls if calls else 0}
_NAMES = {"self": "self time", "total": "total time", "calls": "calls", "mean": "self time of a call"}
_KINDS = {"function": "Python", "c_call": "C"}
_SHARE = 0.05  # the least change, of the time before it
_SHARE_OF_RUN = 0.005  # the least change, of all self time of the run
_MOST_ROWS = 40


def _time(ns):
    for size, unit in ((10**9, "s"), (10**6, "ms"), (10**3, "us")):
        if abs(ns) >= size:
            text = "%.3g" % (ns / size)
            return "%s %s" % ("%.0f" % (ns / size) if "e" in text else text, unit)
    return "%.0f ns" % ns


def _measure(value, by):
    return "{:,.0f}".format(value) if by == "calls" else _time(value)


def _percent(old, new):
    return "%+.1f %%" % (100 * (new - old) / old) if old else "new"


def _commit(text):
    """The first letters of a commit, with the + of changed files."""
    return text if len(text) <= 12 else text[:10] + ("+" if text.endswith("+") else "")


def _write(names, rows, form):
    if form == "table":
        _sql._write_table(names, rows, sys.stdout, _sql._terminal(sys.stdout))
    else:
        {"csv": _sql._write_csv, "json": _sql._write_json}[form](names, rows, sys.stdout)


def write_list(runs, form):
    """Prints the runs, one in a row."""
    if form == "json":
        json.dump(runs, sys.stdout, indent=1)
        print()
        return
    names = ("run", "began", "commit", "host", "ranks", "time", "parameters", "python", "command")
    rows = [(run["run"], run["began"], _commit(run["commit_id"]) if form == "table" else run["commit_id"], run["host"], run["ranks"],
             _time(run["wall_ns"] or run["duration_ns"]) if form == "table" else run["wall_ns"] or run["duration_ns"],
             " ".join("%s=%s" % one for one in run["parameters"].items()), run["python"], run["command"]) for run in runs]
    _write([name + "_ns" if name == "time" and form == "csv" else name for name in names], rows, form)


# The trend of a function.

def _place(kind, module, file):
    """Returns a function's module, or else its file's name. A checkout may lie elsewhere, and
    lines move."""
    return os.path.basename(file) if kind == "function" and module in ("", "__main__") else module


def _values(connection, by, where, arguments):
    """{(kind, function, place): {run: value}} of the rows that SQL selects."""
    sums = {}
    for kind, function, module, file, run, *numbers in connection.execute(
            "select kind, function, module, file, run, calls, total_ns, self_ns from functions join codes using (code) where " + where,
            arguments):
        row = sums.setdefault((kind, function, _place(kind, module, file)), {}).setdefault(run, [0, 0, 0])
        for place, number in enumerate(numbers):
            row[place] += number
    return {key: {run: _MEASURES[by](*row) for run, row in of.items()} for key, of in sums.items()}


def _full_name(connection, function):
    """A function's name in the store. Its last parts are enough if no other function has them:
    Solver.step is found as step."""
    names = [row[0] for row in connection.execute("select distinct function from codes where kind in ('function', 'c_call')")]
    ends = [name for name in names if name.endswith("." + function)]
    if function in names or len(ends) == 1:
        return function if function in names else ends[0]
    near = ends or difflib.get_close_matches(function, names, 3)
    raise _store.Error("no run has the function %s%s" % (function, "; did you mean %s?" % " or ".join(near[:3]) if near else ""))


def write_trend(connection, runs, function, by, form):
    """Prints the levels of a function's time, and the runs at which they change."""
    told = {run["run"]: run for run in runs}
    if not told:
        raise _store.Error("no run of the store has this host and these parameters; `pinsight store list` lists the runs")
    function = _full_name(connection, function)
    trends = [_trend_of(told, kind, place, values)
              for (kind, _, place), values in sorted(_values(connection, by, "function = ?", (function,)).items())]
    trends = [trend for trend in trends if trend["runs"]]
    if not trends:
        raise _store.Error("no run of this host and with these parameters has the function %s" % function)
    if form == "json":
        json.dump([dict(trend, function=function, by=by) for trend in trends], sys.stdout, indent=1)
        print()
    elif form == "csv":
        _write(("run", "began", "commit", "host", "kind", "place", by), [
            (run, told[run]["began"], told[run]["commit_id"], told[run]["host"], trend["kind"], trend["place"], value)
            for trend in trends for run, value in zip(trend["runs"], trend["values"])], form)
    else:
        print("\n".join(_text_of(function, by, trend, told) for trend in trends), end="")


def _trend_of(told, kind, place, series):
    runs = sorted(run for run in series if run in told)
    values = [series[run] for run in runs]
    if not values:
        return {"runs": runs}
    starts = [0] + _trend.changes(values, _SHARE)
    levels = []
    for begin, end in zip(starts, starts[1:] + [len(values)]):
        part = values[begin:end]
        levels.append({"first_run": runs[begin], "last_run": runs[end - 1], "runs": len(part), "median": _trend.median(part),
                       "min": min(part), "max": max(part)})
    changes = [{"run": runs[start], "before": levels[place]["median"], "after": levels[place + 1]["median"],
                "commit": told[runs[start]]["commit_id"], "also": _also(told[runs[start - 1]], told[runs[start]])}
               for place, start in enumerate(starts[1:])]
    return {"kind": kind, "place": place, "runs": runs, "values": values, "levels": levels, "changes": changes}


def _also(before, after):
    """What else differs between two runs, and may be the reason."""
    pairs = [(name, before[key], after[key]) for name, key in (("host", "host"), ("Python", "python"), ("PInsight", "pinsight"))]
    names = sorted(set(before["parameters"]) | set(after["parameters"]))
    pairs += [(name, before["parameters"].get(name, "none"), after["parameters"].get(name, "none")) for name in names]
    return ["%s %s, then %s" % pair for pair in pairs if pair[1] != pair[2]]


def _text_of(function, by, trend, told):
    """A function's trend as text."""
    count, levels = len(trend["runs"]), trend["levels"]
    lines = ["%s (%s)  %s in %d run%s" % (function, ", ".join(text for text in (_KINDS[trend["kind"]], trend["place"]) if text),
                                         _NAMES[by], count, "s" if count > 1 else ""), ""]
    rows = [("runs", "number", "median", "from", "to")]
    for level in levels:
        ends = ("%d-%d" % (level["first_run"], level["last_run"])) if level["runs"] > 1 else str(level["first_run"])
        rows.append((ends, str(level["runs"])) + tuple(_measure(level[key], by) for key in ("median", "min", "max")))
    widths = [max(len(row[place]) for row in rows) for place in range(5)]
    lines += ["  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows] + [""]
    for change in trend["changes"]:
        run = told[change["run"]]
        word = ("more" if change["after"] > change["before"] else "fewer") if by == "calls" else (
            "slower" if change["after"] > change["before"] else "faster")
        lines.append("%s from run %d on, %s: began %s%s" % (
            word.capitalize(), change["run"], _percent(change["before"], change["after"]), run["began"],
            ", commit " + _commit(change["commit"]) if change["commit"] else ""))
        lines += ["  Also changed: %s" % text for text in change["also"]]
    if count < _trend.FEWEST:
        lines.append("%d runs are too few to find a change; %d are needed." % (count, _trend.FEWEST) if count > 1 else
                     "One run shows no change; %d are needed." % _trend.FEWEST)
    elif not trend["changes"]:
        lines.append("No change.")
    return "\n".join(lines) + "\n"


# The difference of runs.

def _numbers(text, known):
    """The runs of a list such as "1-5,9"."""
    found = []
    for part in text.split(","):
        ends = part.split("-")
        if not all(end.isdecimal() for end in ends) or len(ends) > 2:
            raise _store.Error("'%s' is not a list of runs, such as 7 or 1-5,9" % text)
        first, last = int(ends[0]), int(ends[-1])
        some = [run for run in known if first <= run <= last]
        if not some:
            raise _store.Error("the store has no run %s; `pinsight store list` lists them" % part)
        found += some
    return sorted(set(found))


def _noise(values):
    """How much the values of a group differ. From ten values on, without a sixth of them at each
    end, so that a few disturbed runs hide no change."""
    values = sorted(values)
    left_out = (len(values) - 1) // 6 if len(values) >= 10 else 0
    return values[len(values) - 1 - left_out] - values[left_out]


def write_difference(connection, runs, stored, words, by, form):
    """Prints functions whose time differs more between two groups of runs than within one.

    The runs after the first `stored` ones are traces. Returns the sum of these changes, in
    percent of the first group's time; 0 if noise is unknown.
    """
    known = [run["run"] for run in runs]
    a, b = (_numbers(word, known) for word in words)
    if set(a) & set(b):
        raise _store.Error("run %d is on both sides; each run counts once" % min(set(a) & set(b)))
    series = _values(connection, by, "run in (%s)" % ",".join("?" * len(a + b)), a + b)
    sides = {key: [[of.get(run, 0) for run in side] for side in (a, b)] for key, of in series.items()}
    times = [sum(_trend.median(values[side]) for values in sides.values()) for side in (0, 1)]
    whole, noise_known = max(times), len(a) > 1 or len(b) > 1
    rows = []
    for key, values in sorted(sides.items()):
        old, new = (_trend.median(part) for part in values)
        noise = max(_noise(part) for part in values)
        if abs(new - old) > max(noise, _SHARE * max(old, new), _SHARE_OF_RUN * whole):
            rows.append((new - old, _percent(old, new), noise, old, new, key[1], _KINDS[key[0]], key[2]))
    rows.sort(key=lambda row: -abs(row[0]))
    names = ("change", "percent", "noise", "A", "B", "function", "in", "where")
    change = sum(row[0] for row in rows)
    percent = 0 if not noise_known or not change else 100 * change / times[0] if times[0] else math.inf
    if form != "table":
        _write(names, rows, form)
        return percent
    for name, side in (("A", a), ("B", b)):
        print("%s  %s" % (name, _group(side, {run["run"]: run for run in runs[stored:]})))
    if not noise_known:
        print("!  One run on each side: noise is unknown, and a change can be noise.")
    print("\n%s of functions%s\n" % (_NAMES[by].capitalize(), ": no change beyond the noise" if not rows else ", medians of the runs"))
    if rows:
        shown = [(("+" if row[0] > 0 else "") + _measure(row[0], by), row[1], *(_measure(value, by) for value in row[2:5]), *row[5:])
                 for row in rows[:_MOST_ROWS]]
        _write(names, shown, form)
    if len(rows) > _MOST_ROWS:
        print("(%d of %d; --format csv has all)" % (_MOST_ROWS, len(rows)))
    if rows and by == "self" and noise_known:
        print("\nAll of them: %s of A's time" % _percent(times[0], times[0] + change))
    return percent


def _group(numbers, traces):
    """The runs of a side, in words. `traces` are those outside the store, by number."""
    parts = []
    kept, others = ([number for number in numbers if (number in traces) == is_trace] for is_trace in (False, True))
    if kept:
        parts.append("run %d" % kept[0] if len(kept) == 1 else "%d runs: %d to %d" % (len(kept), kept[0], kept[-1]))
    if others:
        run = traces[others[0]]
        parts.append(run["trace"] if len(others) == 1 else "%d traces: %s" % (len(others), run["command"]))
    return ", and ".join(parts)
