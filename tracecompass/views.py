"""The views: of time, of numbers, and flame charts. What they show are attributes that generate.py lists."""

from language import Comment, Element

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
        view("tasks", "PInsight: tasks", entry("Processes/*", entry("Tasks/*", name=NAMED), name=NAMED)),
        Comment("Load"),
        xy("load", "PInsight: load", "Load/*"),
        xy("busy", "PInsight: busy threads of each process", "Processes/*", shows("busy"), NAMED),
        xy("gil", "PInsight: waiting for the GIL", "Processes/*/Threads/*", shows("GIL"), NAMED, displayType="delta"),
        xy("streams", "PInsight: work finished by CUDA streams", "Processes/*/Devices/*/*", shows("done"),
           displayType="delta"),
        Comment("Flame charts and flame graphs"),
        call_stack("all", "PInsight: all domains nested"),
        call_stack("python", "PInsight: Python", "Python"),
    ]  # fmt: skip
