"""An interpreter for the part of Trace Compass's XML analyses ("data driven analysis") that pinsight.xml
uses: a state provider is run over events, and its states and views are looked at.

What an element means is from Trace Compass's user guide and from its schemas; what those leave open, as Trace Compass
does it: `*` in an event's name stands for any text and the whole name has to match; all handlers that match run, in
their order; a path with an element that is null changes nothing; integers of a CTF trace are of type long, and an
enumeration is compared by its label; contexts are the fields context._NAME; a state that lasts no time is not kept; a
stack's attribute has its depth as its value and its elements as attributes 1, 2, …; an attribute keeps its type.

Anything that is not known here raises Unsupported, so that what runs is all understood.
"""
import bisect
import re
import xml.etree.ElementTree as ElementTree

from .traces import ESCAPED, ESCAPES, matches


class Unsupported(Exception):
    """Something of the language that this interpreter does not have, or that the language does not allow."""


class Int(int):
    """A value of type int; events bring Long."""


class Long(int):
    """A value of type long."""


class Label(str):
    """An enumeration's value: its label. It is no text, and cannot become a state."""


class Event:
    """name with its provider, ts in ns, and fields {name: str, Long or Label}"""

    def __init__(self, ts, name, fields):
        self.ts = ts
        self.name = name
        self.fields = fields


# ---- events of a trace, as Trace Compass shows them ----

LINE = re.compile(r"^\[(\d+)\.(\d+)\] (?:\S+ )??(\w+:\w+): (.*)$", re.S)
FIELD = re.compile(
    r'(\w+) = ("(?:[^"\\]|\\.)*"|\( (?:"((?:[^"\\]|\\.)*)"|[^:]*?) : container = -?\d+ \)|[^,\s]+)', re.S)


def value_of(content, label):
    if content[0] == '"':
        return ESCAPED.sub(lambda match: ESCAPES.get(match.group(1), match.group(1)), content[1:-1])
    if content[0] == "(":
        return Label(label or "<unknown>")
    return Long(int(content, 0))


def events(trace):
    """Every event of a trace, read by babeltrace2."""
    for match, _ in matches(trace, LINE):
        seconds, nanoseconds, name, rest = match.groups()
        # { cpu_id = 1 }, { vpid = 2, vtid = 3 }, { payload }; registry's events have no context, and what was exported
        # has no processor.
        context, payload = "", rest.partition(" }, { ")[2] if rest.startswith("{ cpu_id = ") else rest[2:]
        if payload.startswith(("vpid = ", "vtid = ")):
            context, _, payload = payload.partition(" }, { ")
        fields = {"context._" + key: value_of(content, label) for key, content, label in FIELD.findall(context)}
        fields.update((key, value_of(content, label)) for key, content, label in FIELD.findall(payload))
        yield Event(int(seconds) * 1000000000 + int(nanoseconds), name, fields)


# ---- the state system ----

class Attribute:
    def __init__(self):
        self.children = {}
        self.value = None
        self.since = None
        self.type = None
        self.past = []  # (begin, end, value), in the order of time; none is empty

    def set(self, ts, value, update=False):
        if isinstance(value, Label):
            raise Unsupported("an enumeration as a state")
        if value is not None:
            if self.type is None:
                self.type = type(value)
            if type(value) is not self.type:
                raise Unsupported("%r in an attribute of type %s" % (value, self.type.__name__))
        if update:
            self.value = value
            return
        if self.since is not None and ts < self.since:
            raise Unsupported("a state in the past")
        if value == self.value:
            return
        if self.since is None or self.since < ts:
            self.past.append((self.since, ts, self.value))
        self.value, self.since = value, ts


