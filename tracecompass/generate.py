#!/usr/bin/env python3
"""Write pinsight.xml, the analyses and views for Eclipse Trace Compass, from the event tables.

    generate.py [--check]       writes pinsight.xml beside this file; --check only looks whether it would change

The language is Trace Compass's "data driven analysis" (its user guide; its schemas are xmlDefinition.xsd and those
that it includes). It has no loops, no arithmetic but adding to an attribute, and no text but what events bring or
what stands in the file. Hence the three things below that look odd:

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
    Load/D                           threads that are in D, of all processes
    Names/PID, Tids, Scratch         what events are looked up by
"""

import argparse
import pathlib
import sys
from xml.sax.saxutils import quoteattr

HERE = pathlib.Path(__file__).resolve().parent
EVENTS = HERE.parent / "src" / "events"
sys.path.insert(0, str(EVENTS))

import generate as tables  # noqa: E402  (src/events/generate.py)

VERSION = 2  # of the state provider: raise it with every change of the states that it makes
TRACE_TYPE = "org.eclipse.linuxtools.lttng2.ust.tracetype"
TEAM = 64  # members of a team whose parts end with the region; those of others end when the thread is needed again
RANKS = 256  # ranks that are shown as "rank N"; others as their number
WIDTH = 150

PYTHON, OPENMP, MPI, CUDA, CORE = (
    name + "_pinsight_lttng_ust:" for name in ("python", "ompt", "pmpi", "cupti", "")
)
CORE = CORE.lstrip("_")
# The domain comes later: the calls that its design names.
CUDA_CALLS = (
    "cudaMemcpy cudaMemcpyAsync cudaKernelLaunch cudaDeviceSync cudaStreamSync cudaMalloc cudaFree cudaMemset "
    "cudaMemsetAsync cudaEventRecord cudaEventSync cudaGraphLaunch"
).split()
CUDA_WORK = {"Kernel": "kernel", "Memcpy": "memcpy", "Memset": "memset", "Sync": "sync"}


# ---- elements ----


class Element:
    on_one_line = False  # however long that gets

    def __init__(self, tag, *children, **attributes):
        self.tag = tag
        self.children = [child for child in children if child is not None]
        self.attributes = {key.rstrip("_"): value for key, value in attributes.items()}

    def line(self):
        words = "".join(" %s=%s" % (key, quoteattr(str(value))) for key, value in self.attributes.items())
        if not self.children:
            return "<%s%s/>" % (self.tag, words)
        return "<%s%s>%s</%s>" % (self.tag, words, "".join(child.line() for child in self.children), self.tag)

    def lines(self, depth):
        margin = "  " * depth
        line = self.line()
        if self.on_one_line or "<!--" not in line and len(margin) + len(line) <= WIDTH:
            return [margin + line]
        opening = Element(self.tag, **self.attributes).line()[:-2] + ">"
        inner = [text for child in self.children for text in child.lines(depth + 1)]
        return [margin + opening, *inner, margin + "</%s>" % self.tag]


class Comment:
    def __init__(self, text):
        self.text = text

    def line(self):
        return "<!-- %s -->" % self.text

    def lines(self, depth):
        return ["", "  " * depth + self.line()]


def field(name):
    return ("eventField", name)


def location(name):
    return ("location", name)


EVENT_NAME = ("eventName", None)


def query(*path):
    return ("query", path)


def attribute(part):
    if isinstance(part, str):
        return Element("stateAttribute", type="constant", value=part)
    kind, value = part
    if kind == "query":
        return Element("stateAttribute", *map(attribute, value), type="query")
    if value is None:
        return Element("stateAttribute", type=kind)
    return Element("stateAttribute", type=kind, value=value)


def value(kind, content=None, *, path=(), **more):
    if content is not None:
        more["value"] = content
    return Element("stateValue", *map(attribute, path), type=kind, **more)


def text(content, **more):
    return value("string", content, **more)


def of_field(name, **more):
    return value("eventField", name, **more)


def looked_up(*path, **more):
    return value("query", path=path, **more)


def top(*path):
    return value("query", path=path, stack="peek")


NULL = value("null")


# ---- conditions ----


def compare(first, second, operator=None):
    return Element("condition", first, second, **({"operator": operator} if operator else {}))


