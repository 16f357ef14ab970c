#!/usr/bin/env python3
"""Write pinsight.xml, the analyses and views for Eclipse Trace Compass, from the event tables.

    generate.py FILE       writes FILE; left alone if it would not change

The language is Trace Compass's "data driven analysis" (its user guide; its schemas are xmlDefinition.xsd and those
that it includes). It has no loops, no arithmetic but adding to an attribute, and no text but what events bring or
what stands in the file (language.py has it). Hence three things that look odd:

- Names of `names = registry`: an event has 4 * number + how in one field. When a number is defined, 4 * number is
  added up in a scratch attribute, and the name is kept for each of the four values that such a field may have.
- The members of a team: when the thread that started a region ends it, the parts of all members end. There is one
  place for each of the first TEAM threads of OpenMP, and each is looked at.
- A condition that must hold for several changes is worked out once, into the scratch attribute `holds`.

Attributes, with what they hold:

    Processes/PID                    name (rank 3, or the program), MPI (the call that it is in), busy (threads at work)
    Processes/PID/Threads/TID        name; CallStack: all domains nested in each other, as `pinsight export` has them
    Processes/PID/Threads/TID/D      D is Python, OpenMP, MPI, CUDA: what the thread is in now; CallStack: its stack
    Processes/PID/OpenMP/NUMBER      region and thread of a member of a team, by OpenMP's number of the thread
    Processes/PID/Devices/DEV/STREAM what a stream of a GPU finished last; done: how much it finished
    Processes/PID/Tasks/NUMBER       what a task of Python does: its name while it runs, "waits", "ready"; name
    Load/D                           threads that are in D, of all processes
    Names/PID, Tids, Scratch         what events are looked up by
"""

import argparse
import pathlib
import sys

from language import (
    NULL, Comment, Element, add, attribute, change, field, handler, holding, is_field, is_null, location, looked_up, of_field,
    query, text, top, value, when,
)  # fmt: skip
from openmp import MUTEXES, SYNCS, TEAM, openmp
from stacks import REGISTRY_BUSY, REGISTRY_THREAD, THREAD, begin, end, stack
from views import PROVIDER, head, views

HERE = pathlib.Path(__file__).resolve().parent
EVENTS = HERE.parent / "src" / "events"
sys.path.insert(0, str(EVENTS))

import generate as tables  # noqa: E402  (src/events/generate.py)

VERSION = 7  # of the state provider: raise it with every change of the states that it makes
TRACE_TYPE = "org.eclipse.linuxtools.lttng2.ust.tracetype"
RANKS = 256  # ranks that are shown as "rank N"; others as their number

PYTHON, MPI, CUDA = (name + "_pinsight_lttng_ust:" for name in ("python", "pmpi", "cupti"))
CORE = "pinsight_lttng_ust:"
# What a stream did, by its record, and what that is called.
CUDA_WORK = {"Memcpy": text("memcpy"), "Memset": text("memset"), "Graph": text("graph"), "Sync": text("sync")}
NO_STREAM = value("long", 2**32 - 1)  # of waiting for a device


# ---- definitions ----


def definitions():
    name, rank = (location("named process"), "name"), field("rank")
    shown = [
        change(name, of_field("rank", mappingGroup="rank", update="true")),
        when(is_null(*name), change(name, of_field("rank", forcedType="string", update="true"))),
    ]
    ranked = is_field("rank", value("long", 0), "ge")
    thread = (location("named process"), "Threads", field("tid"), "name")
    return [
        Comment("Processes and threads: their names; of registry's events, which have no context, the process"),
        handler(
            CORE + "process_info",
            when(is_null(*name), change(name, of_field("program", update="true"))),
            *holding(ranked, shown),
        ),
        handler(MPI + "mpi_info", *shown),
        handler(
            CORE + "thread_info",
            change(("Tids", field("tid")), of_field("pid")),
            change(thread, of_field("name", update="true")),
        ),
    ]


def numbered(number, name, kind):
    """Keeps a name under the four values of a field that has 4 * number + how."""
    scratch = ("Scratch", "number")
    changes = [change(scratch, of_field(number, forcedType="long", update="true"))]
    changes += [change(scratch, of_field(number, increment="true", update="true"))] * 3
    for how in range(4):
        if how:
            changes.append(change(scratch, value("long", 1, increment="true", update="true")))
        changes.append(change(("Names", field("context._vpid"), kind, query(*scratch)), of_field(name)))
    return changes


