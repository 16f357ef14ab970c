"""What a trace says of OpenMP programs: one process's events, and what is to be true of any of them."""
import collections
import subprocess

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
# Names of the OpenMP domain's events.
NAMES = ({kind + what for kind in PAIRS for what in ("_begin", "_end")} |
         {kind + what for kind in MUTEXES for what in ("_acquire", "_acquired", "_released")} |
         {"task_create", "task_schedule", "dependence", "task_dependence", "cancel", "flush", "region_info",
          "barrier_implicit_begin", "barrier_implicit_end", "implicit_task_next"})


def apart(recorded):
    """The events with those that tell several things in one taken apart, into what the runtime told."""
    at = collections.defaultdict(list)  # the barriers that a thread is in: one in another is of a region in a task

    def left(event, fields, ends):
        yield event._replace(name="barrier_implicit_sync_wait_end", fields=fields)
        yield event._replace(name="barrier_implicit_sync_end", fields=fields)
        if ends:
            yield event._replace(name="implicit_task_end",
                                 fields={key: value for key, value in fields.items() if key != "sync_kind"})

    for event in recorded:
        thread = at[event.vpid, event.vtid]
        if event.name == "barrier_implicit_begin":
            thread.append(event.fields)
            yield event._replace(name="barrier_implicit_sync_begin")
            yield event._replace(name="barrier_implicit_sync_wait_begin")
        elif event.name in ("barrier_implicit_end", "implicit_task_next"):
            fields = thread.pop() if thread else {"sync_kind": None}
            if event.name == "barrier_implicit_end":
                fields = {key: value for key, value in event.fields.items() if key != "ends_task"}
                yield from left(event, fields, event.fields["ends_task"])
            else:
                yield from left(event, fields, True)
                yield event._replace(name="implicit_task_begin")
        else:
            if event.name == "parallel_end" and thread and thread[-1]["parallel_id"] == event.fields["parallel_id"]:
                yield from left(event, thread.pop(), True)  # it ends the thread's part, too
            yield event


class Process:
    """The OpenMP events of one process, in the order of time."""

    def __init__(self, pid, recorded):
        self.pid = pid
        recorded = list(apart(recorded))
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

    def check(self, untied=False, killed=False, idle=False):
        """Everything that is to be true of any program; gives what is wrong, in words. `idle`: the runtime's threads
        may wait for work in the barrier of their last region when the process ends."""
        wrong = list(self.wrong)
        wrong += self.check_threads()
        for tid, recorded in self.threads.items():
            walk = Walk(tid, recorded, untied, killed, idle)
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

    def __init__(self, tid, recorded, untied, killed, idle=False):
        self.tid = tid
        self.wrong = []
        self.stack = []      # (kind, key) of what is open
        self.contexts = []   # implicit tasks that are open: (task, region, codeptr, thread number, team number)
        self.task = None     # what the thread does
        self.untied = untied
        if recorded[0].name != "thread_begin":
            self.say(recorded[0], "is the first of the thread")
        for event in recorded:
            self.look(event)
        if idle and recorded[0].fields.get("thread_type") == 2 and [kind for kind, _ in self.stack] == [
                "thread", "implicit_task", "barrier_implicit_sync", "barrier_implicit_sync_wait"]:
            return
        if recorded[-1].name != "thread_end" and not killed:
            self.say(recorded[-1], "is the last of the thread")
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
        done = subprocess.run(["nm", "-S", "--defined-only", *options, str(program)], stdout=subprocess.PIPE,
                              check=True)
        for line in done.stdout.decode().splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in "TtWwi":
                first = int(words[0], 16)
                name = words[3].split("@")[0].split("._omp_fn.")[0]  # as regions are named
                found[first, first + int(words[1], 16), name] = bool(options)
    return [(*key, seen) for key, seen in found.items()]
