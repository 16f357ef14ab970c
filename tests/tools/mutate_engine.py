#!/usr/bin/env python3
"""Break the engine and the balance on purpose, one break at a time, and see that a unit test notices each.

    mutate_engine.py [--work DIR] [--only N,N...]

Works on a copy of the tracked files in DIR (a folder that is removed at the end, where none is given), and prints
a table. The exit status is 1 where a break was not noticed, or did not compile.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TESTS = ["engine_paths", "engine_random", "engine_threads", "balance_imports", "balance_numbers", "balance_random", "balance_replay",
         "balance_rules"]
TIMEOUT = 120  # seconds for one test: a break may make it wait for good

LEXGION, COUNT, ENGINE = "src/tracer/core/lexgion.c", "src/tracer/core/count.c", "src/tracer/core/engine.c"
COUNT_WRITE, ENGINE_H = "src/tracer/core/count_write.c", "src/tracer/core/engine.h"
WINDOW, NATIVE = "src/tracer/core/window.c", "src/tracer/core/native_lexgion.c"
AWAY, BALANCE, BALANCE_H = "src/tracer/python/stack_suspend.c", "src/tracer/python/balance.c", "src/tracer/python/balance.h"
RECORD, PYTHON, FRAMES, GENERATORS = (
    "src/tracer/python/should_record.c",
    "src/tracer/python/lexgion.c",
    "src/tracer/python/frames.c",
    "src/tracer/python/generators.c",
)

# What is broken, where, and the text that is replaced: it stands there once.
BREAKS = [
    ("a filter is not looked at", LEXGION, "    if (PINSIGHT_GET(lexgion->filtered))\n", "    if (0)\n"),
    ("a lexgion is resolved once only", LEXGION, "if (PINSIGHT_GET(lexgion->resolved) == version)",
     "if (PINSIGHT_GET(lexgion->resolved))"),
    ("another window keeps the last execution of the one before", LEXGION,
     "            PINSIGHT_PUT(lexgion->last_open, false);\n", ""),
    ("past a window TRACING counts as outside", LEXGION, "{.traced = true};\n    case PINSIGHT_MODE_MONITORING",
     "{.traced = true, .outside = true};\n    case PINSIGHT_MODE_MONITORING"),
    ("an ended window goes on to take executions", LEXGION,
     "    if (atomic_load_explicit(&window->ended, memory_order_relaxed) ||\n        PINSIGHT_GET(lexgion->last_open))\n"
     "        return past(lexgion, version);\n", ""),
    ("what goes on is counted as outside once more", LEXGION, "    how.outside = false; /* its start was counted as outside */\n", ""),
    ("a paused execution that was recorded is decided anew", LEXGION,
     "    if (begin == PINSIGHT_RESUMES_RECORDED)\n        return how;\n", ""),
    ("the last execution does not end its window", LEXGION,
     "    if (window)\n        pinsight_window_end(window,", "    if (0)\n        pinsight_window_end(window,"),
    ("a definition is not recorded again for a new session", LEXGION,
     "if (PINSIGHT_GET(lexgion->defined) == session)", "if (PINSIGHT_GET(lexgion->defined))"),
    ("each call is looked at only once where it is to be each time", LEXGION,
     "        if (!lexgion->ask_each)\n            __atomic_store_n(&lexgion->accept_version",
     "        __atomic_store_n(&lexgion->accept_version"),
    ("a dead lexgion is freed while it is in use", LEXGION, "if (!lexgion->dead || lexgion->in_flight)",
     "if (!lexgion->dead)"),
    ("the rate of a window is off by one", WINDOW, "    at -= window->starts_at;\n", "    at -= window->starts_at - 1;\n"),
    ("a window takes one too many", WINDOW, "if (at >= window->max)", "if (at > window->max)"),
    ("time never ends a window", WINDOW, "return passed > 0 && (uint64_t)passed >= window->timeout_ns;", "return passed < 0;"),
    ("a window that its time ended says that all were recorded", WINDOW,
     "window->timeout_ns ? atomic_load(&window->taken) : window->max", "window->max"),
    ("counts are written again and again", COUNT_WRITE, "    account->calls = calls;\n", ""),
    ("a call path is freed before its counts are written", COUNT, "(is_written(node) && !is_open(tree, node))",
     "((is_written(node) || true) && !is_open(tree, node))"),
    ("a call path is freed while a call in it is open", COUNT, "(is_written(node) && !is_open(tree, node))",
     "(is_written(node) && (is_open(tree, node) || true))"),
    ("recursion counts its time twice", COUNT, ".nested = is_nested(parent, lexgion)}",
     ".nested = is_nested(parent, lexgion) && !parent}"),
    ("time of what is inside stays with what is outside", ENGINE_H,
     "    pinsight_add(&counted->outer_node->children, ticks);\n", ""),
    ("what a thread that ended did not record is forgotten", ENGINE, "    add(&engine->ended, thread);\n", ""),
    ("a child has its parent's totals", ENGINE, "    engine->ended = (struct pinsight_totals){0};\n", ""),
    ("the size limit is reached again and again", ENGINE, "!atomic_exchange(&engine->size_limit_reached, true)",
     "(atomic_store(&engine->size_limit_reached, true), true)"),
    ("a frame that is used again does not end what it was", BALANCE_H,
     "            pinsight_stack_close_lost(thread, thread->depth - 1);\n", "            (void)top;\n"),
    ("any execution of a frame may end, whatever it is of", BALANCE,
     "    return pinsight_entry_lexgion(entry) == lexgion ||\n", "    return lexgion != NULL ||\n"),
    ("a call of C ends past the function that made it", BALANCE,
     "            return false; /* the end of the function itself, so that none of its calls is open */\n", "            continue;\n"),
    ("what is lost is not counted", BALANCE, "        pinsight_add(&thread->engine.lost_frames,\n", "        (void)(\n"),
    ("an end without a begin is a parent's for good", BALANCE, "        thread->inherited--;\n", "        (void)thread;\n"),
    ("a greenlet's callers do not go on", AWAY, "    for (uint32_t i = first; i < at; i++)\n",
     "    for (uint32_t i = at - 1; i < at; i++)\n"),
    ("time of a call is not taken from its caller's", BALANCE_H,
     "    pinsight_add(&outer->children, ticks);\n", ""),
    ("a generator that goes on counts as a call", BALANCE_H, "    pinsight_add(&node->calls, start);\n",
     "    pinsight_add(&node->calls, start | true);\n"),
    ("a generator that waits is forgotten", RECORD, "        pinsight_frames_put(&lexgion->paused, entry->frame, entry->generator);\n",
     "        (void)lexgion;\n"),
    ("a generator that returned is kept in mind", RECORD, "recorded = pinsight_frames_take(lexgion->paused, frame, number);",
     "recorded = pinsight_frames_any(lexgion->paused);\n        (void)frame;\n        (void)number;"),
    ("a generator has the number of the one that its frame was of", GENERATORS,
     "    if (known < oldest || how == PINSIGHT_PYTHON_BEGIN_HOW_START)\n", "    if (known < oldest)\n"),
    ("a generator that an exception starts has the number of another", GENERATORS,
     "    return how != PINSIGHT_PYTHON_BEGIN_HOW_THROW ||\n           pinsight_generator_has_started(", "    return true ||\n           pinsight_generator_has_started("),
    ("numbers are known after what was not seen", GENERATORS, "    oldest = last + 1;\n", "    oldest = 1;\n"),
    ("a generator loses its number where its greenlet waits", AWAY,
     "        pinsight_generator_goes_on(thread, entry);\n", "        (void)entry;\n"),
    ("generators are numbered until the next change alone", RECORD,
     "        lexgion->state.accept_version = 0; /* so that each execution takes the slow path */\n", ""),
    ("PInsight's own functions are recorded", RECORD, "    if (lexgion->hidden)\n", "    if (0)\n"),
    ("an import alone records the function too", RECORD,
     "    if (!lexgion->is_c && !pinsight_python.functions) {\n", "    if (0) {\n"),
    ("ends of what was filtered out are missed", PYTHON, "    lexgion->some = lexgion->some || state->filtered || state->window; /* as before */\n", ""),
    ("an address is made anew for each thread", NATIVE, "        if (first && lexgion->objects_version == now)\n            return lexgion;\n",
     "        if (first && lexgion->objects_version == now)\n            break;\n"),
]


def run(command, **more):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)


class Copy:
    """The tracked files elsewhere, and a build of the unit tests there."""

    def __init__(self, folder):
        self.source = folder / "source"
        self.build = folder / "build"
        names = run(["git", "ls-files", "-z"], cwd=REPOSITORY).stdout.decode().split("\0")
        for name in filter(None, names):
            if not (REPOSITORY / name).is_file():
                continue
            (self.source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, self.source / name)
        done = run(["cmake", "-G", "Ninja", "-S", self.source, "-B", self.build, "-DPINSIGHT_TESTS_ONLY=ON",
                    "-DPINSIGHT_FIND_PYTHONS=OFF"])
        if done.returncode != 0:
            sys.exit(done.stdout.decode())

    def make(self):
        return run(["cmake", "--build", self.build, "--target"] + TESTS)

    def failing(self):
        """The tests that notice, each with its cases that do."""
        noticed = []
        environment = dict(os.environ, LTTNG_UST_REGISTER_TIMEOUT="0")
        for test in TESTS:
            try:
                done = run([self.build / "tests" / test], timeout=TIMEOUT, env=environment)
            except subprocess.TimeoutExpired:
                noticed.append(test + ": waits for good")
                continue
            if done.returncode != 0:
                cases = re.findall(r"\[  FAILED  \] (\w+)$", done.stdout.decode(errors="replace"), re.M)
                noticed.append(test + ": " + (", ".join(dict.fromkeys(cases)) or "crashes"))
        return noticed


def attempt(copy, path, old, new):
    """What came of one break: the tests that noticed it, or why it could not be tried."""
    file = copy.source / path
    text = file.read_text(encoding="utf-8")
    if text.count(old) != 1:
        return None, "the text stands there %d times" % text.count(old)
    file.write_text(text.replace(old, new), encoding="utf-8")
    try:
        made = copy.make()
        if made.returncode != 0:
            return None, "does not compile: " + made.stdout.decode(errors="replace")[-400:]
        return copy.failing(), None
    finally:
        file.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--only", help="numbers of breaks")
    options = parser.parse_args()
    chosen = [int(word) for word in options.only.split(",")] if options.only else range(1, len(BREAKS) + 1)
    folder = options.work or pathlib.Path(tempfile.mkdtemp(prefix="pinsight-breaks-"))
    try:
        copy = Copy(folder)
        made = copy.make()
        if made.returncode != 0:
            sys.exit(made.stdout.decode(errors="replace"))
        whole = copy.failing()
        if whole:
            sys.exit("the tests fail without a break: " + "; ".join(whole))
        missed = 0
        for number in chosen:
            what, path, old, new = BREAKS[number - 1]
            noticed, problem = attempt(copy, path, old, new)
            missed += not noticed
            verdict = problem or "; ".join(noticed) or "NOT NOTICED"
            print("%2d  %-62s %-36s %s" % (number, what, path, verdict), flush=True)
        print("%d of %d breaks were noticed" % (len(chosen) - missed, len(chosen)))
        return 1 if missed else 0
    finally:
        if not options.work:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