# ---- Python ----


def python():
    function, call = (looked_up(location(kind + " name")) for kind in ("function", "call"))
    unknown = [
        when(is_null(location(kind + " name")),
             change((location(kind + " name"),), of_field(number, forcedType="string")))
        for kind, number in (("function", "code_how"), ("call", "callee_how"))
    ]  # fmt: skip
    registry = {"thread": REGISTRY_THREAD, "busy": REGISTRY_BUSY}
    begins = {
        PYTHON + "function_begin": "qualname",
        PYTHON + "c_call_begin": "callee_name",
        PYTHON + "import_begin": "module",
        CORE + "region_begin": "name",
    }
    waits = [
        # A state cannot begin before the event that tells of it (futureTime is the future alone), and gil_wait is
        # written after the wait: no state, but a sum.
        Comment("Python: waits for locks. Those for the GIL are told when they are over: how long each thread waited"),
        handler(PYTHON + "gil_wait",
                change((*THREAD, "GIL"), of_field("wait_ns", forcedType="long", increment="true"))),
        handler(PYTHON + "lock_wait_begin", *begin("Locks", text("wait: lock"))),
        handler(PYTHON + "lock_wait_end", *end("Locks")),
    ]
    handlers = [Comment("Python: functions, calls into C, imports and what the program marks (names = inline)")]
    for event, name in begins.items():
        handlers.append(handler(event, *begin("Python", of_field(name))))
        handlers.append(handler(event[: -len("begin")] + "end", *end("Python")))
    scratch = ("Scratch", "gc")
    return handlers + [
        Comment("Python: collections of garbage"),
        handler(
            PYTHON + "gc_begin",
            change(scratch, of_field("generation", mappingGroup="gc", update="true")),
            when(is_null(*scratch), change(scratch, text("gc", update="true"))),
            *begin("Python", looked_up(*scratch)),
        ),
        handler(PYTHON + "gc_end", *end("Python")),
        Comment("Python, where events have numbers (names = registry)"),
        handler(PYTHON + "code_info", *numbered("code", "qualname", "functions")),
        handler(PYTHON + "callee_info", *numbered("callee", "callee_name", "calls")),
        handler(PYTHON + "begin", unknown[0], *begin("Python", function, **registry)),
        handler(PYTHON + "end", *end("Python", **registry)),
        handler(PYTHON + "c_begin", unknown[1], *begin("Python", call, **registry)),
        handler(PYTHON + "c_end", *end("Python", **registry)),
        *waits,
    ]


def tasks():
    """Of each task what it does: its name while it runs."""
    def task(number):
        return (location("process"), "Tasks", field(number))

    def is_task(number):
        return is_field(number, value("long", 0), "ne")

    def runs(number):
        return change(task(number), looked_up(*task(number), "name"))

    return [
        Comment("Python: tasks of event loops"),
        handler(
            PYTHON + "task_begin",
            change((*task("task"), "name"), of_field("name", update="true")),
            when(is_null(*task("task")), change(task("task"), text("ready"))),
        ),
        handler(
            PYTHON + "task_switch",
            when(is_task("from"), change(task("from"), text("waits"))),
            when(is_task("to"), runs("to")),
        ),
        handler(PYTHON + "task_wake", change(task("task"), text("ready"))),
        handler(PYTHON + "task_end", change(task("task"), NULL)),
    ]


# ---- MPI and CUDA ----


def calls(domain, provider, events, group, rows=()):
    """Calls whose name is their event's: `rows` show the last one too."""
    scratch = ("Scratch", "call")
    call = looked_up(*scratch)
    now = top(*stack(THREAD, domain))
    return [
        handler(
            provider + events + "_begin",
            change(scratch, value("eventName", mappingGroup=group, update="true")),
            when(is_null(*scratch), change(scratch, value("eventName", update="true"))),
            *begin(domain, call),
            *(change(row, call) for row in rows),
        ),
        handler(provider + events + "_end", *end(domain), *(change(row, now) for row in rows)),
    ]


