"""What Trace Compass's language has, as Python functions: elements, conditions, changes. generate.py says what it is."""

from xml.sax.saxutils import quoteattr

WIDTH = 150


class Element:
    on_one_line = False  # however long that gets

    def __init__(self, tag, *children, **attributes):
        self.tag = tag
        self.children = [child for child in children if child is not None]
        self.attributes = {key.rstrip("_"): value for key, value in attributes.items()}

    def line(self):
        words = "".join(" %s=%s" % (key, quoteattr(str(value))) for key, value in self.attributes.items())
        if not self.children:
            return "<%s%s/>" % (self.tag, words)
        return "<%s%s>%s</%s>" % (self.tag, words, "".join(child.line() for child in self.children), self.tag)

    def lines(self, depth):
        margin = "  " * depth
        line = self.line()
        if self.on_one_line or "<!--" not in line and len(margin) + len(line) <= WIDTH:
            return [margin + line]
        opening = Element(self.tag, **self.attributes).line()[:-2] + ">"
        inner = [text for child in self.children for text in child.lines(depth + 1)]
        return [margin + opening, *inner, margin + "</%s>" % self.tag]


class Comment:
    def __init__(self, text):
        self.text = text

    def line(self):
        return "<!-- %s -->" % self.text

    def lines(self, depth):
        return ["", "  " * depth + self.line()]


def field(name):
    return ("eventField", name)


def location(name):
    return ("location", name)


EVENT_NAME = ("eventName", None)


def query(*path):
    return ("query", path)


def attribute(part):
    if isinstance(part, str):
        return Element("stateAttribute", type="constant", value=part)
    kind, value = part
    if kind == "query":
        return Element("stateAttribute", *map(attribute, value), type="query")
    if value is None:
        return Element("stateAttribute", type=kind)
    return Element("stateAttribute", type=kind, value=value)


def value(kind, content=None, *, path=(), **more):
    if content is not None:
        more["value"] = content
    return Element("stateValue", *map(attribute, path), type=kind, **more)


def text(content, **more):
    return value("string", content, **more)


def of_field(name, **more):
    return value("eventField", name, **more)


def looked_up(*path, **more):
    return value("query", path=path, **more)


def top(*path):
    return value("query", path=path, stack="peek")


NULL = value("null")


# ---- conditions ----


def compare(first, second, operator=None):
    return Element("condition", first, second, **({"operator": operator} if operator else {}))


def is_field(name, second, operator=None):
    return compare(Element("field", name=name), second, operator)


def both(*conditions):
    return Element("and", *conditions)


def either(*conditions):
    return Element("or", *conditions)


def negated(condition):
    return Element("not", condition)


def is_null(*path):
    return compare(looked_up(*path), NULL)


def is_set(*path):
    return compare(looked_up(*path), NULL, "ne")


# ---- changes ----


class Change:
    """What stands in a stateChange, a then or an else."""

    def __init__(self, *content):
        self.content = content

    def put(self, tag="stateChange"):
        return Element(tag, *self.content)


def change(path, new):
    return Change(*map(attribute, path), new)


def when(condition, then, otherwise=None):
    return Change(Element("if", condition), then.put("then"), otherwise and otherwise.put("else"))


HOLDS = ("Scratch", "holds")


def holding(condition, changes):
    """The changes, where the condition holds before the first of them."""
    yes, no = (change(HOLDS, value("int", number, update="true")) for number in (1, 0))
    held = compare(looked_up(*HOLDS), value("int", 1))
    return [when(condition, yes, no), *(when(held, one) for one in changes)]


def add(path, number):
    return change(path, value("int", number, increment="true"))


def handler(event, *changes):
    return Element("eventHandler", *(one.put() for one in changes), eventName=event)
