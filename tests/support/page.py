"""A page, read as docs/page.md describes it: with Python's own zlib, and none of PInsight's code."""
import base64
import json
import re
import zlib

PART = re.compile(r'<script type="application/octet-stream" id="pinsight-([\w-]+)">([A-Za-z0-9+/=\n]*)</script>\n')


class Numbers:
    def __init__(self, data, offset):
        self.data, self.at = data, offset

    def next(self):
        number, shift = 0, 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    def difference(self):
        number = self.next()
        return -(number + 1) // 2 if number % 2 else number // 2

    def column(self, count):
        return [self.next() for _ in range(count)]


class Page:
    """A page of one run; or, with a suffix, one of the runs of a page of two."""

    def __init__(self, text, suffix=""):
        self.frame = PART.sub("", text)  # the page without its data
        self.parts = {name: zlib.decompress(base64.b64decode(data)) for name, data in PART.findall(text)}
        assert suffix or sorted(self.parts) == ["index", "numbers", "report"]
        told = json.loads(self.parts["report" + suffix].decode())
        self.report, self.sections = told["report"], told["sections"]
        self.index, self.data = json.loads(self.parts["index" + suffix].decode()), self.parts["numbers" + suffix]
        assert self.index["page_version"] == 1
        self.timeline, self.contexts = self.index["timeline"], self.index["contexts"]
        self.frames = [dict(zip(("name", "file", "line", "category", "users", "same"), frame)) for frame in self.contexts["frames"]]
        for frame in self.frames:
            frame["file"] = self.contexts["files"][frame["file"]]
        numbers = Numbers(self.data, self.contexts["offset"])
        names = ("parent", "frame", "line", "root", "calls", "self_ns")
        self.nodes = dict(zip(names, [numbers.column(self.contexts["nodes"]) for _ in names]))

    def frame_of(self, node):
        return self.frames[self.nodes["frame"][node] - 1]

    def boxes(self, level):
        """The boxes of a level: dictionaries, with their track and depth."""
        numbers = Numbers(self.data, self.timeline["levels"][level]["offset"])
        boxes = []
        for track in self.timeline["tracks"]:
            for depth in range(track["rows"]):
                count = numbers.next()
                gaps = [numbers.difference() for _ in range(count)]
                lengths = numbers.column(count)
                nodes = [numbers.difference() for _ in range(count)]
                slices, empty, waiting = numbers.column(count), numbers.column(count), numbers.column(count)
                end, node = 0, 0
                for i in range(count):
                    begin, node = end + gaps[i], node + nodes[i]
                    end = begin + lengths[i]
                    boxes.append({"track": track, "depth": depth, "begin": begin, "end": end, "node": node, "slices": slices[i],
                                  "busy": lengths[i] - empty[i], "waiting": waiting[i]})
        assert len(boxes) == self.timeline["levels"][level]["boxes"]
        return boxes

    def bins(self):
        """(track, node, bin): (calls, own time, waiting)."""
        numbers, found = Numbers(self.data, self.timeline["bins"]["offset"]), {}
        while len(found) < self.timeline["bins"]["entries"]:
            track, node, count = numbers.next(), numbers.next(), numbers.next()
            at = 0
            for _ in range(count):
                at += numbers.next()
                found[track, node, at] = (numbers.next(), numbers.next(), numbers.next())
        return found

    def flows(self):
        """The arrows: dictionaries, with the tracks at both ends and the number of the kind."""
        count = self.timeline["flows"]["flows"]
        numbers, at = Numbers(self.data, self.timeline["flows"]["offset"]), 0
        begins, lengths = [numbers.difference() for _ in range(count)], [numbers.difference() for _ in range(count)]
        leaves, arrives, kinds, sizes = [numbers.column(count) for _ in range(4)]
        flows = []
        for i in range(count):
            at += begins[i]
            flows.append({"from": at, "to": at + lengths[i], "leaves": self.timeline["tracks"][leaves[i]],
                          "arrives": self.timeline["tracks"][arrives[i]], "kind": kinds[i], "bytes": sizes[i]})
        return flows

    def counters(self):
        """{(kind, name): counter}, with `points`: (time, least, greatest, last value)."""
        found = {}
        for counter in self.timeline["counters"]:
            numbers, at, times = Numbers(self.data, counter["offset"]), 0, []
            for _ in counter["last"]:
                at += numbers.difference()
                times.append(at)
            last = counter["last"]
            found[counter["kind"], counter.get("name")] = dict(
                counter, points=list(zip(times, counter.get("least", last), counter.get("most", last), last)))
        return found


def read(path, suffix=""):
    return Page(path.read_text(encoding="utf-8"), suffix)
