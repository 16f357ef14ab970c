"""OpenMP programs for tests: how they are built and run, and what a trace says of them.

The programs are in tests/openmp. Each counts for itself what it does (counting.h) and prints it. They all run in
one traced session for each compiler; `Process` is what the trace says of one of them, and `Said` what it said itself.
"""
import collections
import fcntl
import functools
import os
import re
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from . import places, traces

SOURCES = places.TESTS / "openmp"
BUILT = places.BUILD / "openmp-programs"
COMPILERS = {"clang": ["clang", "-fopenmp", "-fopenmp-version=51"], "gcc": ["gcc", "-fopenmp"]}
FLAGS = ["-O1", "-g", "-Wall", "-Wno-unknown-pragmas", "-rdynamic", "-pthread"]


def libomp():
    """LLVM's libomp as the loader finds it; the test is skipped without one."""
    for name in ("libomp.so.5", "libomp.so"):
        found = os.popen("clang -print-file-name=%s 2>/dev/null" % name).read().strip()
        if os.path.isabs(found) and os.path.exists(found):
            return os.path.realpath(found)
    places.missing("LLVM's libomp (Debian: libomp-dev)")


def compile_one(compiler, source, target, extra=()):
    """Compiles if the sources are newer; gives what the compiler says where it fails, else None."""
    newest = max(path.stat().st_mtime for path in (source, SOURCES / "counting.h"))
    if target.exists() and target.stat().st_mtime > newest:
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    made = target.with_suffix(".new")
    done = subprocess.run([*COMPILERS[compiler], *FLAGS, *extra, str(source), "-o", str(made)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        return done.stdout.decode(errors="replace")
    os.replace(made, target)
    return None


def build(compiler, names):
    """Builds tests/openmp/NAME.c for each name; gives the folder with the programs."""
    if not shutil.which(COMPILERS[compiler][0]):
        places.missing(COMPILERS[compiler][0])
    libomp()
    folder = BUILT / compiler
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(pool.map(lambda name: compile_one(compiler, SOURCES / (name + ".c"), folder / name), names))
    failed = [text for text in said if text]
    assert not failed, failed[0]
    return folder


def build_program_as_library(name):
    """Builds tests/openmp/NAME.c as a shared library whose main() is run_program(); gives its path."""
    return build_library(name, "clang", "program-", ["-Dmain=run_program"])


def build_library(name, compiler="clang", prefix="", flags=()):
    """Builds tests/openmp/NAME.c as a shared library; gives its path."""
    if not shutil.which(COMPILERS[compiler][0]):
        places.missing(COMPILERS[compiler][0])
    libomp()
    target = BUILT / compiler / ("lib%s%s.so" % (prefix, name))
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target.parent / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = compile_one(compiler, SOURCES / (name + ".c"), target, ["-shared", "-fPIC", *flags])
    assert said is None, said
    return target


def environment(name):
    """What a program's first lines ask for: Environment: NAME=VALUE."""
    head = (SOURCES / (name + ".c")).read_text().split("#include")[0]
    return re.findall(r"Environment: (\w+=\w+)", head)


def script(output, commands, preload=None):
    """Text of a shell script that runs commands {label: (settings, words)} one after the other and keeps what each
    says in files LABEL.out, .err and .rc."""
    lines = ["ulimit -c 0"]
    for label, (settings, words) in commands.items():
        settings = " ".join(settings)
        if preload:
            settings += ' LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}%s"' % preload
        where = shlex.quote(str(output / label))
        lines.append("env %s timeout -k 5 60 %s >%s.out 2>%s.err </dev/null" %
                     (settings, " ".join(shlex.quote(str(word)) for word in words), where, where))
        lines.append("echo $? >%s.rc" % where)
    return "\n".join(lines) + "\n"


def run_once(tmp_path_factory, tag, make, options=()):
    """Runs a script, whose text make(folder) gives, traced and once for all tests, also when pytest has many workers;
    gives the folder, with the trace in `trace`."""
    base = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        base = base.parent
    folder = base / ("openmp-" + tag)
    folder.mkdir(exist_ok=True)
    with open(str(folder) + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "over").exists():
            text = folder / "script"
            text.write_text(make(folder))
            done = subprocess.run(
                [places.COMMAND, "run", "-o", str(folder / "trace"), "--domains", "openmp", "--lossless", "--no-summary",
                 *options, "--", "sh", str(text)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            (folder / "over").write_bytes(done.stderr + b"\n%d" % done.returncode)
    said = (folder / "over").read_text(errors="replace")
    assert said.endswith("\n0"), said
    return folder


# What a trace has that is not of the OpenMP domain.
NOT_OPENMP = {"process_info", "thread_info", "domain_info", "config_change", "mode_change", "domain_totals", "lexgion_profile", "window_end",
              "path_info", "code_info", "callee_info"}


@functools.lru_cache(maxsize=None)
def recorded_in(trace):
    """{pid: [event]} of OpenMP's events in a trace."""
    found = collections.defaultdict(list)
    for event in traces.events(trace):
        if event.name not in NOT_OPENMP:
            found[event.vpid].append(event)
    return found


def all_said(text):
    """What a program and those that it forked or became printed, as a list of Said."""
    parts = re.split(r"(?m)^(?=pid )", text)
    if len(parts) == 1:
        return [Said(text)]
    parts[1] = parts[0] + parts[1]  # what it said before its report
    return [Said(part) for part in parts[1:]]


class Said:
    """What a program printed."""

    def __init__(self, text):
        self.pid = None
        self.done = False
        self.counts = collections.Counter()
        self.lines = collections.defaultdict(collections.Counter)
        self.members = collections.Counter()
        self.notes = collections.defaultdict(list)
        for line in text.splitlines():
            words = line.split()
            if words[:1] == ["pid"]:
                self.pid = int(words[1])
            elif words[:1] == ["count"]:
                self.counts[words[1]] += int(words[2])
            elif words[:1] == ["line"]:
                self.lines[words[1]][int(words[2])] += int(words[3])
            elif words[:1] == ["member"]:
                tid, _level, number, size = map(int, words[1:])
                self.members[tid, number, size] += 1
            elif words[:1] == ["note"]:
                self.notes[words[1]].append(words[2:])
            elif words[:1] == ["done"]:
                self.done = True


# Values of OMPT's flags and of our enumerations.
TEAM, LEAGUE = 0x80000000, 0x40000000
INITIAL_TASK, IMPLICIT_TASK, EXPLICIT_TASK, TASKWAIT_TASK = 1, 2, 4, 0x10
LOOPS = (1, 10, 11, 12, 13)
COMPLETE, YIELD, CANCEL, DETACH, EARLY, LATE, SWITCH, TASKWAIT_COMPLETE = range(1, 9)

# Kinds of events that begin and end, and the field by which the two are known to belong together. The code
# address is none where the end is another call of the program.
PAIRS = {"thread": None, "parallel": "parallel_id", "implicit_task": "task_id", "work": "work_type", "masked": None,
         "barrier_implicit_sync": "sync_kind", "barrier_implicit_sync_wait": "sync_kind",
         "barrier_explicit_sync": "codeptr", "barrier_explicit_sync_wait": "codeptr", "taskwait_sync": "codeptr",
         "taskwait_sync_wait": "codeptr", "taskgroup_sync": None, "taskgroup_sync_wait": "codeptr",
         "reduction": "codeptr", "lock_nest": "wait_id", "target": "target_id", "target_data_op": "host_op_id",
         "target_submit": "host_op_id"}
MUTEXES = ("lock", "critical", "mutex")


class Process:
    """The OpenMP events of one process, in the order of time."""

    def __init__(self, pid, recorded):
        self.pid = pid
        self.events = [event for event in recorded if event.name != "region_info"]
        self.regions = {}
        self.wrong = []
        for event in recorded:
            self.look_at_codeptrs(event)
        self.threads = collections.defaultdict(list)
        for event in self.events:
            self.threads[event.vtid].append(event)

    def of(self, name):
        return [event for event in self.events if event.name == name]

    def count(self, name, **wanted):
        return sum(1 for event in self.events if event.name == name and
                   all(event.fields[key] == value for key, value in wanted.items()))

    def ends_equal_begins(self):
        counts = collections.Counter(event.name for event in self.events)
        return all(counts[kind + "_begin"] == counts[kind + "_end"] for kind in PAIRS)

    def look_at_codeptrs(self, event):
        """Each code address is explained before its first use; twice where two threads meet it at one time."""
        if event.name == "region_info":
            known = self.regions.get(event.fields["codeptr"])
            if known and any(known[key] != event.fields[key] for key in ("object", "offset", "symbol", "lexgion")):
                self.wrong.append("region_info of two kinds: %s, %s" % (known, event.fields))
            self.regions[event.fields["codeptr"]] = event.fields
            return
        for key in ("codeptr", "parallel_codeptr"):
            address = event.fields.get(key, 0)
            if address and address not in self.regions:
                self.wrong.append("%s: %s %#x has no region_info before it" % (event.name, key, address))
                self.regions[address] = None

    def check(self, untied=False, killed=False):
        """Everything that is to be true of any program; gives what is wrong, in words."""
        wrong = list(self.wrong)
        wrong += self.check_threads()
        for tid, recorded in self.threads.items():
            walk = Walk(tid, recorded, untied, killed)
            wrong += walk.wrong
        wrong += self.check_parallel(killed)
        wrong += self.check_tasks(killed)
        wrong += self.check_mutexes(killed)
        return wrong

    def check_threads(self):
        wrong = []
        numbers = {}
        begun = [event.fields["global_thread_num"] for event in self.of("thread_begin")]
        if sorted(begun) != list(range(len(begun))):
            wrong.append("threads are numbered %s" % begun)
        for event in self.events:
            number = event.fields.get("global_thread_num")
            if number is not None and numbers.setdefault(number, event.vtid) != event.vtid:
                wrong.append("two threads have number %d" % number)
                break
        return wrong

    def check_parallel(self, killed):
        wrong = []
        begun, ended, members = {}, {}, collections.defaultdict(list)
        for event in self.events:
            fields = event.fields
            if event.name == "parallel_begin":
                if fields["parallel_id"] in begun or fields["parallel_id"] == 0:
                    wrong.append("parallel_id %d is not new" % fields["parallel_id"])
                begun[fields["parallel_id"]] = event
            elif event.name == "parallel_end":
                if fields["parallel_id"] in ended or fields["parallel_id"] not in begun:
                    wrong.append("parallel_end of %d" % fields["parallel_id"])
                ended[fields["parallel_id"]] = event
            elif event.name == "implicit_task_begin":
                if fields["parallel_id"] != 0:
                    members[fields["parallel_id"]].append(event)
                    if fields["parallel_id"] not in begun:
                        wrong.append("a member of %d before it begins" % fields["parallel_id"])
                elif not fields["flags"] & INITIAL_TASK:
                    wrong.append("an implicit task of no region")
        if not killed and set(begun) != set(ended):
            wrong.append("regions never ended: %s" % sorted(set(begun) - set(ended)))
        for number, event in begun.items():
            if number not in ended:
                continue
            team = members[number]
            end = ended[number]
            if event.vtid != end.vtid or end.fields["parallel_codeptr"] != event.fields["parallel_codeptr"]:
                wrong.append("region %d begins and ends differently" % number)
            if not team or {len(team)} != {task.fields["team_size"] for task in team}:
                wrong.append("region %d has %d members, of a team of %s" % (
                    number, len(team), [task.fields["team_size"] for task in team]))
            which = "omp_team_num" if event.fields["flags"] & LEAGUE else "omp_thread_num"
            if sorted(task.fields[which] for task in team) != list(range(len(team))):
                wrong.append("members of region %d are %s" % (number, [task.fields[which] for task in team]))
            for task in team:
                if not event.ts <= task.ts <= end.ts:
                    wrong.append("a member of region %d begins outside of it" % number)
                if task.fields["parallel_codeptr"] != event.fields["parallel_codeptr"]:
                    wrong.append("a member of region %d has another codeptr" % number)
        return wrong

    def check_tasks(self, killed):
        wrong = []
        made, over = {}, collections.Counter()
        begun = collections.Counter()
        implicit = {event.fields["task_id"] for event in self.of("implicit_task_begin")}
        for event in self.events:
            fields = event.fields
            if event.name == "task_create":
                if fields["new_task_id"] in made or fields["new_task_id"] in implicit or fields["new_task_id"] == 0:
                    wrong.append("task %d is not new" % fields["new_task_id"])
                made[fields["new_task_id"]] = event
            elif event.name == "task_schedule":
                if fields["prior_status"] in (COMPLETE, CANCEL, LATE, TASKWAIT_COMPLETE):
                    over[fields["task_id"]] += 1
                if fields["next_task_id"]:
                    begun[fields["next_task_id"]] += 1
                for key in ("task_id", "next_task_id"):
                    if fields[key] and fields[key] not in made and fields[key] not in implicit:
                        wrong.append("task_schedule of %d, which nobody made" % fields[key])
        if len(implicit) != self.count("implicit_task_begin") or 0 in implicit:
            wrong.append("implicit tasks have not each a number")
        if not killed:
            wrong += ["task %d ends %d times" % (task, over[task]) for task in made if over[task] != 1]
        wrong += ["%d is over and is no explicit task" % task for task in over if task not in made]
        return wrong

    def check_mutexes(self, killed):
        """In each thread, for each mutex: wanted, had, let go of."""
        wrong = []
        for tid, recorded in self.threads.items():
            counts = collections.Counter()
            for event in recorded:
                kind, _, what = event.name.rpartition("_")
                if kind in MUTEXES:
                    key = kind, event.fields["wait_id"], event.fields["mutex_kind"]
                    counts[key + (what,)] += 1
                    nests = counts["nest", event.fields["wait_id"]]
                    wanted, had, gone = (counts[key + (word,)] for word in ("acquire", "acquired", "released"))
                    tried = 0 if kind == "lock" else 1  # omp_test_lock may want and not get
                    if not gone <= had <= wanted or had - gone > 1 or tried and wanted - had - nests > 1:
                        wrong.append("thread %d: %s: wanted %d, had %d, let go %d" % (tid, key, wanted, had, gone))
                elif event.name == "lock_nest_begin":
                    counts["nest", event.fields["wait_id"]] += 1
            for key in [key for key in counts if key[-1] == "acquired"]:
                if not killed and counts[key] != counts[key[:-1] + ("released",)]:
                    wrong.append("thread %d: %s never let go of" % (tid, key))
        return wrong


class Walk:
    """One thread's events: properly nested, and each says the task and region that the thread is in."""

    def __init__(self, tid, recorded, untied, killed):
        self.tid = tid
        self.wrong = []
        self.stack = []      # (kind, key) of what is open
        self.contexts = []   # implicit tasks that are open: (task, region, codeptr, thread number, team number)
        self.task = None     # what the thread does
        self.untied = untied
        if recorded[0].name != "thread_begin":
            self.say(recorded[0], "is the first of the thread")
        if recorded[-1].name != "thread_end" and not killed:
            self.say(recorded[-1], "is the last of the thread")
        for event in recorded:
            self.look(event)
        if self.stack and not killed:
            self.wrong.append("thread %d: never ended: %s" % (tid, self.stack))

    def say(self, event, text):
        if len(self.wrong) < 5:
            self.wrong.append("thread %d: %s %s %s" % (self.tid, event.name, text, event.fields))

    def look(self, event):
        fields = event.fields
        kind, _, what = event.name.rpartition("_")
        if event.name == "implicit_task_begin":
            self.contexts.append((fields["task_id"], fields["parallel_id"], fields["parallel_codeptr"],
                                  fields["omp_thread_num"], fields["omp_team_num"], self.task))
            self.task = fields["task_id"]
        if "parallel_id" in fields:
            self.compare(event)
        if event.name == "task_schedule":
            self.schedule(event)
        elif what == "begin" and kind in PAIRS:
            self.stack.append((kind, fields.get(PAIRS[kind])))
        elif what == "end" and kind in PAIRS:
            self.end(event, (kind, fields.get(PAIRS[kind])))
        if event.name == "implicit_task_end" and self.contexts:
            self.task = self.contexts.pop()[-1]

    def compare(self, event):
        fields = event.fields
        if event.name in ("parallel_begin", "parallel_end"):
            told = fields["task_id"], fields["omp_thread_num"], fields["omp_team_num"]
            mine = self.contexts and (self.task, self.contexts[-1][3], self.contexts[-1][4])
        else:
            told = (fields["task_id"], fields["parallel_id"], fields["parallel_codeptr"], fields["omp_thread_num"],
                    fields["omp_team_num"])
            mine = self.contexts and (self.task,) + self.contexts[-1][1:5]
        late = event.name == "task_schedule" and fields["prior_status"] in (EARLY, LATE, CANCEL, TASKWAIT_COMPLETE)
        late = late or event.name in ("dependence", "task_dependence")  # these are of another task
        if late and mine:
            told, mine = told[1:], mine[1:]
        if told != mine:
            self.say(event, "is not of what the thread is in, %s:" % (mine,))

    def schedule(self, event):
        fields = event.fields
        prior, after, status = fields["task_id"], fields["next_task_id"], fields["prior_status"]
        if status in (SWITCH, YIELD):
            if not self.untied:
                self.stack.append(("task", after))
            self.task = after
        elif status in (COMPLETE, DETACH, CANCEL):
            if status == CANCEL and self.task != prior:
                return  # it never began
            if not self.untied:
                self.end(event, ("task", prior))
            self.task = after

    def end(self, event, ended):
        if self.untied:
            # A task may go on in another thread; what is open is looked for, not only on top.
            if ended in self.stack:
                self.stack.reverse()
                self.stack.remove(ended)
                self.stack.reverse()
            else:
                self.say(event, "ends what is not open")
        elif not self.stack or self.stack[-1] != ended:
            self.say(event, "ends %s, but open is %s:" % (ended, self.stack[-3:]))
            if ended in self.stack:
                while self.stack.pop() != ended:
                    pass
        else:
            self.stack.pop()


def source_lines(program, offsets):
    """{offset: (function, line)} by addr2line; what is asked about is the call before each address."""
    offsets = sorted(offsets)
    done = subprocess.run(["addr2line", "-f", "-e", str(program)], stdout=subprocess.PIPE, check=True,
                          input="".join("%#x\n" % (offset - 1) for offset in offsets).encode())
    told = done.stdout.decode().splitlines()
    lines = {}
    for index, offset in enumerate(offsets):
        line = told[2 * index + 1].rpartition(":")[2].split()[0]
        lines[offset] = told[2 * index], int(line) if line.isdigit() else 0
    return lines


def symbols(program):
    """[(first address, end, name, whether the loader can see it)] of functions."""
    found = {}
    for options in ([], ["-D"]):
        done = subprocess.run(["nm", "-S", "--defined-only", *options, str(program)], stdout=subprocess.PIPE, check=True)
        for line in done.stdout.decode().splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in "TtWwi":
                first = int(words[0], 16)
                name = words[3].split("@")[0]
                found[first, first + int(words[1], 16), name] = bool(options)
    return [(*key, seen) for key, seen in found.items()]