def is_field(name, second, operator=None):
    return compare(Element("field", name=name), second, operator)


def both(*conditions):
    return Element("and", *conditions)


def either(*conditions):
    return Element("or", *conditions)


def negated(condition):
    return Element("not", condition)


def is_null(*path):
    return compare(looked_up(*path), NULL)


def is_set(*path):
    return compare(looked_up(*path), NULL, "ne")


# ---- changes ----


class Change:
    """What stands in a stateChange, a then or an else."""

    def __init__(self, *content):
        self.content = content

    def put(self, tag="stateChange"):
        return Element(tag, *self.content)


def change(path, new):
    return Change(*map(attribute, path), new)


def when(condition, then, otherwise=None):
    return Change(Element("if", condition), then.put("then"), otherwise and otherwise.put("else"))


HOLDS = ("Scratch", "holds")


def holding(condition, changes):
    """The changes, where the condition holds before the first of them."""
    yes, no = (change(HOLDS, value("int", number, update="true")) for number in (1, 0))
    held = compare(looked_up(*HOLDS), value("int", 1))
    return [when(condition, yes, no), *(when(held, one) for one in changes)]


def add(path, number):
    return change(path, value("int", number, increment="true"))


def handler(event, *changes):
    return Element("eventHandler", *(one.put() for one in changes), eventName=event)


# ---- a thread's stacks ----

THREAD = (location("thread"),)
REGISTRY_THREAD = (location("registry thread"),)
BUSY = (location("process"), "busy")
REGISTRY_BUSY = (location("registry process"), "busy")


def stack(thread, domain):
    return (*thread, domain, "CallStack")


def begin(domain, new, thread=THREAD, busy=BUSY):
    """A thread begins something in a domain: `new` is its name."""
    return [
        push(stack(thread, domain), new),
        when(depth_is(stack(thread, domain), 1), add(("Load", domain), 1)),
        change((*thread, domain), new),
        push((*thread, "CallStack"), new),
        when(depth_is((*thread, "CallStack"), 1), add(busy, 1)),
    ]


def push(path, new):
    return change(path, Element("stateValue", *new.children, **{**new.attributes, "stack": "push"}))


def pop(path, how="pop"):
    return change(path, value("null", stack=how))


def depth_is(path, number):
    return compare(looked_up(*path), value("int", number))


def end(domain, thread=THREAD, busy=BUSY):
    """What it began last in the domain ends."""
    return [
        when(depth_is(stack(thread, domain), 1), add(("Load", domain), -1)),
        pop(stack(thread, domain)),
        change((*thread, domain), top(*stack(thread, domain))),
        when(depth_is((*thread, "CallStack"), 1), add(busy, -1)),
        pop((*thread, "CallStack")),
    ]


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
    handlers = [Comment("Python: functions, calls into C, imports and what the program marks (names = inline)")]
    for event, name in begins.items():
        handlers.append(handler(event, *begin("Python", of_field(name))))
        handlers.append(handler(event[: -len("begin")] + "end", *end("Python")))
    return handlers + [
        Comment("Python, where events have numbers (names = registry)"),
        handler(PYTHON + "code_info", *numbered("code", "qualname", "functions")),
        handler(PYTHON + "callee_info", *numbered("callee", "callee_name", "calls")),
        handler(PYTHON + "begin", unknown[0], *begin("Python", function, **registry)),
        handler(PYTHON + "end", *end("Python", **registry)),
        handler(PYTHON + "c_begin", unknown[1], *begin("Python", call, **registry)),
        handler(PYTHON + "c_end", *end("Python", **registry)),
    ]


# ---- OpenMP ----

