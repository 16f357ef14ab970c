"""OpenMP: the members of teams, where they wait, and their tasks."""

from language import (
    NULL, Comment, add, both, change, compare, either, field, handler, holding, is_field, is_null, is_set, location,
    looked_up, negated, of_field, text, top, value, when,
)  # fmt: skip
from stacks import BUSY, THREAD, begin, end, pop, push, stack

OPENMP = "ompt_pinsight_lttng_ust:"
TEAM = 64  # members of a team whose parts end with the region; those of others end when the thread is needed again
ZERO = value("long", 0)
IN_REGION = is_field("parallel_id", ZERO, "ne")
FIRST = is_field("omp_thread_num", ZERO)
# A thread that did not start the region; of a league each thread is the first of its team.
MEMBER = either(
    negated(FIRST), both(is_field("flags", value("long", 1)), is_field("omp_team_num", ZERO, "ne"))
)
OWN_PLACE = (location("place"),)
LIVES = compare(looked_up(*OWN_PLACE, "region"), of_field("parallel_id"))
# A thread's last part has not ended.
HAS_PART = both(is_set(*OWN_PLACE, "region"), compare(looked_up(*OWN_PLACE, "region"), ZERO, "ne"))
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
    name = SYNCS[0][1]
    handlers.append(handler(OPENMP + "barrier_implicit_begin", *holding(IN_PART, wait_begin(name))))
    goes_on = both(IN_PART, on_top(name), is_field("ends_task", ZERO))
    handlers.append(handler(OPENMP + "barrier_implicit_end", *holding(goes_on, wait_end())))
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
    begins = [
        *holding(IN_REGION, [
            *region_name("parallel"),
            *begin("OpenMP", REGION_NAME),
            when(is_null(*waits()), change(waits(), value("int", 0))),
        ]),
        *holding(both(IN_REGION, MEMBER), [
            change((*OWN_PLACE, "region"), of_field("parallel_id")),
            change((*OWN_PLACE, "thread"), of_field("context._vtid")),
        ]),
    ]  # fmt: skip
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
        handler(OPENMP + "implicit_task_begin", *begins),
        handler(OPENMP + "implicit_task_next", *holding(HAS_PART, own)),
        handler(OPENMP + "implicit_task_next", *begins),
        handler(
            OPENMP + "barrier_implicit_end",
            *holding(both(IN_REGION, LIVES, negated(is_field("ends_task", ZERO))), own),
        ),
        handler(OPENMP + "implicit_task_end", *holding(both(IN_REGION, LIVES), own)),
        handler(
            OPENMP + "implicit_task_end",
            *holding(both(IN_REGION, FIRST, is_set(*stack(THREAD, "OpenMP"))), end("OpenMP")),
        ),
        handler(OPENMP + "target_begin", *region_name("target", "target name"), *begin("OpenMP", REGION_NAME)),
        handler(OPENMP + "target_end", *end("OpenMP")),
        Comment("... a region ends with the parts of its members: one after the other, for there is no loop"),
        handler(OPENMP + "parallel_end", *holding(on_top(SYNCS[0][1]), [*wait_end(), *end("OpenMP")])),
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