def cuda_activity():
    stream = (location("process"), "Devices", field("devId"), field("streamId"))
    kernel = (location("kernel name"),)
    unknown = when(is_null(*kernel), change(kernel, of_field("kernel", forcedType="string")))
    handlers = [
        Comment("CUDA: what a stream finished, when its record arrives"),
        handler(CUDA + "kernel_info", change(("Names", field("pid"), "kernels", field("kernel")), of_field("name"))),
    ]
    for event, name in {"Kernel": looked_up(*kernel), **CUDA_WORK}.items():
        handlers.append(
            handler(
                CUDA + "cuda%sActivity" % event,
                *([unknown] if event == "Kernel" else []),
                *holding(is_field("streamId", NO_STREAM, "ne"), [change(stream, name), add((*stream, "done"), 1)]),
            )
        )
    return handlers


# ---- locations and mappings ----


def locations():
    pid, tid = field("context._vpid"), field("context._vtid")
    of_tid = query("Tids", field("tid"))
    found = {
        "process": ("Processes", pid),
        "named process": ("Processes", field("pid")),
        "registry process": ("Processes", of_tid),
        "thread": ("Processes", pid, "Threads", tid),
        "registry thread": ("Processes", of_tid, "Threads", field("tid")),
        "function name": ("Names", of_tid, "functions", field("code_how")),
        "call name": ("Names", of_tid, "calls", field("callee_how")),
        "region name": ("Names", pid, "regions", field("parallel_codeptr")),
        "target name": ("Names", pid, "regions", field("codeptr")),
        "kernel name": ("Names", pid, "kernels", field("kernel")),
        "place": ("Processes", pid, "OpenMP", field("global_thread_num")),
    }
    for number in range(1, TEAM):
        place = ("Processes", pid, "OpenMP", str(number))
        found["region %d" % number] = (*place, "region")
        found["member %d" % number] = ("Processes", pid, "Threads", query(*place, "thread"))
    return [Element("location", *map(attribute, path), id=name) for name, path in found.items()]


def mapping(name, pairs):
    entries = [Element("entry", *pair) for pair in pairs]
    for one in entries:
        one.on_one_line = True
    return Element("mappingGroup", *entries, id=name)


def mappings():
    def named(provider, names):
        return [(text(provider + name + "_begin"), text(name)) for name in names]

    return [
        mapping("rank", [(value("long", rank), text("rank %d" % rank)) for rank in range(RANKS)]),
        mapping("gc", [(value("long", number), text("gc generation %d" % number)) for number in range(3)]),
        mapping("wait", [(text(name), value("int", 1)) for name in (*(name for _, name in SYNCS), *MUTEXES)]),
        mapping("MPI", named(MPI, functions("mpi", "MPI_"))),
        mapping("CUDA", named(CUDA, functions("cuda", "cuda"))),
    ]


def functions(domain, start):
    """Names of the functions of MPI or CUDA, as the events have them, in the order of the alphabet."""
    table, = (table for table in tables.load([EVENTS / (domain + ".json")]) if table["domain"] == domain)
    names = {event["name"] for event in table["events"]}
    return sorted(name[: -len("_begin")] for name in names if name.startswith(start) and name.endswith("_begin"))


def document():
    provider = Element(
        "stateProvider",
        head("PInsight", Element("traceType", id=TRACE_TYPE)),
        *locations(),
        *mappings(),
        *definitions(),
        *python(),
        *tasks(),
        *openmp(),
        Comment("MPI: every call, by its event's name"),
        *calls("MPI", MPI, "MPI_*", "MPI", rows=[(location("process"), "MPI")]),
        Comment("CUDA: calls of the program"),
        *calls("CUDA", CUDA, "cuda*", "CUDA"),
        *cuda_activity(),
        id=PROVIDER,
        version=VERSION,
    )
    root = Element(
        "tmfxml", provider, *views(),
        **{"xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance", "xsi:noNamespaceSchemaLocation": "xmlDefinition.xsd"},
    )  # fmt: skip
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append("<!-- PInsight's analyses and views for Eclipse Trace Compass; docs/tracecompass.md says how to use them.")
    lines.append("     Written by tracecompass/generate.py from the event tables; edit that. -->")
    return "\n".join(lines + root.lines(0)) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path, metavar="FILE")
    path, new = parser.parse_args().file, document()
    if not path.exists() or path.read_text(encoding="utf-8") != new:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
