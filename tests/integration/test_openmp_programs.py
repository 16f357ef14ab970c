"""Small OpenMP programs, each compared with its trace: what is recorded is what the program counted itself.

They are built with clang for LLVM's libomp, and with gcc for its libgomp. All programs of a compiler run in
one traced session. The programs, and how they count, are in tests/openmp; what reads the trace knows nothing of
PInsight's reader.
"""
import collections
import functools
import os

import pytest

from support import openmp, openmp_trace, places

PROGRAMS = """
    empty_regions many_regions many_sites many_threads team_sizes if_false nested nested_three nested_serial own_threads
    loop_static loop_static_chunk loop_dynamic loop_guided loop_runtime loop_nowait loop_collapse loop_wide loop_ordered
    doacross orphaned combined sections single single_copyprivate master masked critical lock lock_outside
    lock_refused nest_lock atomic barrier reduction reduction_critical reduction_tree threadprivate flush tasks
    tasks_of_all tasks_undeferred tasks_final tasks_untied tasks_dependent tasks_exclusive tasks_nested
    tasks_outside tasks_detached taskgroup taskgroup_reduction taskloop taskyield taskwait_dependent cancel_loop
    cancel_parallel cancel_sections cancel_taskgroup cancel_refused teams teams_loop target_host
""".split()
CASES = [(compiler, name) for compiler in ("clang", "gcc") for name in PROGRAMS]
# What LTTng records, too; test_tracecompass looks for each kind of wait in them.
OTHERS = [case + ("lttng",) for case in CASES if case[0] == "clang"]
OTHERS = [case for number, case in enumerate(OTHERS) if number % 2 == 0 or case[1] == "critical"]


def run_all(tmp_path_factory, compiler):
    def make(folder):
        cases = OTHERS if os.environ.get("PINSIGHT_RECORDER") == "lttng" else CASES
        names = [case[1] for case in cases if case[0] == compiler]
        built = openmp.build(compiler, names)
        return openmp.script(folder, {name: (openmp.environment(name), [built / name]) for name in names})
    return openmp.run_once(tmp_path_factory, compiler, make)


def examine(tmp_path_factory, compiler, name):
    """(compiler, name of the program, what it said, what the trace says of it)."""
    folder = run_all(tmp_path_factory, compiler)
    code = (folder / (name + ".rc")).read_text().strip()
    errors = (folder / (name + ".err")).read_text()
    assert code == "0" and not errors, (code, errors)
    said = openmp.Said((folder / (name + ".out")).read_text())
    assert said.done
    return compiler, name, said, openmp_trace.Process(said.pid, openmp.recorded_in(folder / "trace")[said.pid])


@pytest.fixture(params=CASES + OTHERS, ids="-".join)
def case(request, tmp_path_factory, monkeypatch):
    compiler, name, *recorder = request.param
    if recorder:
        monkeypatch.setenv("PINSIGHT_RECORDER", recorder[0])
    return examine(tmp_path_factory, compiler, name)


def works(process, *types):
    return [event for event in process.of("work_begin") if event.fields["work_type"] in types]


def members_in_teams(process):
    """How many threads come to the barrier at a region's end: those of regions with more than one."""
    return sum(1 for event in process.of("implicit_task_begin")
               if event.fields["flags"] & openmp_trace.IMPLICIT_TASK and event.fields["team_size"] > 1)


def once_for_a_team(begun):
    """Of the members' events of a construct, one of each team's: those of its first thread."""
    return [event for event in begun if event.fields["omp_thread_num"] == 0]


