"""What is LTTng's lies in folders named for it; all else asks a recorder.

src/tracer/record/recorder.h says what a recorder is to a traced process, src/session/recorder.h what it is to `pinsight run`.
Nothing is built or traced here.
"""
import re

from support import places

ROOT = places.ROOT
# LTTng's functions, macros, headers and libraries. Names of events (pinsight_lttng_ust:...) are of the trace.
CODE = re.compile(r'\b(?:lttng_\w+|LTTNG_\w+)|<lttng/|"liblttng')
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"(?:[^"]*/)?lttng/', re.MULTILINE)
WORD = re.compile(r"lttng", re.IGNORECASE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
# Where not even the word stands: traced processes, what lies beneath them, and what runs beside them.
NEUTRAL = ("base", "config", "format", "introspect", "session", "tracer")
ALLOWED = {
    "format/layout.h": "says whose heads of events these are",
    "tracer/record/recorder.h": "declares it, and says where the tables are",
    "session/recorder.c": "has the list of recorders",
    "session/recorder.h": "says where its table is",
    "introspect/rotate.c": "chooses who rotates",
    "introspect/rotate.h": "says where its table is",
    "session/process_list.c": "looks for an event of the core by its name in the trace",
}


def sources():
    """The path within src, or include/..., and the text of each file of C outside of folders named lttng."""
    for top in ("src", "include"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".c", ".h", ".S") and "lttng" not in path.parent.parts:
                yield re.sub("^src/", "", path.relative_to(ROOT).as_posix()), path.read_text()


def wrong_places(files):
    """A line for each file that has LTTng's names where they do not belong. `files` are pairs of a path and a text."""
    wrong = []
    for path, text in files:
        code = COMMENT.sub("", text)
        if CODE.search(code):
            wrong.append("{} uses {}".format(path, CODE.search(code).group()))
        if INCLUDE.search(code):
            wrong.append("{} includes what is LTTng's".format(path))
        if path.startswith(tuple(folder + "/" for folder in NEUTRAL)) and path not in ALLOWED and WORD.search(text):
            wrong.append("{} names LTTng".format(path))
    return wrong


def test_lttng_is_named_in_its_folders_alone():
    assert wrong_places(sources()) == []


def test_what_is_in_a_wrong_place_is_found():
    for text in ("lttng_ust_before_fork(&set);", "#include <lttng/lttng.h>\n", '#include "session/lttng/daemon.h"\n',
                 'dlopen("liblttng-ust.so.1", 0);', "#define LTTNG_UST_TRACEPOINT_DEFINE\n", "/* as LTTng does */"):
        assert wrong_places([("tracer/core/some.c", text)]), text
    for text in ("/* as lttng_destroy(3) */", 'const char *event = "pinsight_lttng_ust:mark";'):
        assert not wrong_places([("reader/some.c", text)]), text


def test_what_is_allowed_is_there_and_needs_it():
    texts = dict(sources())
    assert [path for path in ALLOWED if not WORD.search(texts[path])] == []