ZERO = value("long", 0)
IN_REGION = is_field("parallel_id", ZERO, "ne")
FIRST = is_field("omp_thread_num", ZERO)
# A thread that did not start the region; of a league each thread is the first of its team.
MEMBER = either(
    negated(FIRST), both(is_field("flags", value("long", 1)), is_field("omp_team_num", ZERO, "ne"))
)
OWN_PLACE = (location("place"),)
LIVES = compare(looked_up(*OWN_PLACE, "region"), of_field("parallel_id"))
# The part that the event is about has not ended: that of a thread which started the region ends by itself.
IN_PART = both(IN_REGION, either(FIRST, LIVES))
REGION_NAME = looked_up("Scratch", "region")
WAITING = ("Load", "OpenMP waiting")
SYNCS = (
    ("barrier_implicit_sync", "wait: implicit barrier"),
    ("barrier_explicit_sync", "wait: barrier"),
    ("taskwait_sync", "wait: taskwait"),
    ("taskgroup_sync_wait", "wait: taskgroup"),
)
MUTEXES = ("wait: lock", "wait: critical", "wait: ordered", "wait: atomic")
# What a thread does in its part of a region.
IN_PARTS = (
    "work_* masked_* barrier_* task* reduction_* dependence lock_* critical_* mutex_* "
    "target_data_op_* target_submit_* cancel flush implicit_task_end"
).split()


def region_name(otherwise, where="region name"):
    """What a region is called: the function that it stands in."""
    scratch = ("Scratch", "region")
    known = looked_up(location(where), update="true")
    return [
        change(scratch, known),
        when(either(is_null(*scratch), compare(looked_up(*scratch), text("?"))),
             change(scratch, text(otherwise, update="true"))),
    ]  # fmt: skip


def part_over(thread, waits, region):
    """All that a member of a team does in OpenMP is over."""
    return [
        when(is_set(*stack(thread, "OpenMP")), add(("Load", "OpenMP"), -1)),
        pop(stack(thread, "OpenMP"), "popAll"),
        pop((*thread, "OpenMP", "left"), "popAll"),
        change((*thread, "OpenMP"), NULL),
        when(is_set(*thread, "CallStack"), add(BUSY, -1)),
        pop((*thread, "CallStack"), "popAll"),
        when(compare(looked_up(*waits), value("int", 1)), add(WAITING, -1)),
        change(waits, value("int", 0)),
        change(region, ZERO),
    ]


def waits(of=THREAD):
    return (*of, "OpenMP", "waiting")


def settle():
    """The thread waits if what it is in now is a wait: a task that runs meanwhile is none."""
    now, waits_now = looked_up(*THREAD, "OpenMP", mappingGroup="wait", update="true"), ("Scratch", "waits")
    begun = both(is_set(*waits_now), compare(looked_up(*waits()), value("int", 1), "ne"))
    over = both(is_null(*waits_now), compare(looked_up(*waits()), value("int", 1)))
    return [
        change(waits_now, now),
        when(begun, add(WAITING, 1)),
        when(over, add(WAITING, -1)),
        when(is_set(*waits_now), change(waits(), value("int", 1)), change(waits(), value("int", 0))),
    ]


def wait_begin(name):
    return [*begin("OpenMP", text(name)), *settle()]


def wait_end():
    return [*end("OpenMP"), *settle()]


def on_top(name):
    return compare(top(*stack(THREAD, "OpenMP")), text(name))


def openmp_waits():
    handlers = [Comment("OpenMP: where threads wait. From arriving to leaving, whatever the runtime says between")]
    for event, name in SYNCS:
        handlers.append(handler(OPENMP + event + "_begin", *holding(IN_PART, wait_begin(name))))
        handlers.append(handler(OPENMP + event + "_end", *holding(both(IN_PART, on_top(name)), wait_end())))
    lock, critical, ordered_wait, atomic = MUTEXES
    tried = either(*(is_field("mutex_kind", text(kind)) for kind in ("test_lock", "test_nest_lock")))
    ordered = is_field("mutex_kind", text("ordered"))
    for event, name, more in (
        ("lock", lock, (negated(tried),)),
        ("critical", critical, ()),
        ("mutex", ordered_wait, (ordered,)),
        ("mutex", atomic, (negated(ordered),)),
    ):
        handlers.append(handler(OPENMP + event + "_acquire", *holding(both(IN_PART, *more), wait_begin(name))))
    return handlers


def openmp_wanted():
    """A mutex that a thread wanted it has at its next event, or has had already, or it goes without: a lock that is
    only tried and not had has no end (and libomp 14 tells it as any other)."""
    wanted = both(IN_PART, either(*map(on_top, MUTEXES)))
    return [
        Comment("OpenMP: whatever a thread does next, it waits for a mutex no longer"),
        *(handler(OPENMP + event, *holding(wanted, wait_end())) for event in IN_PARTS),
    ]


