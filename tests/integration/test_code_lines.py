"""The lines that calls of C are made from: those of the interpreter, and found in one pass over a code object."""
import json
import random

import pytest

pytestmark = pytest.mark.timed

# `probe` is called by each of the calls of C that were put into the layout, and asks the interpreter for its line.
ASKS = """
import json, sys
lines = []
def probe(x):
    lines.append(sys._getframe(1).f_lineno)
"""

CALL = "sorted([1], key=probe)"


def layout(seed):
    """Source with calls on lines that go up, down and far."""
    chosen = random.Random(seed)
    text = ["def laid_out():"]
    for number in range(60):
        text.extend([""] * chosen.choice((0, 0, 1, 3, 130, 300, 5000)))
        gap = "\n" * chosen.choice((0, 1, 2, 130, 260))
        text.append("    " + chosen.choice((
            CALL,
            "a = (%s1 +%s len(%s))" % (gap, gap, CALL),
            "a = [%s0, %s,%s %s]" % (gap, CALL, gap, CALL),
            "for a in (1, 2):\n        %s" % CALL,
            "try:%s\n        %s\n    except ValueError:\n        pass\n    finally:%s\n        %s"
            % (gap, CALL, gap, CALL),
            "(lambda: (%s%s))()" % (gap, CALL),
            "a = dict(%sa=%s,%sb=2)" % (gap, CALL, gap))))
    return "\n".join(text) + "\nlaid_out()\n"


@pytest.mark.recorder("lttng")
def test_they_are_the_interpreters(python, run_traced, tmp_path):
    sources = [layout(seed) for seed in range(4)]
    (tmp_path / "sources.json").write_text(json.dumps(sources))
    program = tmp_path / "asks.py"
    program.write_text(ASKS + """
for number, source in enumerate(json.load(open("sources.json"))):
    exec(compile(source, "layout-%d.py" % number, "exec"))
json.dump(lines, open("lines.json", "w"))
""")
    result = run_traced(python, program, "--events", "c_call", "--lossless", "--no-summary", cwd=tmp_path)
    seen = [moment.fields["caller_lineno"] for moment in result.trace.main().moments
            if moment.kind == "c_begin" and moment.name == "sorted"
            and moment.fields["caller_filename"].startswith("layout-")]
    expected = json.loads((tmp_path / "lines.json").read_text())
    assert len(expected) > 200
    assert seen == expected


LITERALS = """
import json, sys, time
def seconds(lines):
    best = None
    for turn in range(5):
        text = ["values = {"] + ["  'k%d': 'v%d'," % (i, i) for i in range(lines)] + ["}", "len(values)", ""]
        code = compile("\\n".join(text), "literal.py", "exec")
        begin = time.thread_time()
        exec(code, {})
        end = time.thread_time()
        best = end - begin if best is None else min(best, end - begin)
    return best
json.dump([seconds(1000), seconds(8000)], open("seconds.json", "w"))
"""


def test_a_long_table_is_read_in_one_pass(python, run_traced, tmp_path):
    """The first call of C in a code object reads the lines of all of it: 8 times the lines, 8 times the work."""
    program = tmp_path / "literals.py"
    program.write_text(LITERALS)
    run_traced(python, program, "--no-summary", cwd=tmp_path)
    short, long = json.loads((tmp_path / "seconds.json").read_text())
    assert long < 20 * short, "1,000 lines take %.3f ms, 8,000 lines %.3f ms" % (short * 1e3, long * 1e3)
