"""The stacks of a thread, one of each domain and one of all together: what begins, what ends, who is busy."""

from language import Element, add, change, compare, location, looked_up, top, value, when

THREAD = (location("thread"),)
REGISTRY_THREAD = (location("registry thread"),)
BUSY = (location("process"), "busy")
REGISTRY_BUSY = (location("registry process"), "busy")


def stack(thread, domain):
    return (*thread, domain, "CallStack")


def begin(domain, new, thread=THREAD, busy=BUSY):
    """A thread begins something in a domain: `new` is its name."""
    return [
        push(stack(thread, domain), new),
        when(depth_is(stack(thread, domain), 1), add(("Load", domain), 1)),
        change((*thread, domain), new),
        push((*thread, "CallStack"), new),
        when(depth_is((*thread, "CallStack"), 1), add(busy, 1)),
    ]


def push(path, new):
    return change(path, Element("stateValue", *new.children, **{**new.attributes, "stack": "push"}))


def pop(path, how="pop"):
    return change(path, value("null", stack=how))


def depth_is(path, number):
    return compare(looked_up(*path), value("int", number))


def end(domain, thread=THREAD, busy=BUSY):
    """What it began last in the domain ends."""
    return [
        when(depth_is(stack(thread, domain), 1), add(("Load", domain), -1)),
        pop(stack(thread, domain)),
        change((*thread, domain), top(*stack(thread, domain))),
        when(depth_is((*thread, "CallStack"), 1), add(busy, -1)),
        pop((*thread, "CallStack")),
    ]