def counted(process, compiler):
    """What the trace says under the programs' keys. Keys that are not here are not looked at."""
    work = functools.partial(works, process)
    dependences = collections.Counter(event.fields["dependence_type"] for event in process.of("dependence"))
    cancels = collections.Counter(event.fields["flags"] & 0x30 for event in process.of("cancel"))
    parallel = process.of("parallel_begin")
    tasks = [event for event in process.of("task_create") if event.fields["flags"] & openmp_trace.EXPLICIT_TASK]
    flags = [event.fields["flags"] for event in tasks]
    schedules = process.of("task_schedule")
    return {
        "parallel": sum(1 for event in parallel if event.fields["flags"] & openmp_trace.TEAM),
        "league": sum(1 for event in parallel if event.fields["flags"] & openmp_trace.LEAGUE),
        "teams": sum(1 for event in process.of("implicit_task_begin")
                     if event.fields["flags"] & openmp_trace.INITIAL_TASK and event.fields["parallel_id"]),
        "loop": len(work(*openmp_trace.LOOPS)),
        "iterations": sum(event.fields["count"] for event in once_for_a_team(work(*openmp_trace.LOOPS))),
        "sections": len(work(2)),
        "sections_done": sum(event.fields["count"] for event in once_for_a_team(work(2))),
        "single_executor": len(work(3)),
        "single_other": len(work(4)),
        "distribute": len(work(6)),
        "taskloop": len(work(7)),
        "taskloop_iterations": sum(event.fields["count"] for event in work(7)),
        "masked": process.count("masked_begin"),
        "barrier_implicit": process.count("barrier_implicit_sync_begin") - members_in_teams(process),
        "barrier_explicit": process.count("barrier_explicit_sync_begin"),
        "taskwait": process.count("taskwait_sync_begin"),
        "taskgroup": process.count("taskgroup_sync_begin"),
        "reduction": process.count("reduction_begin"),
        "task": len(tasks),
        "task_undeferred": sum(1 for value in flags if value & 0x08000000),
        "task_untied": sum(1 for value in flags if value & 0x10000000),
        "task_dependent": sum(event.fields["has_dependences"] for event in tasks),
        "task_done": sum(1 for event in schedules
                         if event.fields["prior_status"] in (openmp_trace.COMPLETE, openmp_trace.LATE)),
        "task_thrown_away": sum(1 for event in schedules if event.fields["prior_status"] == openmp_trace.CANCEL),
        "taskwait_dependent": sum(1 for event in process.of("task_create")
                                  if event.fields["flags"] & openmp_trace.TASKWAIT_TASK),
        "dependence_in": dependences[1],
        "dependence_out": dependences[2] + dependences[3],  # libomp tells out as inout
        "dependence_mutexinoutset": dependences[4],
        "dependence_source": dependences[5],
        "dependence_sink": dependences[6],
        "critical": process.count("critical_acquired"),
        "locks_wanted": process.count("lock_acquire"),
        "lock": process.count("lock_acquired", mutex_kind=1) + process.count("lock_acquired", mutex_kind=2),
        "nest_lock": process.count("lock_acquired", mutex_kind=3) + process.count("lock_acquired", mutex_kind=4),
        "nest": process.count("lock_nest_begin"),
        "atomic": process.count("mutex_acquired", mutex_kind=6),
        "ordered": process.count("mutex_acquired", mutex_kind=7),
        "cancel_activated": cancels[0x10],
        "flush": 0 if compiler else process.count("flush"),
    }


def expected(said, compiler):
    """What the program counted, under the same keys; what a runtime or compiler leaves open has no key."""
    told = collections.Counter(said.counts)
    loops = sum(told.pop(key, 0) for key in ("loop_static", "loop_dynamic", "loop_guided", "loop_other"))
    static = said.counts["loop_static"]
    told["loop"] = loops
    told["lock"] += told["test_lock"]
    told["locks_wanted"] = told["lock"] + told["test_lock_failed"] + told["nest_lock"] + told["nest"]
    told["dependence_out"] += told.pop("dependence_inout", 0)
    told["flush"] = 0
    if compiler == "gcc":
        told["parallel"] -= told["teams"]  # the league's teams are regions of LLVM's runtime alone
    excluded = set()
    for key in list(told):
        if key.endswith("_any"):
            excluded.add(key[:-4])
    if told["barrier_more"]:
        excluded.add("barrier_implicit")
    if told["cancel_tried"]:
        # Who was too late to cancel goes on; who was thrown away did not begin.
        excluded |= {"cancel_activated", "task_done", "task_thrown_away"}
    if compiler == "gcc":
        # gcc does static loops, masked regions, sections and what follows a cancellation by itself.
        excluded |= {"masked", "sections", "sections_done", "reduction", "distribute", "dependence_out"} & set(told)
        if static or told["sections"]:
            excluded |= {"loop", "iterations"}
        if told["cancel_activated"]:
            excluded.add("barrier_implicit")
        if told["reduction_any"] or told["reduction"]:
            excluded |= {"atomic"}
        # and its barriers are all of one kind.
        told["barrier_implicit"] += told.pop("barrier_explicit", 0)
    return told, excluded