class StateSystem:
    """The tree of attributes. A path is a tuple of names."""

    def __init__(self):
        self.root = Attribute()
        self.first = self.last = None

    def at(self, path, make=False):
        node = self.root
        for name in path:
            child = node.children.get(name)
            if child is None:
                if not make:
                    return None
                child = node.children[name] = Attribute()
            node = child
        return node

    def push(self, ts, node, value):
        depth = Int((node.value or 0) + 1)
        node.set(ts, depth)
        node.children.setdefault(str(depth), Attribute()).set(ts, value)

    def pop(self, ts, node):
        if node.value is None:
            return
        depth = node.value
        node.set(ts, Int(depth - 1) if depth > 1 else None)
        node.children[str(depth)].set(ts, None)

    def intervals(self, path):
        """(begin, end, value) of an attribute, in the order of time, without nulls; end is None for what lasts."""
        node = self.at(path)
        found = [interval for interval in node.past if interval[2] is not None]
        return found + ([(node.since, None, node.value)] if node.value is not None else [])

    def states(self, path):
        """What an attribute held, one after the other."""
        return [value for _, _, value in self.intervals(path)]

    def value_at(self, path, ts):
        """The value of an attribute at a time."""
        node = self.at(path)
        if node.since is not None and ts >= node.since:
            return node.value
        index = bisect.bisect_right(node.past, ts, key=lambda one: one[0] or 0) - 1
        return node.past[index][2] if index >= 0 else None

    def slices(self, path):
        """(depth from 0, begin, end, value) of a stack."""
        return [(int(number) - 1, *interval) for number in self.at(path).children
                for interval in self.intervals((*path, number))]

    def matching(self, node, path, pattern):
        """(path, node) of what a pattern such as Threads/*/name reaches from a node."""
        found = [(path, node)]
        for part in pattern.split("/"):
            whole = re.compile(part.replace("*", "(.*)"))
            found = [((*above, name), child) for above, parent in found
                     for name, child in parent.children.items() if whole.fullmatch(name)]
        return found


# ---- the state provider ----

def known(element, attributes, children=()):
    """Raises where an element has more than is known of it."""
    for name in element.attrib:
        if name not in attributes:
            raise Unsupported("attribute %s of %s" % (name, element.tag))
    for child in element:
        if child.tag not in children:
            raise Unsupported("%s in %s" % (child.tag, element.tag))


def only(element, *tags):
    return [child for child in element if child.tag in tags]


def forced(value, kind):
    if value is None or kind is None:
        return value
    if kind == "string":
        return str(value)
    if kind in ("int", "long"):
        return {"int": Int, "long": Long}[kind](int(value))
    raise Unsupported("forcedType %s" % kind)


COMPARE = {"eq": lambda order: order == 0, "ne": lambda order: order != 0, "ge": lambda order: order >= 0,
           "gt": lambda order: order > 0, "le": lambda order: order <= 0, "lt": lambda order: order < 0}


def order(first, second):
    """Numbers as numbers; all else, null too, as text."""
    if not (isinstance(first, (Int, Long)) and isinstance(second, (Int, Long))):
        first, second = ("null" if value is None else str(value) for value in (first, second))
    return (first > second) - (first < second)


