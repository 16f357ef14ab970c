"""Keeps many runs in one file of SQLite, for `pinsight store`.

The file has no events of a run. It has functions, calling contexts, findings, and facts about the
run. docs/store.md describes the tables.
"""
import collections
import datetime
import json
import os
import subprocess
import sys

import sqlite3

from . import data

FORMAT = 1
ABOVE = 3  # the exit status if runs take more time than --fail-above allows
_APPLICATION = 0x50496E73  # marks the file as a store
_WAIT_S = 10  # for another process that writes
_LEAST_SHARE = 0.001  # of the time of all contexts: smaller ones are left out

_SCHEMA = """
create table runs (run integer primary key, identity text not null unique, added text not null, began text not null,
    trace text not null, command text not null, host text not null, hosts integer not null, commit_id text not null,
    pinsight text not null, python text not null, processes integer not null, ranks integer not null,
    duration_ns integer not null, wall_ns integer);
create table parameters (run integer not null references runs, name text not null, value text not null,
    primary key (run, name)) without rowid;
create table codes (code integer primary key, kind text not null, function text not null, module text not null,
    file text not null, line integer not null, unique (function, kind, module, file, line));
create table functions (run integer not null references runs, code integer not null references codes,
    calls integer not null, total_ns integer not null, self_ns integer not null, min_ns integer not null,
    max_ns integer not null, primary key (code, run)) without rowid;
create table contexts (run integer not null references runs, node integer not null, parent integer not null,
    code integer not null references codes, calls integer not null, self_ns integer not null,
    total_ns integer not null, beside integer not null, primary key (run, node)) without rowid;
create table findings (run integer not null references runs, rule text not null, text text not null, file text,
    line integer, ns integer, share real);
create index functions_of_run on functions (run);
create index findings_of_run on findings (run);
"""
_RUN = ("identity", "began", "trace", "command", "host", "hosts", "commit_id", "pinsight", "python", "processes", "ranks",
        "duration_ns", "wall_ns")


class Error(Exception):
    """The store cannot be used. The text says why, and what to do."""


# The file.

def open_store(path, write=False, wait_s=_WAIT_S):
    """A connection to a store. With `write`, a new file becomes one. Raises Error."""
    if not os.path.exists(path):
        if not write:
            raise Error("there is no store %s; `pinsight store add TRACE` makes it, and --file names another" % path)
    elif not os.path.isfile(path):
        raise Error("%s is not a file; --file names the store" % path)
    try:
        mode = "rwc" if write else "ro"
        connection = sqlite3.connect("file:%s?mode=%s" % (_in_uri(path), mode), uri=True, timeout=wait_s, isolation_level=None)
        _check(connection, path, write)
    except sqlite3.Error as problem:
        raise Error(_why(problem, path, wait_s)) from problem
    return connection


def _in_uri(path):
    from urllib.parse import quote

    return quote(os.fsencode(os.path.abspath(path)))


def _why(problem, path, wait_s=_WAIT_S):
    """A message for an error of SQLite."""
    text = str(problem)
    if "locked" in text:
        return "another process writes to %s, for more than %g s; try again when it has ended" % (path, wait_s)
    if "not a database" in text or "malformed" in text:
        return "%s is not a store, or is damaged (%s); --file names another" % (path, text)
    if "readonly" in text or "unable to open" in text:
        return "%s cannot be %s; check its folder, and the rights of both" % (path, "written" if "readonly" in text else "opened")
    return "%s: %s" % (path, text)


def _check(connection, path, write):
    """Makes the tables of a new store, and refuses a file that is none."""
    (application,), (version,) = (connection.execute("pragma " + name).fetchone() for name in ("application_id", "user_version"))
    if application != _APPLICATION:
        if connection.execute("select count(*) from sqlite_master").fetchone()[0] or not write:
            raise Error("%s is not a store of PInsight; --file names another" % path)
        connection.execute("begin immediate")
        # Another process may have made the tables in the meantime.
        if not connection.execute("select count(*) from sqlite_master").fetchone()[0]:
            for statement in _SCHEMA.split(";")[:-1]:
                connection.execute(statement)
            connection.execute("pragma application_id = %d" % _APPLICATION)
            connection.execute("pragma user_version = %d" % FORMAT)
        connection.execute("commit")
    elif version != FORMAT:
        raise Error("%s was made by another version of PInsight (form %d; this version has form %d); --file names another" % (
            path, version, FORMAT))