def test_counts(case):
    """Each construct is in the trace as often as the program met it, and nothing else is."""
    compiler, name, said, process = case
    told, excluded = expected(said, compiler)
    found = counted(process, compiler)
    wrong = {key: (told[key], found[key]) for key in found if key not in excluded and told[key] != found[key]}
    assert not wrong, "key: (program, trace): %s" % wrong
    if told["barrier_more"] and compiler == "clang":
        assert found["barrier_implicit"] >= told["barrier_implicit"] + told["barrier_more"]
    if told["cancel_tried"]:
        schedules = process.of("task_schedule")
        begun = {event.fields["next_task_id"] for event in schedules} & {
            event.fields["new_task_id"] for event in process.of("task_create")}
        assert len(begun) == told["task_begun"]
        assert found["task_done"] + found["task_thrown_away"] == told["task"]
        assert found["cancel_activated"] >= 1


def test_balance(case):
    """Begins equal ends, ids are unique, tasks are made and end, and each event says where it belongs."""
    compiler, name, _, process = case
    wrong = process.check(untied=name == "tasks_untied", idle=compiler == "gcc")
    assert not wrong, "\n".join(wrong[:20])


def test_members(case):
    """The threads of each team are those that were in it, with the numbers that they had."""
    compiler, _, said, process = case
    if said.counts["members_any"]:
        return
    found = collections.Counter((event.vtid, event.fields["omp_thread_num"], event.fields["team_size"])
                                for event in process.of("implicit_task_begin")
                                if event.fields["flags"] & openmp_trace.IMPLICIT_TASK)
    assert not said.members - found
    unseen = said.counts["members_unseen"] - (said.counts["teams"] if compiler == "gcc" else 0)
    assert sum((found - said.members).values()) == unseen


def test_where(case):
    """Each code address is that of the construct: the program, the function, the line."""
    compiler, name, said, process = case
    program = places.BUILD / "openmp-programs" / compiler / name
    known = openmp_trace.symbols(program)
    here = process.regions
    started = {event.fields["parallel_codeptr"] for event in process.of("parallel_begin")}
    for address, region in here.items():
        assert region["pid"] == said.pid
        is_of_llvm = compiler == "clang" and os.path.realpath(region["object"]) == os.path.realpath(openmp.libomp())
        if is_of_llvm and address not in started:
            continue  # libomp gives addresses of its own where one of its entry points calls another
        assert region["object"] == str(program), region
        around = [symbol for symbol in known if symbol[0] < region["offset"] <= symbol[1]]
        assert region["symbol"] in [symbol[2] for symbol in around] or (
            not region["symbol"] and not any(symbol[3] for symbol in around)), (region, around)
    lexgions = [region["lexgion"] for region in here.values()]
    assert len(set(lexgions)) == len(lexgions)
    lines = openmp_trace.source_lines(
        program, {region["offset"] for region in here.values() if region["object"] == str(program)})
    constructs = {"parallel": ("parallel_begin", "parallel_codeptr")}
    if compiler == "clang":
        constructs.update({"loop_static": ("work_begin", "codeptr"), "loop_dynamic": ("work_begin", "codeptr"),
                           "loop_guided": ("work_begin", "codeptr"), "task": ("task_create", "codeptr"),
                           "taskwait": ("taskwait_sync_begin", "codeptr"),
                           "barrier_explicit": ("barrier_explicit_sync_begin", "codeptr")})
    # gcc gives the call that starts a region the line of the statement before it.
    before = 1 if compiler == "gcc" else 0
    for key, (event, field) in constructs.items():
        places_met = [here[made.fields[field]] for made in process.of(event) if made.fields[field]]
        found = collections.Counter(lines[region["offset"]][1] for region in places_met
                                    if region["object"] == str(program))
        for line, times in said.lines[key].items():
            assert found[line] + found[line - before] * before == times, "%s in line %d: %s" % (key, line, found)
