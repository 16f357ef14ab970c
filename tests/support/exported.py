"""What an export to a viewer of timelines has to hold, whichever form it has.

A form's test gives what its own reader found:
    processes  {key: {pid, name, order}}
    threads    {key: {process, tid, name, order}}
    counters   [{name, process (None: the whole run), values: [[ns, value], …]}]
    events     [[thread, "B", "E" or "i", ns, name, category, details, flows that leave, flows that arrive], …]
in the order of the file.
"""
import collections
import json
import subprocess

from . import places

PYTHON = ("python", "c")
NATIVE = ("openmp", "mpi", "cuda")


class Slice:
    def __init__(self, thread, ns, name, category, details, parent):
        self.thread, self.begin, self.end, self.parent = thread, ns, None, parent
        self.name, self.category, self.details = name, category, details
        self.instants = []

    def within(self, *categories):
        """The slices around it that are of these categories, innermost first."""
        found, at = [], self.parent
        while at:
            if at.category in categories:
                found.append(at)
            at = at.parent
        return found

    def __repr__(self):
        return "%s %s %s-%s" % (self.category, self.name, self.begin, self.end)


class Timeline:
    """The slices and flows of a form; what a viewer relies on is looked for while it is made."""

    def __init__(self, told):
        self.processes, self.threads, self.counters = told["processes"], told["threads"], told["counters"]
        self.slices, self.instants = [], []
        self.leaving, self.arriving = {}, {}
        self.launched = collections.defaultdict(list)  # work of devices, by the flow that its call has
        self.follow(told["events"])
        self.check_places()
        self.check_flows()

    def follow(self, events):
        opened, last = collections.defaultdict(list), {}
        for thread, phase, ns, name, category, details, leave, arrive in events:
            stack = opened[thread]
            assert ns >= last.get(thread, ns), "time runs back in %s: %s" % (self.threads[thread], name)
            last[thread] = ns
            if phase == "B":
                assert name and category
                one = Slice(thread, ns, name, category, details, stack[-1] if stack else None)
                stack.append(one)
                self.slices.append(one)
            elif phase == "E":
                assert stack, "an end without its begin in %s" % self.threads[thread]
                one = stack.pop()
                one.end = ns
                one.details.update(details)
            else:
                one = Slice(thread, ns, name, category, details, stack[-1] if stack else None)
                one.end = ns
                self.instants.append(one)
            if category == "device":  # a flow of one call may lead to much work, and passes through all
                for number in (*leave, *arrive):
                    self.launched[number].append(one)
                continue
            for found, numbers in ((self.leaving, leave), (self.arriving, arrive)):
                for number in numbers:
                    assert number not in found, "flow %s has this end twice" % number
                    found[number] = one
        assert set(opened) <= set(self.threads)
        for thread, stack in opened.items():
            assert not stack, "no end of %s in %s" % (stack, self.threads[thread])

    def check_places(self):
        pids = [process["pid"] for process in self.processes.values()]
        tids = [thread["tid"] for thread in self.threads.values()]
        assert len(set(pids)) == len(pids) and len(set(tids)) == len(tids)
        assert all(one["name"] and one["pid"] for one in self.processes.values())
        assert all(one["name"] and one["tid"] and one["process"] in self.processes for one in self.threads.values())
        for counter in self.counters:
            values = counter["values"]
            assert [ns for ns, _ in values] == sorted(ns for ns, _ in values)
            assert all(value >= 0 for _, value in values)
            assert counter["process"] is None or counter["process"] in self.processes

    def check_flows(self):
        for number, to in self.arriving.items():
            assert self.leaving[number].begin <= to.begin, (self.leaving[number], to)
        for number, one in self.leaving.items():
            assert number in self.arriving or number in self.launched or one.category in ("openmp", "mpi", "cuda"), one
        for number, works in self.launched.items():
            assert self.leaving[number].category == "cuda"
            assert all(self.leaving[number].begin <= to.begin for to in works), number

    def flows(self, category):
        """(from, to) of those that lead to something of a category."""
        return [(self.leaving[number], to) for number, to in self.arriving.items() if to.category == category]

    def counter(self, name, process=None):
        found = [one["values"] for one in self.counters if one["name"] == name and one["process"] == process]
        assert len(found) <= 1
        return found[0] if found else []