def openmp_tasks():
    """A task begins within the one that the thread leaves for it, and ends when the thread is back there."""

    def status(*names):
        return either(*(is_field("prior_status", text(name)) for name in names))

    left, is_wait = (*THREAD, "OpenMP", "left"), ("Scratch", "waits")
    back = compare(top(*left), of_field("next_task_id"))
    leaves = (IN_PART, status("switch", "yield"), is_field("next_task_id", ZERO, "ne"))
    goes = [*begin("OpenMP", text("task")), push(left, of_field("task_id")), *settle()]
    # An untied task may be left while it waits, and goes on as another: the wait is over too.
    returns = [
        change(is_wait, looked_up(*THREAD, "OpenMP", mappingGroup="wait", update="true")),
        *(when(is_set(*is_wait), one) for one in end("OpenMP")),
        *end("OpenMP"),
        pop(left),
        *settle(),
    ]
    done = both(IN_PART, status("complete", "cancel", "detach"), on_top("task"))
    return [
        Comment("OpenMP: tasks"),
        handler(OPENMP + "task_schedule", *holding(both(*leaves, negated(back)), goes)),
        handler(OPENMP + "task_schedule", *holding(both(*leaves, back), returns)),
        handler(OPENMP + "task_schedule", *holding(done, [*end("OpenMP"), pop(left), *settle()])),
    ]