class Provider:
    """A stateProvider, made ready to run. `feed` events, and look at `states`."""

    def __init__(self, element):
        known(element, ("id", "version"), ("head", "definedValue", "location", "mappingGroup", "eventHandler"))
        self.id = element.get("id")
        self.states = StateSystem()
        self.defined = {one.get("name"): one.get("value") for one in only(element, "definedValue")}
        self.locations = {}
        self.mappings = {}
        self.handlers = []
        self.by_name = {}
        head, = only(element, "head")
        known(head, (), ("traceType", "label"))
        self.trace_types = [one.get("id") for one in only(head, "traceType")]
        for child in element:
            if child.tag == "location":
                known(child, ("id",), ("stateAttribute",))
                self.locations[child.get("id")] = [part for one in child for part in self.attribute(one)]
            elif child.tag == "mappingGroup":
                known(child, ("id",), ("entry",))
                self.mappings[child.get("id")] = [
                    tuple(self.value(one) for one in only(entry, "stateValue")) for entry in child]
            elif child.tag == "eventHandler":
                known(child, ("eventName",), ("stateChange",))
                pattern = re.compile(child.get("eventName").replace("*", ".*"))
                self.handlers.append((pattern, [self.change(one) for one in child]))

    # Each of these gives a function of an event.

    def text(self, element):
        """The value of an element: a name after $ stands for what is defined."""
        content = element.get("value")
        if content is not None and content.startswith("$"):
            return self.defined[content[1:]]
        return content

    def attribute(self, element):
        """The parts of a path that a stateAttribute stands for: names, and functions that give one."""
        known(element, ("type", "value"), ("stateAttribute",))
        kind, content = element.get("type"), self.text(element)
        if kind == "constant":
            return [content]
        if kind == "eventField":
            return [lambda event: event.fields.get(content)]
        if kind == "eventName":
            return [lambda event: event.name]
        if kind == "location":
            return self.locations[content]
        if kind == "query":
            return [self.query(element)]
        raise Unsupported("stateAttribute of type %s" % kind)

    def path(self, elements):
        """The node that a path of stateAttributes leads to, made if need be; None where a part is null."""
        parts = [part for element in elements for part in self.attribute(element)]
        root = self.states.root

        def reach(event):
            node = root
            for part in parts:
                name = part if type(part) is str else part(event)
                if name is None:
                    return None
                if type(name) is not str:
                    name = str(name)
                child = node.children.get(name)
                if child is None:
                    child = node.children[name] = Attribute()
                node = child
            return node
        return reach

    def query(self, element):
        reach = self.path(only(element, "stateAttribute"))

        def look(event):
            node = reach(event)
            return None if node is None else node.value
        return look

    def peek(self, element):
        reach = self.path(only(element, "stateAttribute"))

        def look(event):
            node = reach(event)
            return node.children[str(node.value)].value if node is not None and node.value is not None else None
        return look

    def value(self, element):
        known(element, ("type", "value", "stack", "increment", "update", "mappingGroup", "forcedType"),
              ("stateAttribute",))
        kind, content = element.get("type"), self.text(element)
        mapping, wanted = element.get("mappingGroup"), element.get("forcedType")
        if element.get("stack") == "peek":
            get = self.peek(element)
        elif kind in ("null", "delete"):
            get = lambda event: None  # noqa: E731
        elif kind in ("int", "long"):
            constant = {"int": Int, "long": Long}[kind](int(content))
            get = lambda event: constant  # noqa: E731
        elif kind == "string":
            get = lambda event: content  # noqa: E731
        elif kind == "eventField":
            get = lambda event: event.fields.get(content)  # noqa: E731
        elif kind == "eventName":
            get = lambda event: event.name  # noqa: E731
        elif kind == "query":
            get = self.query(element)
        else:
            raise Unsupported("stateValue of type %s" % kind)
        if mapping is None and wanted is None:
            return get
        pairs = self.mappings[mapping] if mapping else None

        def converted(event):
            value = get(event)
            if pairs is not None:
                # The same value in another type is another value.
                value = next((new(event) for old, new in pairs
                              if type(old(event)) is type(value) and old(event) == value), None)
            return forced(value, wanted)
        return converted

    def condition(self, element):
        if element.tag in ("and", "or", "not", "if"):
            known(element, (), ("condition", "and", "or", "not"))
            inner = [self.condition(child) for child in element]
            if element.tag == "and":
                return lambda event: all(one(event) for one in inner)
            if element.tag == "or":
                return lambda event: any(one(event) for one in inner)
            one, = inner
            return one if element.tag == "if" else lambda event: not one(event)
        known(element, ("operator",), ("stateAttribute", "field", "stateValue"))
        values = [self.value(child) for child in only(element, "stateValue")]
        fields = only(element, "field")
        if fields:
            known(fields[0], ("name",))
            name = fields[0].get("name")
            values.insert(0, lambda event: event.fields.get(name))
        elif only(element, "stateAttribute"):
            values.insert(0, self.query(element))
        first, second = values
        holds = COMPARE[element.get("operator", "eq")]
        return lambda event: holds(order(first(event), second(event)))

    def change(self, element):
        known(element, (), ("if", "then", "else", "stateAttribute", "stateValue"))
        chosen = {child.tag: child for child in only(element, "if", "then", "else")}
        if chosen:
            condition, then = self.condition(chosen["if"]), self.change(chosen["then"])
            otherwise = self.change(chosen["else"]) if "else" in chosen else lambda event: None

            def choose(event):
                (then if condition(event) else otherwise)(event)
            return choose
        new, = only(element, "stateValue")
        reach, value = self.path(only(element, "stateAttribute")), self.value(new)
        stack, states = new.get("stack"), self.states
        increment, update = (new.get(name) == "true" for name in ("increment", "update"))
        if stack in ("push", "pop", "popAll"):
            if increment or update:
                raise Unsupported("%s with increment or update" % stack)

            def use_stack(event):
                node = reach(event)
                if node is None:
                    return
                if stack == "push":
                    states.push(event.ts, node, value(event))
                    return
                for _ in range((node.value or 0) if stack == "popAll" else 1):
                    states.pop(event.ts, node)
            return use_stack

        def assign(event):
            node = reach(event)
            if node is None:
                return
            content = value(event)
            if increment and content is not None:
                content = type(content)(content + (node.value or 0))
            node.set(event.ts, content, update)
        return assign

    def feed(self, event):
        if self.states.last is not None and event.ts < self.states.last:
            raise Unsupported("time runs back")
        self.states.first = event.ts if self.states.first is None else self.states.first
        self.states.last = event.ts
        changes = self.by_name.get(event.name)
        if changes is None:
            changes = [change for pattern, all_of_it in self.handlers if pattern.fullmatch(event.name)
                       for change in all_of_it]
            self.by_name[event.name] = changes
        for change in changes:
            change(event)

    def run(self, all_events):
        for event in all_events:
            self.feed(event)
        return self