def totals(timeline, key, categories, children):
    """{key(slice): [calls, total, self]}: of nested ones of a key the outermost counts in total; self is without
    what is of `children`."""
    found = collections.defaultdict(lambda: [0, 0, 0])
    for one in timeline.slices:
        length = one.end - one.begin
        inside = one.within(*children)
        if one.category in children and inside and inside[0].category in categories:
            found[key(inside[0])][2] -= length
        if one.category in NATIVE and inside and inside[0].category == "import" and not one.within(*NATIVE):
            # What is of an import is without native work in it: that stays with the function that imports.
            importer = next((outer for outer in inside if outer.category != "import"), None)
            if importer and importer.category in categories:
                found[key(importer)][2] += length
        if one.category not in categories:
            continue
        row = found[key(one)]
        row[0] += not ("resumed" in one.details or "thrown_into" in one.details)
        row[2] += length
        if not any(outer.category == one.category and key(outer) == key(one) for outer in inside):
            row[1] += length
    return dict(found)


def report(folder, *options):
    done = subprocess.run([places.COMMAND, "report", "-q", str(folder), "--format", "json", *options],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.decode("utf-8", "surrogateescape"))


def assert_python_as_reported(timeline, told):
    """Each function's calls and times are those of pinsight report, to the nanosecond."""
    functions = totals(timeline, lambda one: (one.name, one.details.get("file"), one.details.get("line")), ["python"],
                       PYTHON + ("import", "gc"))
    expected = collections.defaultdict(lambda: [0, 0, 0])
    for row in told["functions"]:
        for at, key in enumerate(("calls", "total_ns", "self_ns")):
            expected[row["name"], row["file"], row["line"] or None][at] += row[key]
    assert functions == dict(expected), [(key, functions.get(key), expected.get(key)) for key in {*functions, *expected}
                                         if functions.get(key) != expected.get(key)][:5]
    calls = collections.Counter(one.name for one in timeline.slices if one.category == "c")
    expected = collections.Counter()
    for row in told["c_calls"]:
        expected[row["name"]] += row["calls"]
    assert calls == expected


def assert_openmp_as_reported(timeline, told):
    """Regions, the members of their teams, and a flow to each member but who started it."""
    both = [one for one in timeline.slices if one.category == "openmp" and one.name != "task"]
    parts = [one for one in both if one.details.get("part")]
    regions = [one for one in both if one not in parts]
    assert len(regions) == sum(row["calls"] for row in told["regions"]) > 0
    assert sum(one.end - one.begin for one in regions) == sum(row["total_ns"] for row in told["regions"])
    assert len(parts) == sum(thread["openmp"]["regions"] for thread in told["threads"] if thread["openmp"])
    flows = timeline.flows("openmp")
    others = [one for one in parts if one.parent not in regions]
    assert {id(to) for _, to in flows} == {id(one) for one in others} and len(flows) == len(others)
    for source, to in flows:
        assert source in regions and source.thread != to.thread and source.name == to.name
        assert source.begin <= to.begin <= source.end
    lines = collections.Counter((one.details.get("file"), one.details.get("line")) for one in regions)
    expected = collections.Counter()
    for row in told["regions"]:
        expected[row["python_file"], row["python_line"]] += row["calls"]
    assert lines == expected
    return regions, parts


def assert_mpi_as_reported(timeline, told):
    """Calls by function and rank, a flow for each message that was matched, ranks in their order."""
    told = told["mpi"]
    found = collections.defaultdict(lambda: [0, 0])
    for one in timeline.slices:
        if one.category == "mpi":
            row = found[one.name]
            row[0] += 1
            row[1] += one.end - one.begin
    assert dict(found) == {row["name"]: [row["calls"], row["total_ns"]] for row in told["functions"]}
    flows = timeline.flows("mpi")
    assert len(flows) == told["matching"]["matched"] > 0
    ranks = {key: one["order"] for key, one in timeline.processes.items()}
    for key, one in timeline.processes.items():
        assert one["name"].startswith("rank %d (" % one["order"]), one
    sent = collections.Counter()
    for source, to in flows:
        assert source.category == "mpi" and to.parent.category == "mpi", (source, to)
        assert to.parent.begin <= to.begin <= to.parent.end and source.begin <= to.begin
        sent[ranks[timeline.threads[source.thread]["process"]], ranks[timeline.threads[to.thread]["process"]]] += 1
    assert sent == {(row["from"], row["to"]): row["matched"] for row in told["matrix"] if row["matched"]}
    return flows