def openmp():
    league = both(
        is_field("flags", value("long", 0x40000000), "ge"), is_field("flags", value("long", 0x80000000), "lt")
    )
    own = part_over(THREAD, waits(), (*OWN_PLACE, "region"))
    handlers = [
        Comment("OpenMP: regions, and the parts that the threads of a team have in them"),
        handler(
            OPENMP + "region_info",
            change(("Names", field("pid"), "regions", field("codeptr")), of_field("symbol")),
        ),
        handler(
            OPENMP + "parallel_begin",
            *holding(league, region_name("teams")),
            *holding(negated(league), region_name("parallel")),
            *begin("OpenMP", REGION_NAME),
        ),
        handler(
            OPENMP + "implicit_task_begin",
            *holding(IN_REGION, [
                *region_name("parallel"),
                *begin("OpenMP", REGION_NAME),
                when(is_null(*waits()), change(waits(), value("int", 0))),
            ]),
            *holding(both(IN_REGION, MEMBER), [
                change((*OWN_PLACE, "region"), of_field("parallel_id")),
                change((*OWN_PLACE, "thread"), of_field("context._vtid")),
            ]),
        ),
        handler(OPENMP + "implicit_task_end", *holding(both(IN_REGION, LIVES), own)),
        handler(
            OPENMP + "implicit_task_end",
            *holding(both(IN_REGION, FIRST, is_set(*stack(THREAD, "OpenMP"))), end("OpenMP")),
        ),
        handler(OPENMP + "target_begin", *region_name("target", "target name"), *begin("OpenMP", REGION_NAME)),
        handler(OPENMP + "target_end", *end("OpenMP")),
        Comment("... a region ends with the parts of its members: one after the other, for there is no loop"),
        handler(OPENMP + "parallel_end", *end("OpenMP")),
    ]  # fmt: skip
    ends = []
    for number in range(1, TEAM):
        region, member = (location("region %d" % number),), (location("member %d" % number),)
        lives = compare(looked_up(*region), of_field("parallel_id"))
        ends += [when(lives, one) for one in part_over(member, waits(member), region)]
    members = handler(OPENMP + "parallel_end", *ends)
    for one in members.children:
        one.on_one_line = True
    handlers.append(members)
    return openmp_wanted() + handlers + openmp_waits() + openmp_tasks()


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
    handlers = [Comment("CUDA: what a stream finished, when its record arrives")]
    for event, name in CUDA_WORK.items():
        handlers.append(
            handler(CUDA + "cuda%sActivity" % event, change(stream, text(name)), add((*stream, "done"), 1))
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


def mappings(functions):
    def named(provider, names):
        return [(text(provider + name + "_begin"), text(name)) for name in names]

    return [
        mapping("rank", [(value("long", rank), text("rank %d" % rank)) for rank in range(RANKS)]),
        mapping("wait", [(text(name), value("int", 1)) for name in (*(name for _, name in SYNCS), *MUTEXES)]),
        mapping("MPI", named(MPI, functions)),
        mapping("CUDA", named(CUDA, CUDA_CALLS)),
    ]


def mpi_functions():
    """Names of MPI's functions, as the events have them, in the order of the alphabet."""
    mpi, = (table for table in tables.load([EVENTS / "mpi.json"]) if table["domain"] == "mpi")
    names = {event["name"] for event in mpi["events"]}
    return sorted(name[: -len("_begin")] for name in names if name.startswith("MPI_") and name.endswith("_begin"))


# ---- views ----

SELF = Element("display", type="self")
NAMED = Element("name", type="constant", value="name")
PROVIDER = "pinsight.states"


def head(label, *inner):
    return Element("head", *inner, Element("label", value=label))


def entry(path, *children, display=SELF, name=None, shows_text=True):
    more = {"displayText": "true"} if shows_text else {}
    return Element("entry", display, name, *children, path=path, **more)


def shows(attribute_name):
    return Element("display", type="constant", value=attribute_name)


def view(name, label, *entries):
    return Element("timeGraphView", head(label, Element("analysis", id=PROVIDER)), *entries, id="pinsight.view." + name)


def xy(name, label, path, display=SELF, shown=None, **more):
    one = Element("entry", display, shown, path=path, **more)
    return Element("xyView", head(label, Element("analysis", id=PROVIDER)), one, id="pinsight.xy." + name)


def call_stack(name, label, *levels):
    group = Element(
        "callstackGroup",
        *(Element("level", path=path) for path in ("Processes/*", "Threads/*", *levels)),
        Element("thread", level="1", type="name"),
        name=label,
    )
    return Element("callstack", group, Element("analysis", id=PROVIDER), id="pinsight.callstack." + name)


def by_thread(*rows):
    return entry("Processes/*", entry("Threads/*", *rows, name=NAMED), name=NAMED)


def views():
    return [
        Comment("One rank's domains under each other: of each thread a row for each domain, then the streams"),
        view(
            "domains", "PInsight: all domains",
            entry(
                "Processes/*",
                entry("Threads/*", *(entry(domain) for domain in ("Python", "OpenMP", "MPI", "CUDA")), name=NAMED),
                entry("Devices/*", entry("*")),
                name=NAMED,
            ),
        ),
        view("python", "PInsight: Python functions", by_thread(entry("Python/CallStack/*"))),
        view("openmp", "PInsight: OpenMP threads", by_thread(entry("OpenMP"), entry("OpenMP/CallStack/*"))),
        view(
            "mpi", "PInsight: MPI ranks",
            entry("Processes/*", entry("Threads/*", display=shows("MPI"), name=NAMED), display=shows("MPI"), name=NAMED),
        ),
        view("cuda", "PInsight: CUDA streams", entry("Processes/*", entry("Devices/*", entry("*")), name=NAMED)),
        Comment("Load"),
        xy("load", "PInsight: load", "Load/*"),
        xy("busy", "PInsight: busy threads of each process", "Processes/*", shows("busy"), NAMED),
        xy("streams", "PInsight: work finished by CUDA streams", "Processes/*/Devices/*/*", shows("done"),
           displayType="delta"),
        Comment("Flame charts and flame graphs"),
        call_stack("all", "PInsight: all domains nested"),
        call_stack("python", "PInsight: Python", "Python"),
    ]  # fmt: skip


def document():
    provider = Element(
        "stateProvider",
        head("PInsight", Element("traceType", id=TRACE_TYPE)),
        *locations(),
        *mappings(mpi_functions()),
        *definitions(),
        *python(),
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
    parser.add_argument("--check", action="store_true", help="only look whether the file is up to date")
    options = parser.parse_args()
    path, new = HERE / "pinsight.xml", document()
    if options.check:
        if not path.exists() or path.read_text(encoding="utf-8") != new:
            sys.exit("generate.py: pinsight.xml is not what the tables give; run tracecompass/generate.py")
        return
    path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