# ---- views ----

class Row:
    """A line of a time graph, or a series of an XY chart: its name, and the path of what it shows."""

    def __init__(self, name, path, children):
        self.name = name
        self.path = path
        self.children = children

    def flat(self, above=()):
        """(names from the top, path) of this line and those under it."""
        names = (*above, self.name)
        return [(names, self.path)] + [line for child in self.children for line in child.flat(names)]


def shown(states, element, path, node):
    """Where a display or a name of an entry points to; None where that is not there."""
    known(element, ("type", "value"))
    if element.get("type") == "self":
        return path, node
    if element.get("type") != "constant":
        raise Unsupported("%s of type %s" % (element.tag, element.get("type")))
    child = node.children.get(element.get("value"))
    return ((*path, element.get("value")), child) if child is not None else None


def rows(states, element, path=(), node=None):
    """The lines that an entry makes."""
    known(element, ("path", "displayText", "displayType"), ("display", "name", "entry"))
    made = []
    for found, child in states.matching(node or states.root, path, element.get("path")):
        display = shown(states, only(element, "display")[0], found, child)
        if display is None:
            continue
        name = found[-1]
        for one in only(element, "name"):
            place = shown(states, one, found, child)
            values = states.states(place[0]) if place else []
            name = str(values[0]) if values else name
        inner = [row for one in only(element, "entry") for row in rows(states, one, found, child)]
        made.append(Row(name, display[0], inner))
    return made


class Analyses:
    """A file of analyses: `provider()` is a new state provider, the rest are views of one that has run."""

    def __init__(self, file):
        self.root = ElementTree.parse(file).getroot()
        known(self.root, ("{http://www.w3.org/2001/XMLSchema-instance}noNamespaceSchemaLocation",),
              ("stateProvider", "timeGraphView", "xyView", "callstack"))

    def provider(self):
        element, = only(self.root, "stateProvider")
        return Provider(element)

    def view(self, name, provider):
        """The lines of a timeGraphView or an xyView, as (names, path)."""
        element, = (one for one in only(self.root, "timeGraphView", "xyView") if one.get("id") == name)
        known(element, ("id",), ("head", "entry", "definedValue"))
        analysis, = only(only(element, "head")[0], "analysis")
        assert analysis.get("id") == provider.id
        return [line for entry in only(element, "entry") for row in rows(provider.states, entry)
                for line in row.flat()]

    def call_stacks(self, name, provider):
        """{(names of the levels): path of the stack} of a callstack."""
        element, = (one for one in only(self.root, "callstack") if one.get("id") == name)
        known(element, ("id",), ("callstackGroup", "analysis"))
        assert only(element, "analysis")[0].get("id") == provider.id
        group, = only(element, "callstackGroup")
        known(group, ("name",), ("level", "thread"))
        found = [((), (), provider.states.root)]
        for level in only(group, "level"):
            found = [((*names, below[-1]), below, child) for names, path, node in found
                     for below, child in provider.states.matching(node, path, level.get("path"))]
        # The stack is the attribute CallStack under the last level.
        return {names: (*path, "CallStack") for names, path, node in found if "CallStack" in node.children}
