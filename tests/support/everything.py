"""A made trace with every event that there is, by chance: no program does such things, and every view has something
to show. Its names may be hostile: what a terminal, a table or a file must not be given as it is."""
import random

from . import made

# Escape sequences, ends of lines, controls of either kind, bytes that are not UTF-8 (made of a lone surrogate, cut off,
# too long, beyond the last character), changes of the direction of writing, and what forms have words for.
HOSTILE = ["\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "two\nlines", "re\rturn", "ta\tb", "back\b\b", "del\x7f", "c1\x9b1m", "nul\x01",
           "raw\udcff\udcfe", "sur\udced\udca0\udc80gate", "cut\udce2\udc82", "long\udcc0\udc80", "beyond\udcf4\udc90\udc80\udc80",
           "rtl\u202eevil", "iso\u2066late", "sep\u2028arate", "mark\ufeff", "tag\U000e0041", "\"quoted\", comma; <b>&amp;", "\\n", "%s%n",
           "; x 1", "日本", ""]
SOUND = ["work", "Solver.step", "/usr/lib/x.py", "/home/u/a program.py", "json", "<lambda>", "日本"]
DOMAINS = ("core", "python", "openmp", "mpi", "cuda")


def write(folder, seed=1, events=4000, names=tuple(HOSTILE), processes=2, **how):
    """Writes the trace; gives its folder."""
    chance = random.Random("%s" % seed)
    trace = made.Trace(folder, known=DOMAINS, **how)
    every = sorted(key for key in trace.numbers)
    weight = [1 if domain == "mpi" else 4 for domain, _ in every]
    pids = [70 + 10 * rank for rank in range(processes)]
    for rank, pid in enumerate(pids):
        process = trace.process(pid, rank, chance.choice(names))
        for number in range(2):
            process.thread(pid + number, number, chance.choice(names))
        for number in range(1, 5):
            process.code(number, chance.choice(names), chance.choice(names), number * 10)
            process.path(number, number - 1, number, 10 + number)
        trace.event(1, pid, pid, "mpi", "mpi_info", **fields_of(trace, chance, names, "mpi", "mpi_info", pid, pid, rank))
    for at in range(events):
        pid = chance.choice(pids)
        tid = pid + chance.randrange(2)
        domain, name = chance.choices(every, weight)[0]
        fields = fields_of(trace, chance, names, domain, name, pid, tid, pids.index(pid))
        trace.event(10 + at * 7, pid, tid, domain, name, **fields)
        if name.endswith("_begin") and chance.random() < 0.6:  # else it ends some time, or never
            other = (domain, name[:-6] + "_end")
            if other in trace.numbers:
                same = {field: fields[field] for field, _ in trace.fields[trace.numbers[other]][1] if field in fields}
                trace.event(13 + at * 7, pid, tid, *other, **dict(fields_of(trace, chance, names, *other, pid, tid, 0), **same))
    return trace.write(packet=50)


def fields_of(trace, chance, names, domain, name, pid, tid, rank):
    """By what a field is called, or small numbers, that refer to something now and then."""
    fields = {}
    for field, kind in trace.fields[trace.numbers[domain, name]][1]:
        if kind == "string":
            fields[field] = "python" if field == "domain" and chance.random() < 0.8 else chance.choice(names)
        elif field in ("pid", "tid", "rank"):
            fields[field] = {"pid": pid, "tid": tid, "rank": rank}[field]
        elif field == "size" and name == "mpi_info":
            fields[field] = 2
        elif field in ("code_how", "callee_how"):
            fields[field] = 4 * chance.randrange(1, 5) + chance.randrange(4)
        else:
            most = 2 ** (8 * int(kind[1:]) // 8 - (kind[0] == "i")) - 1
            fields[field] = min(most, chance.choice([0, 1, 1, 2, 3, 4, 4, chance.randrange(200), most if chance.random() < 0.05 else 1]))
    return fields
