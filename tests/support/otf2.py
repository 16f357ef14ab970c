"""An OTF2 archive as otf2-print reads it: definitions, and every event in order."""
import collections
import re
import shutil
import subprocess

from . import places

Event = collections.namedtuple("Event", "name location ts fields")
Slice = collections.namedtuple("Slice", "region begin end depth")

EVENT = re.compile(r"^([A-Z_]+) +(\d+) +(\d+)  (.*)$")


def is_built():
    """Whether this build of PInsight has the form at all."""
    told = subprocess.run([places.COMMAND, "export", "--help"], stdout=subprocess.PIPE, encoding="utf-8").stdout
    return "otf2" in told and "not in this build" not in told


def printed(archive, *options):
    """What otf2-print says of an archive; it must not complain."""
    if not shutil.which("otf2-print"):
        places.missing("otf2-print (Debian: otf2-tools)")
    done = subprocess.run(["otf2-print", *options, str(archive / "traces.otf2")], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", errors="surrogateescape")
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def events(archive):
    found = []
    for line in printed(archive).splitlines():
        match = EVENT.match(line)
        if match:
            found.append(Event(match.group(1), int(match.group(2)), int(match.group(3)), match.group(4)))
    return found


def definitions(archive):
    """[(kind, number, text)] of the global definitions, as they are printed."""
    found = []
    for line in printed(archive, "-G").splitlines():
        match = re.match(r"^([A-Z_]+) +(\d*)  (.*)$", line)
        if match:
            found.append((match.group(1), int(match.group(2) or 0), match.group(3)))
    return found


def number(text, key):
    """The number of a field: Receiver: 1 ("main" <1>), Length: 4; with a name that of what it names."""
    match = re.search(re.escape(key) + r': (?:".*?" <(\d+)>|(\d+))', text)
    return int(match.group(1) or match.group(2)) if match else None


class Archive:
    def __init__(self, folder):
        self.events = events(folder)
        self.definitions = definitions(folder)
        self.regions = {at: self.text(text, "Name") for kind, at, text in self.definitions if kind == "REGION"}
        self.region_texts = {at: text for kind, at, text in self.definitions if kind == "REGION"}
        self.locations = {at: text for kind, at, text in self.definitions if kind == "LOCATION"}
        self.location_groups = {at: self.text(text, "Name") for kind, at, text in self.definitions
                                if kind == "LOCATION_GROUP"}
        self.comms = {at: self.text(text, "Name") for kind, at, text in self.definitions if kind in ("COMM", "INTER_COMM")}
        self.slices = self.nested()

    @staticmethod
    def text(text, key):
        return re.search(key + r': "(.*?)" <\d+>', text, re.I).group(1)

    def group_of(self, location):
        return number(self.locations[location], "Group")

    def rank_of(self, location):
        match = re.match(r"rank (\d+) ", self.location_groups[self.group_of(location)])
        return int(match.group(1)) if match else None

    def named(self, *names):
        return [event for event in self.events if event.name in names]

    def nested(self):
        """{location: [Slice]}: enters and leaves match, innermost first; time does not run back."""
        open_ones, last, found = collections.defaultdict(list), collections.Counter(), collections.defaultdict(list)
        for event in self.events:
            assert event.ts >= last[event.location], event
            last[event.location] = event.ts
            if event.name == "ENTER":
                open_ones[event.location].append((number(event.fields, "Region"), event.ts))
            elif event.name == "LEAVE":
                region, begin = open_ones[event.location].pop()
                assert region == number(event.fields, "Region"), event
                found[event.location].append(Slice(region, begin, event.ts, len(open_ones[event.location])))
        assert not any(open_ones.values())
        counted = collections.Counter(event.location for event in self.events)
        assert {at: counted[at] for at in self.locations} == {
            at: number(text, "# Events") for at, text in self.locations.items()}
        return found

    def totals(self):
        """{region: [count, total]}: of a region within itself, the outermost counts."""
        found = collections.defaultdict(lambda: [0, 0])
        for slices in self.slices.values():
            inside = collections.defaultdict(list)
            for one in slices:
                inside[one.region].append(one)
            for region, ones in inside.items():
                ones.sort(key=lambda one: (one.begin, one.depth))
                until = None
                for one in ones:
                    found[region][0] += 1
                    if until is None or one.depth <= until.depth or one.begin >= until.end:
                        found[region][1] += one.end - one.begin
                        until = one
        return found