# Facts about a run.

def facts_of(path, commit="", parameters=()):
    """Reads the facts of a trace into a dictionary for add(). Raises data.Error."""
    trace = data.open(path)
    report = json.loads(data.run(["report", "-q", "--format", "json", "--limit", "1", path]))
    told, processes = report["trace"], report["processes"]
    hosts = sorted({process["hostname"] for process in processes if process["hostname"]})
    return {
        "identity": "%s %d %d %d" % (",".join(hosts), told["begin_ns"], told["end_ns"], told["events"]),
        "began": _date(told["begin_ns"] / 1e9), "trace": os.path.abspath(path),
        "command": processes[0]["command"] if processes else "", "host": hosts[0] if hosts else "", "hosts": len(hosts),
        "commit_id": commit or _commit(), "pinsight": report["pinsight_version"], "python": _pythons(processes),
        "processes": len(processes), "ranks": len({process["rank"] for process in processes} - {-1}),
        "duration_ns": told["duration_ns"], "wall_ns": told["wall_ns"], "parameters": dict(parameters),
        "functions": _functions(trace), "contexts": _contexts(trace),
        "findings": [{key: row.get(key) for key in ("rule", "text", "file", "line", "ns", "share")} for row in report["stands_out"]]}


def _date(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def _pythons(processes):
    found = {domain["runtime"] for process in processes for domain in process["domains"] if domain["name"] == "Python"}
    return ", ".join(sorted(text for text in found if text))


def _commit():
    """The commit of this folder, with a + if files differ from it. Empty without git."""
    def git(*words):
        return subprocess.run(["git", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              check=True, timeout=30, encoding="utf-8").stdout.strip()
    try:
        commit = git("rev-parse", "--verify", "HEAD")
        return commit + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""


def _functions(trace):
    """The sums of each function, and of the calls of C from each line."""
    found = collections.OrderedDict()
    for kind, function, module, file, line, _, calls, total, own, least, most in trace.functions.rows():
        row = found.setdefault((kind, function, module, file, line), [0, 0, 0, least, most])
        for place, value in enumerate((calls, total, own)):
            row[place] += value
        row[3], row[4] = min(row[3], least), max(row[4], most)
    return [key + tuple(row) for key, row in found.items()]


def _contexts(trace):
    """The calling contexts of all processes together, without those of little time."""
    nodes, merged, rows = {}, {}, []
    for node, parent, _, _, kind, function, file, line, calls, own, total, beside in trace.context_tree.rows():
        above = nodes[parent] if parent >= 0 else -1
        code = (kind, "" if kind == "root" else function, "", file, line)
        number = nodes[node] = merged.setdefault((above, code, beside), len(merged))
        if number == len(rows):
            rows.append([above, code, 0, 0, 0, beside])
        for place, value in enumerate((calls, own, total), 2):
            rows[number][place] += value
    least = _LEAST_SHARE * sum(row[4] for row in rows if row[0] < 0)
    kept = [number for number, row in enumerate(rows) if row[4] >= least and row[4]]
    places = {number: place for place, number in enumerate(kept)}
    # A node beside its parent's time may be longer than its parent.
    return [(place, places.get(rows[number][0], -1)) + tuple(rows[number][1:]) for place, number in enumerate(kept)]


# Runs in the file.

def add(connection, facts):
    """Adds a run, and returns its number and whether it was new. Commits it as a whole."""
    connection.execute("begin immediate")
    try:
        known = connection.execute("select run from runs where identity = ?", (facts["identity"],)).fetchone()
        if known:
            return known[0], False
        run = connection.execute("insert into runs (added, %s) values (%s)" % (", ".join(_RUN), ", ".join("?" * (len(_RUN) + 1))),
                                 [_date(_now())] + [facts[name] for name in _RUN]).lastrowid
        connection.executemany("insert into parameters values (?, ?, ?)", [(run, *item) for item in facts["parameters"].items()])
        connection.executemany("insert into functions values (?, ?, ?, ?, ?, ?, ?)", [
            (run, _code(connection, row[:5]), *row[5:]) for row in facts["functions"]])
        connection.executemany("insert into contexts values (?, ?, ?, ?, ?, ?, ?, ?)", [
            (run, node, parent, _code(connection, code), *numbers) for node, parent, code, *numbers in facts["contexts"]])
        connection.executemany("insert into findings values (?, ?, ?, ?, ?, ?, ?)", [
            (run, *(row[key] for key in ("rule", "text", "file", "line", "ns", "share"))) for row in facts["findings"]])
        connection.execute("commit")
        return run, True
    finally:
        if connection.in_transaction:
            connection.execute("rollback")


def _now():
    import time

    return time.time()


def _code(connection, code):
    """The number of a code, which is added if it is new."""
    where = "select code from codes where kind = ? and function = ? and module = ? and file = ? and line = ?"
    found = connection.execute(where, code).fetchone()
    return found[0] if found else connection.execute(
        "insert into codes (kind, function, module, file, line) values (?, ?, ?, ?, ?)", code).lastrowid


def runs_of(connection, host="", parameters=()):
    """The runs on a host (all, if it is empty) with these parameters, as dictionaries."""
    rows = connection.execute("select * from runs order by run")
    names = [column[0] for column in rows.description]
    runs = collections.OrderedDict((row[0], dict(zip(names, row), parameters={})) for row in rows)
    for run, name, value in connection.execute("select * from parameters order by run, name"):
        runs[run]["parameters"][name] = value
    return [run for run in runs.values() if host in ("", run["host"])
            and all(run["parameters"].get(name) == value for name, value in parameters)]


def _sides(connection, words):
    """The store and the lists of runs of a comparison, from words with --to between the sides.

    Traces among the words get numbers in a copy of the store: nothing is added to it.
    """
    at = words.index("--to")
    sides = [words[:at], words[at + 1:]]
    if not all(map(is_list, sides[0] + sides[1])):
        copy = sqlite3.connect(":memory:", isolation_level=None)
        connection.backup(copy)
        connection = copy
    return connection, [",".join(word if is_list(word) else str(add(connection, facts_of(word))[0]) for word in side)
                        for side in sides]


def is_list(word):
    """Whether a word is a list of runs, such as 7 or 1-5,9, or one with a mistake in it."""
    return not word.strip("0123456789,-")


def main(action: str, path: str, commit: str, host: str, by: str, form: str, above: str, *rest: str) -> int:
    """Executes `pinsight store`. Returns an exit status. `above` is a limit in percent."""
    from . import _store_shown as shown

    end = rest.index("--")
    parameters, words = [tuple(one.split("=", 1)) for one in rest[:end]], rest[end + 1:]
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    status = 0
    try:
        connection = open_store(path, action == "add")
        if action == "add":
            for word in words:
                run, new = add(connection, facts_of(word, commit, parameters))
                print("%s is run %d of %s%s" % (word, run, path, "" if new else " already"))
        elif action == "list":
            shown.write_list(runs_of(connection, host, parameters), form)
        elif action == "trend":
            shown.write_trend(connection, runs_of(connection, host, parameters), words[0], by, form)
        else:
            stored = len(runs_of(connection))
            connection, sides = _sides(connection, words)
            percent = shown.write_difference(connection, runs_of(connection), stored, sides, by, form)
            status = ABOVE if above and percent > float(above) else 0
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = None
    except (Error, data.Error) as problem:
        return _fail(str(problem).strip())
    except sqlite3.Error as problem:
        return _fail(_why(problem, path))
    except OSError as problem:
        return _fail("%s: %s" % (problem.filename or path, problem.strerror or problem))
    return status


def _fail(text):
    sys.stderr.write("pinsight: %s\n" % text)
    return 1
